// What of a ceiling is usually reached, before anything is fitted or measured here.
#pragma once

#include <string_view>

#include "rooflens/core/efficiency.h"
#include "rooflens/core/result.h"

namespace rooflens {

// The prior for a device, chosen by its memory type and then by its maker or kind
// (data/efficiency.csv; docs/data.md gives the reasons). In every Range low <= mid <= high as
// numbers: for shares low is the pessimist, for launch_s and fixed_s high is. `origin` is
// "prior (HBM3)"; "prior (unknown memory)" when the type is not in the table.
[[nodiscard]] Efficiency prior_for(const Device& d);

// As prior_for, from another table's text.
[[nodiscard]] Result<Efficiency> prior_from(std::string_view efficiency_csv, const Device& d);

}  // namespace rooflens
