// Sections that several reports are built of.
#pragma once

#include <string>
#include <utility>

#include "rooflens/render/report.h"

namespace rooflens {

[[nodiscard]] inline Section values_section(std::string tag, std::string title) {
  return {.tag = std::move(tag), .title = std::move(title), .kind = SectionKind::values};
}

}  // namespace rooflens
