// A figure of whole requests above the roof of both phases.
#pragma once

#include <vector>

#include "rooflens/check/diagnose.h"
#include "rooflens/check/hold.h"

namespace rooflens {

// As causes_above_roof, for figures that cover prefill and decode.
[[nodiscard]] std::vector<Cause> causes_of_requests(const Basis& b, const Held& h);

}  // namespace rooflens
