// What collectives cost: bytes each rank sends and latency steps. docs/model.md section 10.
#pragma once

#include "rooflens/core/analysis.h"

namespace rooflens {

enum class Algorithm { ring, one_shot };

struct CollectiveCost {
  double bytes_per_rank = 0;
  double steps = 0;
};

// `payload`: bytes combined (all_reduce, reduce_scatter), gathered (all_gather), held per rank
// (all_to_all), or sent (p2p).
[[nodiscard]] CollectiveCost collective_cost(Collective kind, double payload, double ranks,
                                             Algorithm algorithm = Algorithm::ring);

// Seconds of a collective as rings over the slowest link it crosses, latency included.
[[nodiscard]] double ring_seconds(const Ceilings& c, const CollectiveCost& cost, double ranks);

// Seconds nothing can beat: the least volume through the slowest cut of the link hierarchy,
// without latency. Over g groups of m an all-reduce moves 2(g-1)/g * payload/m per rank, and no more
// than payload/m where the switch adds on the way. Of an all_to_all of experts (`experts`, `active`
// chosen; 0 = evenly spread) one copy of a token goes to each group that holds one of its experts:
// inside the group it is handed on, and what comes back is added there first.
[[nodiscard]] double least_seconds(const Ceilings& c, Collective kind, double payload,
                                   double ranks, double experts = 0, double active = 0);

}  // namespace rooflens
