// Published measurements against their roofs, as every face shows them. docs/accuracy.md.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooflens/check/validation.h"
#include "rooflens/render/json_writer.h"
#include "rooflens/render/report.h"

namespace rooflens {

// Bars, figures per class, the points above their roof, those that must be rejected and the
// speculative ones, and why points are not held.
[[nodiscard]] Report validation_report(const Validation& v, std::span<const JudgedPoint> all);

// One row a point, table "points"; for CSV.
[[nodiscard]] Report points_report(std::span<const JudgedPoint> all);

// The value of `results` in the JSON contract of `validate`.
void validation_json(const Validation& v, std::span<const JudgedPoint> all, JsonWriter& j);

// data/efficiency_fitted.csv: four digits, microseconds; each row with its origin.
[[nodiscard]] std::string fitted_csv(std::span<const FittedEfficiency> rows);

}  // namespace rooflens
