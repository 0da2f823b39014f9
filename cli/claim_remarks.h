// The words of a claim that are no figures: what they say of the machine, the model and the
// formats, held against the scenario.
#pragma once

#include <string>
#include <vector>

#include "rooflens/catalogue/catalogue.h"
#include "rooflens/core/scenario.h"

namespace rooflens::cli {

// Sentences for what contradicts the scenario or is not understood; `others` as in Claim. What
// agrees is not told.
[[nodiscard]] std::vector<std::string> claim_remarks(const std::vector<std::string>& others,
                                                     const Scenario& s, const Catalogue& c);

}  // namespace rooflens::cli
