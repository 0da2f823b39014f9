#include "rooflens/core/place.h"

#include <algorithm>

#include "rooflens/core/collective.h"

namespace rooflens {

namespace {

// Devices that a collective's links must join. Neighbouring pipeline stages lie `tensor` devices
// apart: at best two stages share a group, at worst the message crosses the widest link.
struct Extent {
  double narrowest = 1, widest = 1;
};

Extent extent_of(const Operator& op, const Deployment& d) {
  const double ranks = ranks_of(op, d);
  if (op.collective != Collective::p2p) return {ranks, ranks};
  return {2.0 * d.tensor, static_cast<double>(d.tensor) * d.pipeline};
}

}  // namespace

Placed place_operator(const Operator& op, const Ceilings& c, double bytes) {
  const double peak = op.matrix ? c.peak[static_cast<std::size_t>(op.compute)] : 0;
  const double compute = op.flops > 0 ? op.flops / peak : 0;
  const double vector = c.vector_flops_per_s > 0 ? op.vector_flops / c.vector_flops_per_s : 0;
  const double memory = bytes / c.bytes_per_s;
  Placed p;
  p.bytes = bytes;
  p.seconds = memory;
  if (compute > p.seconds) {
    p.seconds = compute;
    p.bound = Bound::compute;
  }
  if (vector > p.seconds) {
    p.seconds = vector;
    p.bound = Bound::vector;
  }
  p.seconds += c.launch_s;
  p.intensity = bytes > 0 ? op.flops / bytes : 0;
  p.attainable_flops_per_s = std::min(peak, p.intensity * c.bytes_per_s);
  return p;
}

double ranks_of(const Operator& op, const Deployment& d) {
  switch (op.collective) {
    case Collective::none:
      return 1;
    case Collective::all_to_all:
      return d.expert;
    case Collective::p2p:
      return d.pipeline;
    default:
      return d.tensor;
  }
}

Position position_of(const StepTotals& t, const Ceilings& c, double bytes) {
  Position p;
  const double memory = bytes / c.bytes_per_s;
  p.intensity = bytes > 0 ? t.flops / bytes : 0;
  p.ridge = t.peak_flops_per_s / c.bytes_per_s;
  p.fraction_of_ridge = p.ridge > 0 ? p.intensity / p.ridge : 0;
  p.roof_seconds = memory;
  if (t.compute_seconds > p.roof_seconds) {
    p.roof_seconds = t.compute_seconds;
    p.bound = Bound::compute;
  }
  if (t.network_roof_seconds > p.roof_seconds) {
    p.roof_seconds = t.network_roof_seconds;
    p.bound = Bound::network;
  }
  p.attainable_flops_per_s = p.roof_seconds > 0 ? t.flops / p.roof_seconds : 0;
  return p;
}

StepTotals place(const Deployment& d, const Ceilings& c, std::span<const Group> step,
                 std::span<const Operator> ops, std::span<Placed> placed) {
  StepTotals t;
  for (const Group& g : step) t.tokens += g.sequences * g.tokens;
  t.tokens *= d.data;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const Operator& op = ops[i];
    const double n = op.count;
    const Placed p = place_operator(op, c, bytes_under(op, d.fusion));
    if (!placed.empty()) placed[i] = p;
    t.operator_seconds += n * p.seconds;
    if (op.matrix) {
      t.flops += n * op.flops;
      t.flops_by[static_cast<std::size_t>(op.compute)] += n * op.flops;
    }
    t.vector_flops += n * op.vector_flops;
    t.weight_bytes += n * op.weight_bytes;
    t.activation_bytes += n * (op.read_bytes + op.write_bytes);
    t.kv_read_bytes += n * op.kv_read_bytes;
    t.kv_write_bytes += n * op.kv_write_bytes;
    t.state_bytes += n * op.state_bytes;
    t.score_bytes += n * op.score_bytes;
    if (op.collective != Collective::none) {
      const double ranks = ranks_of(op, d);
      const Extent extent = extent_of(op, d);
      const CollectiveCost cost = collective_cost(op.collective, op.payload_bytes, ranks);
      if (!placed.empty()) placed[i].network_bytes = cost.bytes_per_rank;
      t.network_bytes += n * cost.bytes_per_rank;
      t.network_steps += n * cost.steps;
      t.network_seconds += n * ring_seconds(c, cost, extent.widest);
      t.network_roof_seconds += n * least_seconds(c, op.collective, op.payload_bytes,
                                                  extent.narrowest, op.experts, op.active);
    }
  }
  t.ideal_bytes = t.weight_bytes + t.kv_read_bytes + t.kv_write_bytes + t.state_bytes;
  t.bytes = t.ideal_bytes + t.activation_bytes + t.score_bytes;
  for (std::size_t i = 0; i < t.flops_by.size(); ++i) {
    if (t.flops_by[i] > 0) t.compute_seconds += t.flops_by[i] / c.peak[i];
  }
  t.peak_flops_per_s = t.compute_seconds > 0 ? t.flops / t.compute_seconds : 0;
  t.memory_seconds = t.ideal_bytes / c.bytes_per_s;
  t.traffic_seconds = t.bytes / c.bytes_per_s;
  t.step_seconds = t.operator_seconds + t.network_seconds;
  const Position p = position_of(t, c, t.ideal_bytes);
  t.intensity = p.intensity;
  t.ridge = p.ridge;
  t.fraction_of_ridge = p.fraction_of_ridge;
  t.attainable_flops_per_s = p.attainable_flops_per_s;
  t.roof_seconds = p.roof_seconds;
  t.bound = p.bound;
  t.serial_seconds =
      t.compute_seconds + (d.fusion == Fusion::ideal ? t.memory_seconds : t.traffic_seconds);
  return t;
}

Ceilings ceilings(const System& s, const Deployment& d) {
  const Device& v = s.device;
  Ceilings c;
  c.peak = v.peak;
  if (d.fp16_accumulate) {
    if (v.peak_fp16_acc16 > 0) c.peak[static_cast<std::size_t>(Compute::fp16)] = v.peak_fp16_acc16;
    if (v.peak_fp8_acc16 > 0) c.peak[static_cast<std::size_t>(Compute::fp8)] = v.peak_fp8_acc16;
  }
  for (int e = 0; e < kElements; ++e) {
    c.promoted[static_cast<std::size_t>(e)] = promote(v, static_cast<Element>(e));
  }
  c.vector_flops_per_s = v.vector_flops_per_s;
  c.bytes_per_s = v.bytes_per_s;
  c.launch_s = v.launch_s;
  for (const Link& link : v.links) {
    if (c.level_count == static_cast<int>(c.levels.size())) break;
    c.levels[static_cast<std::size_t>(c.level_count++)] = {
        static_cast<double>(link.size), link.bytes_per_s, link.latency_s, link.reduces};
  }
  return c;
}

}  // namespace rooflens
