// Operators placed on the machine's roofline, and what a step costs. docs/model.md sections 7, 10.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "rooflens/core/operator.h"
#include "rooflens/core/scenario.h"

namespace rooflens {

// What limits. Steps and operators are bound by the first four; `capacity` is a configuration that
// does not fit; `fixed`, `queue` and `above_roof` only a measurement can show.
enum class Bound : std::uint8_t {
  memory, compute, vector, network, fixed, capacity, queue, above_roof,
};
[[nodiscard]] const char* name_of(Bound b);

// The numbers of a System that placing needs, taken out once (no strings, no allocation).
struct Ceilings {
  std::array<double, kComputes> peak{};          // FLOP/s, by Compute; 0 = none
  std::array<Compute, kElements> promoted{};     // by Element
  double vector_flops_per_s = 0;                 // 0 = vector work is not timed
  double bytes_per_s = 0;
  double launch_s = 0;
  struct Level {
    double ranks = 1;          // devices joined at this level
    double bytes_per_s = 0;    // one direction, per device; 0 = no such link
    double latency_s = 0;
    bool reduces = false;      // the switch adds: an all-reduce sends its payload once
  };
  std::array<Level, 4> levels{};                 // narrowest first
  int level_count = 0;
};

[[nodiscard]] Ceilings ceilings(const System& s, const Deployment& d);

struct Placed {
  double seconds = 0;    // of one of the `count` layers
  double bytes = 0;      // moved under the deployment's fusion
  double intensity = 0;  // FLOP per byte, matrix FLOPs only
  double attainable_flops_per_s = 0;
  double network_bytes = 0;  // sent by this rank in the collective after it, as rings
  Bound bound = Bound::memory;
};

// Per rank. `bytes` of the standard fusion, `ideal_bytes` of compulsory traffic only.
struct StepTotals {
  double tokens = 0;        // new tokens of the whole step, all ranks of one replica
  double flops = 0, vector_flops = 0;
  std::array<double, kComputes> flops_by{};
  double weight_bytes = 0, activation_bytes = 0, kv_read_bytes = 0, kv_write_bytes = 0;
  double state_bytes = 0, score_bytes = 0;
  double bytes = 0, ideal_bytes = 0;
  double network_bytes = 0;       // sent per rank, ring collectives
  double network_steps = 0;       // latency steps, ring collectives

  double peak_flops_per_s = 0;    // effective peak of this mixture of types
  double compute_seconds = 0;     // sum of FLOPs over their peaks
  double memory_seconds = 0;      // ideal bytes over bandwidth
  double traffic_seconds = 0;     // standard-fusion bytes over bandwidth
  double network_roof_seconds = 0;  // least volume over the slowest cut, no latency
  double network_seconds = 0;     // ring collectives with latency
  double roof_seconds = 0;        // max(compute, memory, network_roof): nothing is faster
  double operator_seconds = 0;    // one operator after another, each at its own roof
  double serial_seconds = 0;      // no overlap even inside an operator
  double step_seconds = 0;        // operators + network
  double intensity = 0, ridge = 0, fraction_of_ridge = 0;  // of ideal bytes
  double attainable_flops_per_s = 0;  // FLOPs over roof time: of memory, arithmetic and network
  Bound bound = Bound::memory;
};

// Lowers one forward pass into operators, in network order. Returns how many were written; when
// `out` is too small nothing past it is written and the count still needed is returned.
// Allocates nothing.
std::size_t lower(const Model& m, const Deployment& d, const Ceilings& c,
                  std::span<const Group> step, std::span<Operator> out);

// An upper bound of what lower() writes for this model.
[[nodiscard]] std::size_t operator_capacity(const Model& m);

// Places operators and sums them. `placed` has room for ops.size() results, or is empty when only
// the totals are wanted. Allocates nothing.
StepTotals place(const Deployment& d, const Ceilings& c,
                 std::span<const Group> step, std::span<const Operator> ops,
                 std::span<Placed> placed);

}  // namespace rooflens
