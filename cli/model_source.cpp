#include "cli/model_source.h"

#include "cli/hub_model.h"
#include "cli/model_stores.h"
#include "cli/weight_files.h"
#include "rooflens/core/quantity.h"
#include "rooflens/readers/builtin_models.h"
#include "rooflens/readers/hf_config.h"
#include "rooflens/readers/hf_pieces.h"
#include "rooflens/readers/json_text.h"
#include "rooflens/readers/safetensors_header.h"

namespace rooflens::cli {
namespace {

void take_notes(std::vector<std::string> notes, Model& model) {
  for (std::string& note : notes) model.warnings.push_back(std::move(note));
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Result<Model> load_folder(std::string path, const Io& io, const HfOptions& reading);

Result<Model> load_file(const std::string& path, const Io& io, const HfOptions& reading) {
  auto head = io.files->read(path, 16);
  if (!head) return Failure(std::move(head.error()));
  if (head->substr(0, 4) == "GGUF" || is_gguf_name(path)) return gguf_model(path, io, reading);
  const std::string folder = folder_of(path);
  if (is_safetensors_name(path) || looks_like_safetensors(*head, io.files->size(path))) {
    const std::string config = folder + "/config.json";
    if (io.files->kind(config) != FileKind::file) {
      return fail(ErrorCode::not_found,
                  "the weights are there, but not the config.json that says how they are used",
                  path, "put the model's config.json beside the file");
    }
    if (auto own = safetensors_file(path, io); !own) return Failure(std::move(own.error()));
    return load_folder(folder, io, reading);
  }
  auto texts = texts_beside(path, io);
  if (!texts) return Failure(std::move(texts.error()));
  const bool named = path == config_in(folder, io) || path == "config.json";
  Result<Model> model = named ? read_with_weights(*texts, path, folder, io, reading)
                              : read_model_texts(*texts, path, reading);
  if (model && model->name.empty()) model->name = path;
  return model;
}

Result<Model> load_folder(std::string path, const Io& io, const HfOptions& reading) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const std::string config = config_in(path, io);
  if (io.files->kind(config) == FileKind::file) return load_file(config, io, reading);
  const std::vector<std::string> models = gguf_models_of(path, io);
  if (models.size() == 1) return gguf_model(path + "/" + models[0], io, reading);
  if (models.size() > 1) {
    std::string names;
    for (std::size_t i = 0; i < models.size() && i < 8; ++i)
      names += (i > 0 ? ", " : "") + models[i];
    return fail(ErrorCode::ambiguous,
                "the folder holds " + std::to_string(models.size()) + " GGUF models", path,
                "name one of them: " + names + (models.size() > 8 ? " ..." : ""));
  }
  return fail(ErrorCode::not_found, "the folder has no config.json and no .gguf file", path,
              "give the folder of a Hugging Face model, a config.json or a .gguf file");
}

// Nothing in a hub id: a leading dot, slash or tilde, a file's ending, more than one slash.
bool looks_like_path(std::string_view text) {
  if (text.empty() || text.find('\\') != std::string_view::npos) return true;
  if (text[0] == '.' || text[0] == '/' || text[0] == '~' || text.back() == '/') return true;
  for (std::string_view tail : {".json", ".gguf", ".safetensors", ".bin", ".txt", ".pt"}) {
    if (text.ends_with(tail)) return true;
  }
  return text.find('/') != text.rfind('/');
}

Result<Model> load_as_named(const std::string& text, const Io& io, const ModelAccess& access) {
  switch (io.files->kind(text)) {
    case FileKind::file:
    case FileKind::other:  // a pipe, /dev/stdin
      return load_file(text, io, access.reading);
    case FileKind::folder:
      return load_folder(text, io, access.reading);
    case FileKind::none:
      break;
  }
  auto stored = find_stored(text, io);
  if (!stored) return Failure(std::move(stored.error()));
  if (!stored->path.empty()) {
    auto model = gguf_model(stored->path, io, access.reading);
    if (!model) return model;
    model->facts.insert(model->facts.begin(), {"read from", "", stored->source, stored->path});
    model->warnings.insert(model->warnings.begin(), stored->source + ", " + stored->path);
    return model;
  }
  const std::string name = text.substr(0, text.find('@'));
  const auto id = looks_like_path(name) ? std::nullopt : parse_hub_id(text);
  if (id) return load_hub_model(*id, access, io);
  if (looks_like_path(name)) {
    return fail(ErrorCode::not_found, "there is no file or folder " + rooflens::quoted(text), {},
                text.find("://") != std::string::npos
                    ? "give the repository alone, as org/name or org/name@revision"
                    : "give a config.json, its folder, or a name that `rooflens model` lists");
  }
  return builtin_model(text, access.reading);
}

}  // namespace

Result<ModelAccess> model_access(const Options& o) {
  if (o.endpoint && !o.online) {
    return fail(ErrorCode::invalid, "--endpoint is given without --online", o.endpoint->option,
                "add --online to allow the network");
  }
  ModelAccess access{o.online, o.endpoint ? o.endpoint->text : std::string(), {}};
  for (const Given& g : o.set) access.reading.set.push_back(g.text);
  if (o.assume && o.assume->text != "llama-like") {
    return fail(ErrorCode::invalid, rooflens::quoted(o.assume->text) + " cannot be assumed",
                o.assume->option, "llama-like is what there is");
  }
  access.reading.assume_llama_like = o.assume.has_value();
  return access;
}

std::string config_in(const std::string& folder, const Io& io) {
  const std::string config = folder + "/config.json", native = folder + "/params.json";
  const bool only_native =
      io.files->kind(config) == FileKind::none && io.files->kind(native) == FileKind::file;
  return only_native ? native : config;
}

Result<ModelTexts> texts_beside(const std::string& path, const Io& io) {
  auto text = io.files->read(path, kJsonBytes + 1);
  if (!text) return Failure(std::move(text.error()));
  ModelTexts texts{.config = std::move(*text)};
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  if (path.substr(folder.size()) != "config.json") return texts;
  const auto beside = [&](const char* name) {
    const std::string at = folder + name;
    if (io.files->kind(at) != FileKind::file) return std::string();
    return io.files->read(at, kJsonBytes + 1).value_or("");
  };
  texts.hf_quant_config = beside("hf_quant_config.json");
  texts.quantize_config = beside("quantize_config.json");
  if (texts.quantize_config.empty()) texts.quantize_config = beside("quant_config.json");
  texts.index = beside("model.safetensors.index.json");
  if (texts.index.empty()) texts.index = beside("pytorch_model.bin.index.json");
  return texts;
}

Result<Model> read_model_texts(const ModelTexts& texts, const std::string& where,
                               const HfOptions& reading) {
  // A changed model has not the size of the files that the index counts.
  const std::string_view index = reading.set.empty() ? std::string_view(texts.index) : "";
  return read_hf_config(texts.config, where, {texts.hf_quant_config, texts.quantize_config, index},
                        reading);
}

Result<Model> read_with_weights(const ModelTexts& texts, const std::string& where,
                                const std::string& folder, const Io& io, const HfOptions& reading) {
  const auto config_alone = [&](std::vector<std::string> notes) {
    auto model = read_model_texts(texts, where, reading);
    if (model) take_notes(std::move(notes), *model);
    return model;
  };
  const auto unused = [&](const Error& e) {
    return config_alone({"the weights are not used: " + e.message + " (" + e.where +
                         "); bytes follow from the config"});
  };
  auto weights = safetensors_of(folder, io);
  if (!weights) return unused(weights.error());
  if (weights->table.tensors.empty()) return config_alone(std::move(weights->notes));
  HfOptions as_stored = reading;
  as_stored.set.clear();
  ModelTexts no_index = texts;  // the tensors themselves are counted
  no_index.index.clear();
  auto model = read_model_texts(no_index, where, as_stored);
  if (!model) return model;
  take_notes(std::move(weights->notes), *model);
  const Model keys = reading.set.empty() ? Model{} : *model;
  auto bound = bind_safetensors(std::move(*model), weights->table, folder);
  if (!bound) return unused(bound.error());
  if (reading.set.empty()) return bound;
  auto changed = read_model_texts(no_index, where, reading);
  if (changed) take_formats(keys, *bound, reading.set, *changed);
  return changed;
}

Result<Model> load_model(const std::string& text, const Io& io, const ModelAccess& access) {
  auto model = load_as_named(text, io, access);
  if (!model) return model;
  model->changes = access.reading.set;
  constexpr std::string_view kAssumed = "every figure rests on an assumption";
  for (const std::string& w : model->warnings) {
    if (w.compare(0, kAssumed.size(), kAssumed) == 0)
      model->changes.push_back("llama-like assumed");
  }
  return model;
}

Result<Model> load_told_model(const std::string& name, const Io& io, const ModelAccess& access) {
  const bool path = !name.empty() && (name[0] == '/' || name[0] == '.');
  const FileKind kind = io.files->kind(name);
  if (kind == FileKind::other) {
    return fail(ErrorCode::invalid, "a device or pipe is named as the model", name);
  }
  if (!path || kind != FileKind::none) return load_model(name, io, access);
  std::string last = name;
  while (last.size() > 1 && last.back() == '/') last.pop_back();
  return load_model(last.substr(last.rfind('/') + 1), io, access);
}

}  // namespace rooflens::cli
