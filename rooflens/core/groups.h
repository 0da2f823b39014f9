// Operators of a phase taken together: FC layers, experts, attention, state, head. What the chart
// draws and the default table shows. docs/model.md section 7.
#pragma once

#include "rooflens/core/analyze.h"

namespace rooflens {

struct GroupTotals {
  OperatorGroup group = OperatorGroup::other;
  double operators = 0;             // how many run, all layers
  double flops = 0, vector_flops = 0;
  double bytes = 0;                 // standard fusion, or ideal when the deployment says so
  double seconds = 0;               // one after another
  double share = 0;                 // of the phase's operator time
  double intensity = 0;             // FLOP/byte; of vector work when there is no matrix work
  bool vector_only = false;
  double peak_flops_per_s = 0;      // effective ceiling of its mixture of types
  double attainable_flops_per_s = 0;
  double ridge = 0, fraction_of_ridge = 0;
  Bound bound = Bound::memory;      // of the operators that take most of its time
};

[[nodiscard]] GroupTotals group_totals(const Phase& p, const Ceilings& c, Fusion f,
                                       OperatorGroup g);

// Share of the phase's step time by what limits the operators; network apart. Sums to 1.
struct BoundShares {
  double memory = 0, compute = 0, vector = 0, network = 0;
  [[nodiscard]] Bound largest() const;
};
[[nodiscard]] BoundShares bound_shares(const Phase& p);

}  // namespace rooflens
