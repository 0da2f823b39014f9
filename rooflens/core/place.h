// One operator or one step against the ceilings. docs/model.md section 7.
#pragma once

#include "rooflens/core/analysis.h"

namespace rooflens {

// Where a step sits when it moves `bytes`.
struct Position {
  double intensity = 0;               // FLOP per byte
  double ridge = 0;                   // effective peak of the step's mixture of types / bandwidth
  double fraction_of_ridge = 0;       // x axis; not a utilisation
  double attainable_flops_per_s = 0;  // FLOPs / roof_seconds: min(peak, intensity * bandwidth),
                                      // or what the network lets through
  double roof_seconds = 0;            // max(compute, memory, network): perfect overlap
  Bound bound = Bound::memory;
};
[[nodiscard]] Position position_of(const StepTotals& t, const Ceilings& c, double bytes);

// One operator that moves `bytes`, without its collective.
[[nodiscard]] Placed place_operator(const Operator& op, const Ceilings& c, double bytes);

// Bytes an operator moves under a fusion mode.
[[nodiscard]] inline double bytes_under(const Operator& op, Fusion f) {
  return f == Fusion::ideal ? op.ideal_bytes() : op.bytes();
}

// Ranks that take part in an operator's collective.
[[nodiscard]] double ranks_of(const Operator& op, const Deployment& d);

}  // namespace rooflens
