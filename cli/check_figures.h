// Figures of claims and result files held against one scenario.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/options.h"
#include "cli/scenario_options.h"
#include "rooflens/core/observation.h"
#include "rooflens/render/json_writer.h"
#include "rooflens/render/report.h"

namespace rooflens::cli {

// What a caller adds to the answer.
struct MoreFigures {
  std::vector<std::string> labels;        // one a run: what they are of; empty = all of one
  std::vector<Section> sections;          // before those of the report
  std::function<void(JsonWriter&)> json;  // members of the results
};

// Diagnoses every run's figures together and prints the report, the chart and the JSON. What does
// not fit is told instead. The exit code is 1 then, and when a figure cannot be.
[[nodiscard]] int check_figures(std::span<const std::vector<Observation>> runs,
                                const Case& scenario, const Options& o, Context& c,
                                const MoreFigures& more = {});

}  // namespace rooflens::cli
