// What-if on a config: keys set by the user before it is read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooflens/core/result.h"
#include "rooflens/readers/json_value.h"

namespace rooflens {

// Sets each "key=value" in the language model's keys (text_config and the like when the file has
// one), "a.b=value" in the object a. Values are JSON; a bare word is a string. Errors: malformed
// (no "=", no key), invalid (a key that neither the file nor any family knows; the hint names the
// nearest). `where` of an error is "set: key".
[[nodiscard]] Result<void> apply_overrides(Json& root, const std::vector<std::string>& set);

// The names `apply_overrides` would set, without their values.
[[nodiscard]] std::vector<std::string> override_keys(const std::vector<std::string>& set);

}  // namespace rooflens
