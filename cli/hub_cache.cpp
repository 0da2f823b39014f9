#include "cli/hub_cache.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace rooflens::cli {
namespace {

namespace fs = std::filesystem;

std::string set_or_empty(const Io& io, const char* name) {
  std::string value = io.env ? io.env(name).value_or("") : "";
  if (value.rfind("~/", 0) == 0) value = io.env("HOME").value_or("") + value.substr(1);
  while (value.size() > 1 && value.back() == '/') value.pop_back();
  return value;
}

bool same_but_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> all;
  std::error_code error;
  fs::directory_iterator it(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) all.push_back(it->path());
  std::sort(all.begin(), all.end());
  return all;
}

bool is_folder(const fs::path& p) {
  std::error_code error;
  return fs::is_directory(p, error);
}

bool is_readable_file(const fs::path& p) {
  std::error_code error;
  return fs::is_regular_file(p, error) && std::ifstream(p).good();
}

bool is_link(const fs::path& p) {
  std::error_code error;
  return fs::is_symlink(p, error);
}

// A link of a snapshot that leads nowhere, in words; empty for any other file.
std::string broken(const fs::path& file) {
  std::error_code error;
  if (!is_link(file) || fs::exists(file, error)) return {};
  const fs::path blob = (file.parent_path() / fs::read_symlink(file, error)).lexically_normal();
  for (const fs::path& other : entries(blob.parent_path())) {
    const std::string name = other.filename().string();
    if (name.rfind(blob.filename().string(), 0) == 0 && other.extension() == ".incomplete") {
      return file.filename().string() + " was not downloaded to its end";
    }
  }
  return file.filename().string() + " is a broken link (no blob " +
         blob.filename().string().substr(0, 12) + "...)";
}

bool has_weights(const fs::path& snapshot) {
  for (const fs::path& file : entries(snapshot)) {
    const std::string e = file.extension().string();
    if (e == ".safetensors" || e == ".bin" || e == ".pt" || e == ".pth") return true;
  }
  return false;
}

// Looks a snapshot over. `why` gets the reason when it is of no use.
bool usable(const fs::path& snapshot, std::string& why) {
  const fs::path config = snapshot / "config.json";
  for (std::string_view name : kHubFiles) {
    if (is_hub_index(name)) continue;  // only compared
    if (std::string bad = broken(snapshot / name); !bad.empty()) {
      why = bad;
      return false;
    }
  }
  if (is_readable_file(config)) return true;
  std::error_code error;
  // Meta's and Mistral's own file, where nobody kept a config.json.
  if (!fs::exists(config, error) && is_readable_file(snapshot / "params.json")) return true;
  if (fs::exists(config, error)) {
    why = "config.json cannot be read";
  } else {
    const std::size_t others = entries(snapshot).size();
    why = "config.json is not in it" +
          (others > 0 ? ", only " + std::to_string(others) + " other files" : std::string());
  }
  return false;
}

struct Search {
  fs::path repository;
  CachedModel& out;

  [[nodiscard]] std::string inside(const fs::path& p) const {
    return p.lexically_relative(repository.parent_path()).string();
  }

  bool take(const fs::path& snapshot, std::string how) {
    std::string why;
    if (!usable(snapshot, why)) {
      out.remarks.push_back("the cached " + inside(snapshot) + " is of no use: " + why);
      return false;
    }
    if (std::string bad = broken(snapshot / kHubIndex); !bad.empty()) {
      out.remarks.push_back(bad + ": the size of the weights is not compared");
    }
    out.snapshot = snapshot.string();
    out.commit = snapshot.filename().string();
    out.how = std::move(how);
    const fs::path none = repository / ".no_exist" / out.commit / "hf_quant_config.json";
    std::error_code error;
    out.whole = has_weights(snapshot) || fs::exists(none, error) ||
                fs::exists(snapshot / "hf_quant_config.json", error) ||
                fs::exists(snapshot / "quantize_config.json", error) ||
                fs::exists(snapshot / "quant_config.json", error);
    return true;
  }

