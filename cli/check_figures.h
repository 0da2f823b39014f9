// Figures of claims and result files held against one scenario.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "cli/context.h"
#include "cli/options.h"
#include "cli/scenario_options.h"
#include "rooflens/core/observation.h"
#include "rooflens/render/json_writer.h"

namespace rooflens::cli {

// Diagnoses every run's figures together and prints the report, the chart and the JSON; `more` adds
// members to its results. What does not fit is told instead. The exit code is 1 then, and when a
// figure cannot be.
[[nodiscard]] int check_figures(std::span<const std::vector<Observation>> runs,
                                const Case& scenario, const Options& o, Context& c,
                                const std::function<void(JsonWriter&)>& more = {});

}  // namespace rooflens::cli
