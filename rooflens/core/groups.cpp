#include "rooflens/core/groups.h"

#include <algorithm>

#include "rooflens/core/place.h"

namespace rooflens {

Bound BoundShares::largest() const {
  const double most = std::max({memory, compute, vector, network});
  if (most == network && network > 0) return Bound::network;
  if (most == compute) return Bound::compute;
  return most == vector ? Bound::vector : Bound::memory;
}

GroupTotals group_totals(const Phase& p, const Ceilings& c, Fusion f, OperatorGroup g) {
  GroupTotals t;
  t.group = g;
  BoundShares by;
  double compute_s = 0;
  for (std::size_t i = 0; i < p.operators.size(); ++i) {
    const Operator& op = p.operators[i];
    if (op.group != g) continue;
    const double seconds = op.count * p.placed[i].seconds;
    t.operators += op.count;
    t.flops += op.count * op.flops;
    t.vector_flops += op.count * op.vector_flops;
    t.bytes += op.count * bytes_under(op, f);
    t.seconds += seconds;
    if (op.flops > 0) {
      compute_s += op.count * op.flops / c.peak[static_cast<std::size_t>(op.compute)];
    }
    const Bound b = p.placed[i].bound;
    (b == Bound::compute ? by.compute : b == Bound::vector ? by.vector : by.memory) += seconds;
  }
  if (t.bytes <= 0) return t;
  t.vector_only = t.flops <= 0;
  t.peak_flops_per_s = t.vector_only ? c.vector_flops_per_s : t.flops / compute_s;
  t.intensity = (t.vector_only ? t.vector_flops : t.flops) / t.bytes;
  t.attainable_flops_per_s = t.peak_flops_per_s > 0
                                 ? std::min(t.peak_flops_per_s, t.intensity * c.bytes_per_s)
                                 : t.intensity * c.bytes_per_s;
  t.ridge = t.peak_flops_per_s / c.bytes_per_s;
  t.fraction_of_ridge = t.ridge > 0 ? t.intensity / t.ridge : 0;
  t.share = p.totals.operator_seconds > 0 ? t.seconds / p.totals.operator_seconds : 0;
  t.bound = by.largest();
  return t;
}

BoundShares bound_shares(const Phase& p) {
  BoundShares by;
  for (std::size_t i = 0; i < p.operators.size(); ++i) {
    const double seconds = p.operators[i].count * p.placed[i].seconds;
    const Bound b = p.placed[i].bound;
    (b == Bound::compute ? by.compute : b == Bound::vector ? by.vector : by.memory) += seconds;
  }
  by.network = p.totals.network_seconds;
  const double all = by.memory + by.compute + by.vector + by.network;
  if (all > 0) {
    for (double* s : {&by.memory, &by.compute, &by.vector, &by.network}) *s /= all;
  }
  return by;
}

}  // namespace rooflens
