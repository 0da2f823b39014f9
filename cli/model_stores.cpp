#include "cli/model_stores.h"

#include <algorithm>

#include "cli/hub_cache.h"
#include "cli/weight_files.h"
#include "rooflens/core/ascii.h"
#include "rooflens/readers/json_text.h"

namespace rooflens::cli {
namespace {

constexpr std::size_t kMostManifest = std::size_t{1} << 20;

std::string home(const Io& io) { return variable(io, "HOME"); }

bool plain_name(std::string_view part) {
  return !part.empty() && part != "." && part != ".." &&
         part.find_first_of("/\\") == std::string_view::npos &&
         part.find('\0') == std::string_view::npos;
}

// "user/model:tag" taken apart; a model of nobody's is the library's.
struct OllamaName {
  std::string space = "library", model, tag = "latest";
};
std::optional<OllamaName> ollama_name(std::string_view text) {
  OllamaName n;
  if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    n.tag = text.substr(colon + 1);
    text = text.substr(0, colon);
  }
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    n.space = text.substr(0, slash);
    text = text.substr(slash + 1);
  }
  n.model = text;
  if (!plain_name(n.space) || !plain_name(n.model) || !plain_name(n.tag)) return std::nullopt;
  return n;
}

// The folders Ollama may keep its models in.
std::vector<std::string> ollama_folders(const Io& io) {
  if (const std::string own = variable(io, "OLLAMA_MODELS"); !own.empty()) return {own};
  std::vector<std::string> folders;
  if (!home(io).empty()) folders.push_back(home(io) + "/.ollama/models");
  folders.emplace_back("/usr/share/ollama/.ollama/models");
  return folders;
}

// The blob of the model layer that a manifest names.
Result<std::string> blob_of(const std::string& manifest, const std::string& folder, const Io& io) {
  auto text = io.files->read(manifest, kMostManifest + 1);
  if (!text) return Failure(std::move(text.error()));
  auto json = parse_json(*text, manifest);
  if (!json) return Failure(std::move(json.error()));
  const Json* layers = json->root.get("layers");
  const std::vector<Json> none;
  for (const Json& layer : layers != nullptr ? layers->items : none) {
    const Json* type = layer.get("mediaType");
    const Json* digest = layer.get("digest");
    if (type == nullptr || digest == nullptr || !type->string.ends_with("image.model")) continue;
    std::string blob = digest->string;  // "sha256:..."
    std::replace(blob.begin(), blob.end(), ':', '-');
    if (!plain_name(blob)) break;
    std::string path = folder;
    path.append("/blobs/").append(blob);
    if (io.files->kind(path) == FileKind::file) return path;
    return fail(ErrorCode::not_found, "the manifest names a file that is not in the store", path,
                "pull the model again");
  }
  return fail(ErrorCode::malformed, "the manifest names no model file", manifest,
              "pull the model again");
}

Result<StoredModel> in_ollama(const std::string& text, const Io& io) {
  const auto name = ollama_name(text);
  if (!name) return StoredModel{};
  for (const std::string& folder : ollama_folders(io)) {
    const std::string manifests = folder + "/manifests";
    for (const std::string& host : io.files->list(manifests)) {
      std::string path = manifests;
      for (const std::string& part : {host, name->space, name->model, name->tag}) {
        path += '/';
        path += part;
      }
      if (io.files->kind(path) != FileKind::file) continue;
      auto blob = blob_of(path, folder, io);
      if (!blob) return Failure(std::move(blob.error()));
      return StoredModel{*blob, "Ollama's store, " + name->model + ":" + name->tag};
    }
  }
  return StoredModel{};
}

// "org/repo", "org/repo:Q4_K_M" or "org/repo/file.gguf".
struct RepositoryName {
  std::string org, repo, file, quant;
};
std::optional<RepositoryName> repository_name(std::string_view text) {
  RepositoryName n;
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  n.org = text.substr(0, slash);
  text = text.substr(slash + 1);
  if (const std::size_t second = text.find('/'); second != std::string_view::npos) {
    n.file = text.substr(second + 1);
    text = text.substr(0, second);
    if (!plain_name(n.file)) return std::nullopt;
  } else if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    n.quant = text.substr(colon + 1);
    text = text.substr(0, colon);
  }
  n.repo = text;
  if (!plain_name(n.org) || !plain_name(n.repo)) return std::nullopt;
  return n;
}

bool contains_without_case(std::string_view text, std::string_view part) {
  return lower(text).find(lower(part)) != std::string::npos;
}

// The file that is meant among those of a folder whose names begin with `prefix`.
Result<StoredModel> choose(const std::string& folder, const std::string& prefix,
                           const RepositoryName& name, const std::string& source, const Io& io) {
  std::vector<std::string> found;
  for (const std::string& file : gguf_models_of(folder, io)) {
    if (file.substr(0, prefix.size()) != prefix) continue;
    const std::string own = file.substr(prefix.size());
    if (!name.file.empty() && own != name.file) continue;
    if (!name.quant.empty() && !contains_without_case(own, name.quant)) continue;
    found.push_back(file);
  }
  if (found.empty()) return StoredModel{};
  if (found.size() > 1) {
    std::string names;
    for (const std::string& file : found) {
      names += (names.empty() ? "" : ", ") + file.substr(prefix.size());
    }
    return fail(
        ErrorCode::ambiguous,
        source + " has " + std::to_string(found.size()) + " files of " + name.org + "/" + name.repo,
        folder, "name one, as org/repo/file.gguf: " + names);
  }
  return StoredModel{folder + "/" + found[0], source + ", " + found[0].substr(prefix.size())};
}

Result<StoredModel> in_folders(const std::string& text, const Io& io) {
  const auto name = repository_name(text);
  if (!name) return StoredModel{};
  struct Place {
    std::string folder, prefix, source;
  };
  std::vector<Place> places;
  std::string cache = variable(io, "LLAMA_CACHE");
  if (cache.empty() && !variable(io, "XDG_CACHE_HOME").empty()) {
    cache = variable(io, "XDG_CACHE_HOME") + "/llama.cpp";
  }
  if (cache.empty() && !home(io).empty()) cache = home(io) + "/.cache/llama.cpp";
  if (!cache.empty()) {
    places.push_back({cache, name->org + "_" + name->repo + "_", "the cache of llama.cpp"});
  }
  if (!home(io).empty()) {
    for (const char* folder : {"/.lmstudio/models/", "/.cache/lm-studio/models/"}) {
      std::string path = home(io);
      path.append(folder).append(name->org).append("/").append(name->repo);
      places.push_back({std::move(path), "", "LM Studio's folder"});
    }
  }
  const std::string snapshots =
      hub_cache_folder(io) + "/models--" + name->org + "--" + name->repo + "/snapshots";
  for (const std::string& commit : io.files->list(snapshots)) {
    std::string path = snapshots;
    path.append("/").append(commit);
    places.push_back({std::move(path), "", "the local Hugging Face cache"});
  }
  for (const Place& p : places) {
    auto found = choose(p.folder, p.prefix, *name, p.source, io);
    if (!found || !found->path.empty()) return found;
  }
  return StoredModel{};
}

}  // namespace

Result<StoredModel> find_stored(const std::string& name, const Io& io) {
  auto found = in_folders(name, io);
  if (!found || !found->path.empty()) return found;
  return in_ollama(name, io);
}

}  // namespace rooflens::cli
