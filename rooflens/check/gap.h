// Where the time of a measured step went.
#pragma once

#include "rooflens/core/analyze.h"

namespace rooflens {

// Seconds of one step (prefill: of the whole prompt). The first four are each operator at its own
// roof, by what binds it; `network` the collectives as rings. `fixed` is what remains: launches,
// host, scheduler, kernels below their roof, queueing. It is 0 when the step was faster than one
// operator after another; then `overlapped` says by how much.
struct Gap {
  double measured = 0;
  double memory = 0, compute = 0, vector = 0, network = 0;
  double fixed = 0;
  double overlapped = 0;
};

[[nodiscard]] Gap gap_of(const Phase& p, double measured_seconds);

}  // namespace rooflens
