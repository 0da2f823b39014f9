// The efficiency of a run: what was fitted on published measurements, else the prior.
#pragma once

#include <string_view>
#include <vector>

#include "rooflens/core/device.h"
#include "rooflens/core/fitted_efficiency.h"
#include "rooflens/core/result.h"

namespace rooflens {

// Devices of one memory type and maker; CPUs, whoever made them, apart; Apple's apart.
[[nodiscard]] DeviceClass device_class(const Device& d);

// data/efficiency_fitted.csv, which `rooflens validate --fit` writes.
[[nodiscard]] Result<std::vector<FittedEfficiency>> parse_fitted(std::string_view csv,
                                                                 std::string where);

// The built-in rows.
[[nodiscard]] const std::vector<FittedEfficiency>& built_in_fitted();

// The efficiency of this device, as served: the finest fitted row that covers it; ranges without
// one are the prior's. `origin` is "fitted (GDDR6X, NVIDIA)", or tells the two parts apart.
[[nodiscard]] Efficiency efficiency_for(const Device& d, const ServedClass& served = {});

}  // namespace rooflens
