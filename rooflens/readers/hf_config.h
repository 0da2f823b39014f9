// Reads a Hugging Face config.json into a Model. Start here for the reader of model files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooflens/core/model.h"
#include "rooflens/core/result.h"
#include "rooflens/readers/json_text.h"

namespace rooflens {

// Texts of the files beside config.json, empty when there is none.
struct HfSideFiles {
  std::string_view hf_quant_config;  // hf_quant_config.json (modelopt)
  std::string_view quantize_config;  // quantize_config.json (GPTQ), quant_config.json (AWQ)
  std::string_view index;            // model.safetensors.index.json: its total size is compared
};

struct HfOptions {
  bool assume_llama_like = false;  // what is not known is read as a llama, with a warning
  std::vector<std::string> set;    // "key=value", put into the file before it is read
};

// The model a config.json describes: equal layers told once (mixer, feed-forward, norms and storage
// equal) with their order, every matrix's storage, the quantisation's input and cache type, vision
// and prediction parts as extras, every value's key and origin in `facts`.
//
// Errors: malformed (not JSON, a value of the wrong type), invalid (missing sizes, sizes that
// cannot be), unsupported (a family, a key or a quantisation that is not modelled: named, never
// read as something else). `where` of an error is "<where>: key".
// A params.json (Meta, Mistral), DeepSeek's inference config and gpt-oss's original config are read
// as well. Pure; O(size + layers).
[[nodiscard]] Result<Model> read_hf_config(std::string_view text, std::string_view where,
                                           const HfSideFiles& side = {},
                                           const HfOptions& options = {});

// The same from a tree that is there already: the keys of another kind of file under the names of a
// config.json.
[[nodiscard]] Result<Model> read_config_tree(JsonDocument document, std::string_view where,
                                             const HfSideFiles& side, const HfOptions& options);

}  // namespace rooflens
