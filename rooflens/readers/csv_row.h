// One row of comma-separated values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rooflens {

// Its values, blanks off; within `quote` a comma is text and two quotes are one. None when there
// are more than 1,024.
[[nodiscard]] std::vector<std::string> separated(std::string_view line, char quote);

}  // namespace rooflens
