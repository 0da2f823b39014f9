// A figure above its roof: the causes people met, tried one by one.
#pragma once

#include <vector>

#include "rooflens/check/diagnose.h"
#include "rooflens/check/hold.h"

namespace rooflens {

// Causes that could bring `h` under the roof, those that do so with the least said first, and
// those that were tried and do not. `o` is the observation as `phase` and `counting` read it.
[[nodiscard]] std::vector<Cause> causes_above_roof(const Basis& b, const Observation& o,
                                                   MeasuredPhase phase, Counting counting,
                                                   const Held& h);

// All that a step must move lies in the device's last-level cache, so that its memory bandwidth is
// no bound.
[[nodiscard]] bool fits_last_level_cache(const Basis& b, const Phase& p);

// What the machine would need per device so that this rate were its roof.
[[nodiscard]] Needs needs_of(const Basis& b, const Phase& p, double tokens_per_s);

}  // namespace rooflens
