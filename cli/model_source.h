// Where a model comes from: a config.json, the folder of one, or a built-in name.
#pragma once

#include <string>

#include "cli/io.h"
#include "rooflens/core/model.h"

namespace rooflens::cli {

// Reads the model that `text` names. A file or folder of that name goes before a built-in name;
// hf_quant_config.json, quantize_config.json (quant_config.json) and the weight index beside a
// config.json are read with it. Errors tell a missing file, a folder without config.json, a file of
// another kind and an unknown name apart.
[[nodiscard]] Result<Model> load_model(const std::string& text, const Io& io);

}  // namespace rooflens::cli
