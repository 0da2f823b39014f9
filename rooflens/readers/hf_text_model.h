// Finds the language model in a config.json and says which family reads it.
#pragma once

#include <string>
#include <string_view>

#include "rooflens/core/result.h"
#include "rooflens/readers/hf_families.h"
#include "rooflens/readers/json_value.h"

namespace rooflens {

struct TextModel {
  const Json* text = nullptr;  // the object with the language model's keys
  const Family* family = nullptr;
  std::string_view extra_defaults;  // of the wrapper
  std::string architecture;         // model_type as written, or the architecture's name
  std::string warning;              // "" = nothing to say
  bool assumed = false;             // read as a llama because the user said so
};

// The object with the language model's keys: text_config and the like, else the file itself.
[[nodiscard]] Json* text_object(Json& root);

// `root` must outlive the result. With `assume_llama` what is not known or not modelled (but no
// draft, encoder or other file) is read as a llama, with a warning. Errors name the model_type or
// architecture and the reason: a draft head, an encoder, a family not modelled, a file that is no
// config at all.
[[nodiscard]] Result<TextModel> find_text_model(const Json& root, std::string_view where,
                                                bool assume_llama = false);

}  // namespace rooflens
