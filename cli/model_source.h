// Where a model comes from: a config.json, the folder of one, or a name.
#pragma once

#include <string>

#include "cli/io.h"
#include "cli/options.h"
#include "rooflens/core/model.h"
#include "rooflens/readers/hf_config.h"

namespace rooflens::cli {

// How far the user lets us go for a model, and what is to be changed in its config.
struct ModelAccess {
  bool online = false;   // the network may be used for what is not on this machine
  std::string endpoint;  // of the hub to ask; "" = HF_ENDPOINT
  HfOptions reading;     // --set, --assume
};
[[nodiscard]] Result<ModelAccess> model_access(const Options& o);

// Reads the model that `text` names. A file or folder of that name goes before a GGUF file that
// another program keeps under this name (model_stores.h), a name of the local hub cache, a built-in
// row and a hub (hub_model.h); weight files (GGUF, .safetensors) decide the bytes;
// hf_quant_config.json, quantize_config.json (quant_config.json) and the weight index beside a
// config.json are read with it. Errors tell a missing file, a folder without config.json, a file of
// another kind and an unknown name apart. What was set or assumed is in Model::changes.
[[nodiscard]] Result<Model> load_model(const std::string& text, const Io& io,
                                       const ModelAccess& access = {});

// The model that a log or a result file names: as load_model(); of a path that is not on this
// machine its last part. A device or a pipe is refused: what a file says does not make us wait.
[[nodiscard]] Result<Model> load_told_model(const std::string& name, const Io& io,
                                            const ModelAccess& access);

// A config.json and what lies beside it; "" = no such file.
struct ModelTexts {
  std::string config, hf_quant_config, quantize_config, index;
};
// The config.json of a folder, or its params.json when that alone is there (Meta's and Mistral's
// own files).
[[nodiscard]] std::string config_in(const std::string& folder, const Io& io);

// Reads them from the disk. The side files are looked for only when the path ends in config.json.
[[nodiscard]] Result<ModelTexts> texts_beside(const std::string& path, const Io& io);
// The config with the .safetensors files of `folder` bound to it; without them, and a warning that
// says why, when they are not all there, cannot be read or are of another model.
[[nodiscard]] Result<Model> read_with_weights(const ModelTexts& texts, const std::string& where,
                                              const std::string& folder, const Io& io,
                                              const HfOptions& reading);
[[nodiscard]] Result<Model> read_model_texts(const ModelTexts& texts, const std::string& where,
                                             const HfOptions& reading);

}  // namespace rooflens::cli
