// The scenario a measured run was of, from what its file says and what the options say before it.
#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/options.h"
#include "cli/scenario_options.h"
#include "rooflens/core/measured_run.h"

namespace rooflens::cli {

struct RunScenario {
  std::vector<Case> cases;  // several where the device's name can mean several
  bool coarse = false;      // the model is known by its size alone
  std::string found;        // how model and device were found, for the reader
  std::string missing;      // when there is no case: what, and the option that gives it
};

// Model and device by --model and --on, else by the run's own words; ranks and cache formats the
// same. An error is of the options.
[[nodiscard]] Result<RunScenario> scenario_of_run(const Options& o, const MeasuredRun& run,
                                                  Context& c);

// Runs with equal keys were of one scenario.
[[nodiscard]] std::string scenario_key(const MeasuredRun& run);

}  // namespace rooflens::cli
