// Making and changing JSON trees: what a reader knows under another name is put where the reader of
// config.json looks for it.
#pragma once

#include <string>

#include "rooflens/readers/json_value.h"

namespace rooflens {

[[nodiscard]] Json json_of(double value);
[[nodiscard]] Json json_of(bool value);
[[nodiscard]] Json json_of(std::string text);
[[nodiscard]] Json json_of(std::string_view text);
[[nodiscard]] Json json_of(const char* text);

// Puts a member into an object, in place of one of that name.
void set_member(Json& object, const std::string& key, Json value);

}  // namespace rooflens
