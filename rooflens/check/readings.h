// Every honest way to understand one figure.
#pragma once

#include <vector>

#include "rooflens/check/diagnose.h"
#include "rooflens/check/hold.h"

namespace rooflens {

// At or below what the machine can do, at the maximum clock and for the best overlap, allowing for
// rounding.
[[nodiscard]] bool possible(const Held& h);

// The first is the figure as told, or - where it does not tell - all sequences together and this
// phase alone. More follow only where the figure leaves them open.
[[nodiscard]] std::vector<Reading> readings_of(const Basis& b, const Observation& o);

// The reading that a prefill and a decode rate share one wall clock.
[[nodiscard]] Reading shared_clock(double prefill_fraction, double decode_fraction, double ratio,
                                   double prompt_per_output, double tokens_per_s);

}  // namespace rooflens
