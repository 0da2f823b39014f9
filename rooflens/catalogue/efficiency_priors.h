// What of a ceiling is usually reached, before anything is fitted or measured here.
#pragma once

#include <string_view>

#include "rooflens/core/csv.h"
#include "rooflens/core/device.h"
#include "rooflens/core/efficiency.h"
#include "rooflens/core/result.h"

namespace rooflens {

// How the tables of efficiencies name a device's memory: "GDDR6X", "LPDDR"; "unified" for Apple's;
// "unknown" when they have no row for it.
[[nodiscard]] std::string_view memory_family(const Device& d);

// The columns `name`_low, _mid and _high of the current row, times 10^shift. False when one is no
// number from 0 up, or they are not in order.
[[nodiscard]] bool read_range(const CsvTable& t, const char* name, int shift, Range& out);

// The prior for a device, chosen by its memory type and then by its maker or kind
// (data/efficiency.csv; docs/data.md gives the reasons). In every Range low <= mid <= high as
// numbers: for shares low is the pessimist, for launch_s and fixed_s high is. `origin` is
// "prior (HBM3)"; "prior (unknown memory)" when the type is not in the table.
[[nodiscard]] Efficiency prior_for(const Device& d);

// As prior_for, from another table's text.
[[nodiscard]] Result<Efficiency> prior_from(std::string_view efficiency_csv, const Device& d);

}  // namespace rooflens
