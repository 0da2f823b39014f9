#include "rooflens/check/two_memories.h"

#include <algorithm>

namespace rooflens {
namespace {

// HostShares of the bytes of a layer, and of its experts, that come from the host.
struct HostShares {
  double layers = 0, experts = 0;
};

double share_of(const Operator& op, const HostShares& s) {
  switch (op.group) {
    case OperatorGroup::head:
    case OperatorGroup::embedding:
      return s.layers >= 1 ? 1 : 0;
    case OperatorGroup::experts:
      return std::max(s.layers, s.experts);
    default:
      return s.layers;
  }
}

}  // namespace

std::optional<TwoMemories> two_memories(const Basis& b, const Observation& o) {
  const Scenario& s = b.analysis.scenario;
  TwoMemories t;
  t.layers = static_cast<double>(s.model.order.size()) / s.model.layers_per_block;
  const double given = s.deployment.layers_on_device;
  const double on_device = o.layers_on_device.value_or(given >= 0 ? given : t.layers);
  const double left = std::max(0.0, t.layers - on_device);
  const double experts = std::min(o.experts_on_host.value_or(0), t.layers);
  if (t.layers <= 0 || (left <= 0 && experts <= 0)) return std::nullopt;
  t.experts_only = left <= 0;
  t.host_layers = t.experts_only ? experts : left;
  const HostShares shares{left / t.layers, experts / t.layers};
  for (const Operator& op : b.analysis.decode.operators) {
    const double bytes = op.count * op.ideal_bytes(), share = share_of(op, shares);
    t.host_bytes += bytes * share;
    t.device_bytes += bytes * (1 - share);
  }
  if (s.system.host_bytes_per_s > 0) {
    t.seconds =
        t.device_bytes / b.analysis.ceilings.bytes_per_s + t.host_bytes / s.system.host_bytes_per_s;
  }
  return t;
}

}  // namespace rooflens
