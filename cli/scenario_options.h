// Options -> scenarios: the model and machine resolved, lists multiplied out, everything validated.
#pragma once

#include <vector>

#include "cli/context.h"
#include "cli/options.h"
#include "rooflens/catalogue/catalogue.h"
#include "rooflens/core/efficiency.h"
#include "rooflens/core/scenario.h"

namespace rooflens::cli {

struct Case {
  Scenario scenario;
  Efficiency efficiency;
};

// At least one case; with lists (--on, --gpus, --tp, --prompt, --context, --batch, the last varying
// fastest) one for each combination. Combinations that cannot be are left out with a warning, as
// long as one remains: then `several` still holds.
struct Cases {
  std::vector<Case> all;
  bool several = false;  // a list, a range, several models or devices were asked for
};
[[nodiscard]] Result<Cases> cases_of(const Options& o, Context& c);

// The one scenario of the options; a list of them is an error.
[[nodiscard]] Result<Case> case_of(const Options& o, Context& c);

// The same for a model and a machine that are known; --model, --on and the words are not asked.
[[nodiscard]] Result<Case> case_with(const Options& o, Context& c, const Model& model,
                                     const Machine& machine);

// Shares like "0.8", "memory=0.8..0.9,compute=0.7", "fixed=100us" put on a prior.
[[nodiscard]] Result<Efficiency> parse_efficiency(std::string_view text, Efficiency prior);

}  // namespace rooflens::cli
