#include "cli/model_source.h"

#include "cli/hub_model.h"
#include "rooflens/core/quantity.h"
#include "rooflens/readers/builtin_models.h"
#include "rooflens/readers/hf_config.h"
#include "rooflens/readers/json_text.h"

namespace rooflens::cli {
namespace {

bool ends_with(std::string_view s, std::string_view tail) {
  return s.size() >= tail.size() && s.substr(s.size() - tail.size()) == tail;
}

// What is in a file by its first bytes or its name, when it is not JSON we read.
Result<void> refuse_other_kinds(const std::string& path, std::string_view head) {
  const bool gguf = head.substr(0, 4) == "GGUF" || ends_with(path, ".gguf");
  if (gguf) {
    return fail(ErrorCode::unsupported, "GGUF files are not supported yet", path,
                "give the model's config.json (or its name) and the format, as in --weights q4_k");
  }
  const bool tensors = ends_with(path, ".safetensors") ||
                       (head.size() >= 9 && head[8] == '{' && head[5] == 0 && head[6] == 0);
  if (tensors) {
    return fail(ErrorCode::unsupported, "safetensors files are not supported yet", path,
                "give the config.json that lies beside it, or its folder");
  }
  return {};
}

Result<Model> load_file(const std::string& path, const Io& io, const HfOptions& reading) {
  auto texts = texts_beside(path, io);
  if (!texts) return Failure(std::move(texts.error()));
  Result<Model> model = read_model_texts(*texts, path, reading);
  if (model && model->name.empty()) model->name = path;
  return model;
}

Result<Model> load_folder(std::string path, const Io& io, const HfOptions& reading) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const std::string config = config_in(path, io);
  if (io.files->kind(config) == FileKind::file) return load_file(config, io, reading);
  return fail(ErrorCode::not_found, "the folder has no config.json", path,
              "give the folder of a Hugging Face model, or a config.json");
}

// Nothing in a hub id: a leading dot, slash or tilde, a file's ending, more than one slash.
bool looks_like_path(std::string_view text) {
  if (text.empty() || text.find('\\') != std::string_view::npos) return true;
  if (text[0] == '.' || text[0] == '/' || text[0] == '~' || text.back() == '/') return true;
  for (std::string_view tail : {".json", ".gguf", ".safetensors", ".bin", ".txt", ".pt"}) {
    if (ends_with(text, tail)) return true;
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
  auto head = io.files->read(path, 16);
  if (!head) return Failure(std::move(head.error()));
  if (auto r = refuse_other_kinds(path, *head); !r) return Failure(std::move(r.error()));
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

}  // namespace rooflens::cli
