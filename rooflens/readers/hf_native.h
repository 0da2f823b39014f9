// Model files in their authors' own spelling, rewritten with the keys of a config.json.
#pragma once

#include <string>
#include <vector>

#include "rooflens/readers/json_value.h"

namespace rooflens {

// Meta's and Mistral's params.json, DeepSeek's inference config and gpt-oss's original config, all
// without model_type: adds model_type and the keys that are derived or implied. Anything else is
// left as it is. What was added is told in `notes`.
void adopt_native(Json& root, std::vector<std::string>& notes);

}  // namespace rooflens
