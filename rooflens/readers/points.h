// data/measurements/points.csv: one published measurement a row. docs/accuracy.md tells the
// columns.
#pragma once

#include <string_view>
#include <vector>

#include "rooflens/core/measured_point.h"
#include "rooflens/core/result.h"

namespace rooflens {

// `where` names the file in errors, which carry the line. Sizes that a row does not tell stay empty
// in its figure. A mixed rate becomes the decode rate over the clock of both phases.
[[nodiscard]] Result<std::vector<MeasuredPoint>> read_points(std::string_view text,
                                                             std::string where);

}  // namespace rooflens
