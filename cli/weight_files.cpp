#include "cli/weight_files.h"

#include <algorithm>
#include <unordered_set>

#include "cli/hub_cache.h"
#include "rooflens/readers/gguf_model.h"
#include "rooflens/readers/safetensors_header.h"
#include "rooflens/readers/safetensors_index.h"

namespace rooflens::cli {
namespace {

constexpr std::size_t kFirstRead = std::size_t{1} << 16;

// Feeds a reader with more of the file until it has enough.
template <class T, class Reader>
Result<T> read_header(const std::string& path, const Io& io, Reader reader) {
  const std::uint64_t size = io.files->size(path);
  std::size_t want = kFirstRead;
  for (;;) {
    auto prefix = io.files->read(path, want);
    if (!prefix) return Failure(std::move(prefix.error()));
    Partial<T> partial = reader(*prefix, std::max<std::uint64_t>(size, prefix->size()), path);
    if (!partial) return Failure(std::move(partial.error()));
    if (auto* done = std::get_if<T>(&*partial)) return std::move(*done);
    const std::uint64_t more = std::get<NeedMore>(*partial).bytes;
    if (more <= prefix->size() || prefix->size() < want) {
      return fail(ErrorCode::malformed, "the file ended while it was read", path,
                  "it is being written, or is damaged; try again");
    }
    want = static_cast<std::size_t>(more);
  }
}

// The tensors of several files; names that are there twice are counted once.
class Gathering {
 public:
  explicit Gathering(const Io& io) : io_(io) {}

  Result<void> add(const std::string& folder, const std::string& file, bool only_new) {
    auto tensors = safetensors_file(folder + file, io_);
    if (!tensors) return Failure(std::move(tensors.error()));
    std::size_t known = 0;
    for (const Tensor& t : tensors->tensors) known += names_.count(t.name);
    if (known == tensors->tensors.size() && known > 0) {
      out_.notes.push_back(file + " holds the same tensors as the other files; counted once");
      return {};
    }
    if (only_new && known > 0) {
      out_.notes.push_back(file + " is not used: the index does not name it");
      return {};
    }
    if (known > 0) {
      out_.notes.push_back(file + ": " + std::to_string(known) +
                           " of its tensors are in other files too; counted once");
    }
    if (only_new) out_.notes.push_back(file + " is counted too: the index does not name it");
    const auto number = static_cast<std::uint16_t>(out_.table.files.size());
    out_.table.files.push_back(file);
    for (Tensor& t : tensors->tensors) {
      if (!names_.insert(t.name).second) continue;
      t.file = number;
      out_.table.tensors.push_back(std::move(t));
    }
    if (out_.table.tensors.size() > kMaxTensors) {
      return fail(ErrorCode::out_of_range,
                  "more than " + std::to_string(kMaxTensors) + " tensors in all", folder,
                  "no model needs this; check where the files come from");
    }
    return {};
  }

  FolderWeights take() { return std::move(out_); }

 private:
  const Io& io_;
  FolderWeights out_;
  std::unordered_set<std::string> names_;
};

bool is_other_weights(const std::string& name) {
  return name.substr(0, 8) == "adapter_" || name.substr(0, 12) == "consolidated";
}

}  // namespace

bool is_gguf_name(std::string_view path) { return path.ends_with(".gguf"); }
bool is_safetensors_name(std::string_view path) { return path.ends_with(".safetensors"); }

Result<GgufHeader> gguf_file(const std::string& path, const Io& io) {
  return read_header<GgufHeader>(path, io, read_gguf_header);
}

Result<Model> gguf_model(const std::string& path, const Io& io, const HfOptions& reading) {
  std::vector<std::string> files = split_names(path);
  if (files.empty()) files.push_back(path);
  std::vector<GgufHeader> parts;
  for (const std::string& file : files) {
    if (io.files->kind(file) == FileKind::none) {
      return fail(ErrorCode::not_found, "a part of the split model is missing", file,
                  "all " + std::to_string(files.size()) + " parts must lie beside each other");
    }
    auto header = gguf_file(file, io);
    if (!header) return Failure(std::move(header.error()));
    parts.push_back(std::move(*header));
  }
  return read_gguf_model(std::move(parts), path, reading);
}

std::vector<std::string> gguf_models_of(const std::string& folder, const Io& io) {
  std::vector<std::string> found;
  for (const std::string& name : io.files->list(folder)) {
    if (!is_gguf_name(name) || name.find("mmproj") != std::string::npos) continue;
    const std::vector<std::string> parts = split_names(name);
    if (!parts.empty() && parts.front() != name) continue;
    found.push_back(name);
  }
  return found;
}

Result<TensorTable> safetensors_file(const std::string& path, const Io& io) {
  auto tensors = read_header<std::vector<Tensor>>(path, io, read_safetensors_header);
  if (!tensors) return Failure(std::move(tensors.error()));
  TensorTable table;
  table.tensors = std::move(*tensors);
  table.files.push_back(path.substr(path.rfind('/') + 1));
  return table;
}

Result<FolderWeights> safetensors_of(const std::string& folder, const Io& io) {
  std::vector<std::string> here;
  for (const std::string& name : io.files->list(folder)) {
    if (is_safetensors_name(name)) here.push_back(name);
  }
  FolderWeights none;
  if (here.empty()) return none;
  const std::string base = folder + "/", index_path = base + "model.safetensors.index.json";
  std::vector<std::string> named;
  double total = 0;
  if (io.files->kind(index_path) == FileKind::file) {
    auto text = io.files->read(index_path, kIndexBytes + 1);
    if (!text) return Failure(std::move(text.error()));
    auto index = read_safetensors_index(*text, index_path);
    if (!index) {
      none.notes.push_back("the index is not used: " + index.error().message);
    } else {
      named = index->files;
      total = index->total_size;
    }
  }
  std::size_t missing = 0;
  for (const std::string& name : named) {
    if (!std::binary_search(here.begin(), here.end(), name)) ++missing;
  }
  if (missing > 0) {
    none.notes.push_back(std::to_string(missing) + " of " + std::to_string(named.size()) +
                         " weight files are not here: bytes follow from the config");
    return none;
  }
  Gathering gathering(io);
  for (const std::string& name : named) {
    if (auto r = gathering.add(base, name, false); !r) return Failure(std::move(r.error()));
  }
  const bool twins = std::any_of(here.begin(), here.end(),
                                 [](const std::string& name) { return !is_other_weights(name); });
  const std::unordered_set<std::string> in_index(named.begin(), named.end());
  for (const std::string& name : here) {
    if (in_index.count(name) != 0) continue;
    if (is_other_weights(name) && twins) {
      none.notes.push_back(name + " is not used: it is another form of the same weights");
      continue;
    }
    if (auto r = gathering.add(base, name, !named.empty()); !r)
      return Failure(std::move(r.error()));
  }
  FolderWeights out = gathering.take();
  out.notes.insert(out.notes.begin(), none.notes.begin(), none.notes.end());
  double sum = 0;
  for (const Tensor& t : out.table.tensors) sum += t.bytes;
  if (total > 0 && total != sum) {
    out.notes.push_back("the index says " + std::to_string(static_cast<long long>(total)) +
                        " bytes of tensors, the files hold " +
                        std::to_string(static_cast<long long>(sum)));
  }
  return out;
}

}  // namespace rooflens::cli
