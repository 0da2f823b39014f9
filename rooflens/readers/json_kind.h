// Recognises bytes that are given where JSON is expected but are something else.
#pragma once

#include <optional>
#include <string_view>

#include "rooflens/core/result.h"

namespace rooflens {

// What is wrong with the bytes before parsing, or nothing. Looks at the first few kilobytes.
[[nodiscard]] std::optional<Error> not_json(std::string_view text, std::string_view where);

}  // namespace rooflens
