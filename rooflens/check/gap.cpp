#include "rooflens/check/gap.h"

#include <algorithm>

namespace rooflens {

Gap gap_of(const Phase& p, double measured_seconds) {
  Gap g;
  g.measured = measured_seconds;
  for (std::size_t i = 0; i < p.operators.size(); ++i) {
    const double seconds = p.operators[i].count * p.placed[i].seconds;
    switch (p.placed[i].bound) {
      case Bound::compute:
        g.compute += seconds;
        break;
      case Bound::vector:
        g.vector += seconds;
        break;
      default:
        g.memory += seconds;
    }
  }
  g.network = p.totals.network_seconds;
  // A pipeline stretches the sum; the parts keep their shares.
  const double sum = g.memory + g.compute + g.vector + g.network;
  const double stretch = sum > 0 ? p.totals.step_seconds / sum : 1;
  for (double* part : {&g.memory, &g.compute, &g.vector, &g.network}) *part *= stretch;
  const double rest = measured_seconds - p.totals.step_seconds;
  g.fixed = std::max(0.0, rest);
  g.overlapped = std::max(0.0, -rest);
  return g;
}

}  // namespace rooflens