  // The commit a ref holds; empty when there is no such ref or it is damaged, which is told.
  std::string commit_of_ref(const std::string& ref) {
    const fs::path file = repository / "refs" / ref;
    if (!is_readable_file(file)) return {};
    std::string commit(80, '\0');
    std::ifstream in(file, std::ios::binary);
    in.read(commit.data(), static_cast<std::streamsize>(commit.size()));
    commit.resize(static_cast<std::size_t>(in.gcount()));
    while (!commit.empty() && (commit.back() == '\n' || commit.back() == '\r')) commit.pop_back();
    if (looks_like_commit(commit)) return commit;
    out.remarks.push_back("the cached " + inside(file) + " holds no commit");
    return {};
  }

  void by_commit(const std::string& prefix) {
    std::vector<fs::path> found;
    for (const fs::path& s : entries(repository / "snapshots")) {
      if (s.filename().string().rfind(prefix, 0) == 0 && is_folder(s)) found.push_back(s);
    }
    if (found.size() == 1) take(found[0], "the commit asked for");
    if (found.size() > 1) {
      out.remarks.push_back("the cache has " + std::to_string(found.size()) +
                            " commits that begin with " + prefix);
    }
  }

  void newest() {
    std::vector<std::pair<fs::file_time_type, fs::path>> dated;
    for (const fs::path& s : entries(repository / "snapshots")) {
      std::error_code error;
      if (is_folder(s)) dated.emplace_back(fs::last_write_time(s, error), s);
    }
    std::sort(dated.begin(), dated.end(), [](const auto& a, const auto& b) { return a > b; });
    const std::string how = dated.size() == 1
                                ? "the only snapshot"
                                : "the newest of " + std::to_string(dated.size()) + " snapshots";
    for (const auto& [time, snapshot] : dated) {
      if (take(snapshot, how + ", as there is no good refs/main")) return;
    }
  }

  void run(const HubId& id) {
    if (const std::string commit = commit_of_ref(id.revision_or_main()); !commit.empty()) {
      const fs::path snapshot = repository / "snapshots" / commit;
      if (is_folder(snapshot)) {
        if (take(snapshot, id.revision_or_main())) return;
      } else {
        out.remarks.push_back("the cached " + inside(repository / "refs" / id.revision_or_main()) +
                              " names commit " + short_commit(commit) + ", which is not there");
      }
    } else if (!id.revision.empty()) {
      if (looks_like_commit(id.revision)) by_commit(id.revision);
      if (out.snapshot.empty() && out.remarks.empty()) {
        out.remarks.push_back("the cache has " + id.name + ", but not revision " + id.revision);
      }
    }
    if (id.revision.empty() && out.snapshot.empty()) newest();
    if (out.snapshot.empty() && out.remarks.empty()) {
      out.remarks.push_back("the cached " + inside(repository) + " holds no snapshot");
    }
  }
};

}  // namespace

std::string hub_home(const Io& io) {
  if (std::string home = set_or_empty(io, "HF_HOME"); !home.empty()) return home;
  if (std::string cache = set_or_empty(io, "XDG_CACHE_HOME"); !cache.empty()) {
    return cache + "/huggingface";
  }
  const std::string home = set_or_empty(io, "HOME");
  return home.empty() ? "" : home + "/.cache/huggingface";
}

std::string hub_cache_folder(const Io& io) {
  for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}) {
    if (std::string folder = set_or_empty(io, name); !folder.empty()) return folder;
  }
  const std::string home = hub_home(io);
  return home.empty() ? "" : home + "/hub";
}

CachedModel find_cached(const HubId& id, const std::string& root) {
  CachedModel found{.name = id.name};
  if (root.empty() || !is_folder(root)) return found;
  const std::string wanted = cache_folder_name(id.name);
  fs::path repository = fs::path(root) / wanted;
  if (!is_folder(repository)) {
    for (const fs::path& other : entries(root)) {
      if (!same_but_case(other.filename().string(), wanted) || !is_folder(other)) continue;
      repository = other;
      const std::string name = other.filename().string().substr(8);
      found.name = name;
      if (const std::size_t dashes = id.name.find('/'); dashes != std::string::npos) {
        found.name = name.substr(0, dashes) + "/" + name.substr(dashes + 2);
      }
    }
    if (!is_folder(repository)) return found;
  }
  Search{repository, found}.run(id);
  return found;
}

}  // namespace rooflens::cli
