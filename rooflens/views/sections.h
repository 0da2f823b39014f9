// Sections that several reports are built of.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "rooflens/render/report.h"

namespace rooflens {

[[nodiscard]] inline Section values_section(std::string tag, std::string title) {
  return {.tag = std::move(tag), .title = std::move(title), .kind = SectionKind::values};
}

[[nodiscard]] inline Section prose_section(std::string tag, std::string title) {
  return {.tag = std::move(tag), .title = std::move(title), .kind = SectionKind::prose};
}

[[nodiscard]] inline Section table_section(std::string tag, std::string title,
                                           std::vector<Column> columns) {
  return {.tag = std::move(tag),
          .title = std::move(title),
          .kind = SectionKind::table,
          .columns = std::move(columns)};
}

// Lines that several figures share are said once.
inline void add_once(Section& s, std::string text, Severity severity = Severity::none) {
  const bool there =
      std::any_of(s.lines.begin(), s.lines.end(), [&](const Line& l) { return l.text == text; });
  if (!there) s.lines.push_back({std::move(text), severity});
}

[[nodiscard]] inline bool is_empty(const Section& s) {
  return s.kind == SectionKind::table    ? s.rows.empty()
         : s.kind == SectionKind::values ? s.values.empty()
                                         : s.lines.empty();
}

}  // namespace rooflens
