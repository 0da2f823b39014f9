#include "rooflens/readers/csv_row.h"

#include "rooflens/core/ascii.h"

namespace rooflens {

std::vector<std::string> separated(std::string_view line, char quote) {
  constexpr std::size_t kMostValues = 1024;
  std::vector<std::string> values;
  values.reserve(48);
  std::string value;
  bool within = false;
  line = trim(line);
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == quote) {
      const bool twice = within && i + 1 < line.size() && line[i + 1] == quote;
      if (twice) value += line[++i];
      if (!twice) within = !within;
    } else if (c == ',' && !within) {
      values.emplace_back(trim(value));
      value.clear();
      if (values.size() >= kMostValues) return {};
    } else {
      value += c;
    }
  }
  values.emplace_back(trim(value));
  return values;
}

}  // namespace rooflens
