#include "rooflens/core/collective.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rooflens/core/experts.h"

namespace rooflens {
namespace {

// The narrowest level that joins this many ranks.
int level_for(const Ceilings& c, double ranks) {
  for (int i = 0; i < c.level_count; ++i) {
    const double size = c.levels[static_cast<std::size_t>(i)].ranks;
    if (size == 0 || size >= ranks) return i;
  }
  return c.level_count - 1;
}

double seconds_over(double bytes, double bytes_per_s) {
  if (bytes <= 0) return 0;
  return bytes_per_s > 0 ? bytes / bytes_per_s : std::numeric_limits<double>::infinity();
}

}  // namespace

CollectiveCost collective_cost(Collective kind, double payload, double ranks, Algorithm algorithm) {
  if (ranks <= 1) return {};
  switch (kind) {
    case Collective::none:
      return {};
    case Collective::all_reduce:
      if (algorithm == Algorithm::one_shot) return {(ranks - 1) * payload, 1};
      return {2 * (ranks - 1) / ranks * payload, 2 * (ranks - 1)};
    case Collective::all_gather:
    case Collective::reduce_scatter:
      return {(ranks - 1) / ranks * payload, ranks - 1};
    case Collective::all_to_all:
      return {(ranks - 1) / ranks * payload, 1};
    case Collective::p2p:
      return {payload, 1};
  }
  return {};
}

double ring_seconds(const Ceilings& c, const CollectiveCost& cost, double ranks) {
  if (cost.bytes_per_rank <= 0) return 0;
  if (c.level_count == 0) return std::numeric_limits<double>::infinity();
  const auto& link = c.levels[static_cast<std::size_t>(level_for(c, ranks))];
  return seconds_over(cost.bytes_per_rank, link.bytes_per_s) + cost.steps * link.latency_s;
}

double least_seconds(const Ceilings& c, Collective kind, double payload, double ranks,
                     double experts, double active) {
  if (kind == Collective::none || ranks <= 1 || payload <= 0) return 0;
  if (c.level_count == 0) return std::numeric_limits<double>::infinity();
  const int top = level_for(c, ranks);
  const double factor = kind == Collective::all_reduce ? 2.0 : 1.0;
  double slowest = 0;
  double inner = 1;  // ranks already joined below this level
  for (int i = 0; i <= top; ++i) {
    const auto& level = c.levels[static_cast<std::size_t>(i)];
    const double reach = i == top || level.ranks == 0 ? ranks : std::min(level.ranks, ranks);
    const double groups = std::ceil(reach / inner);
    if (groups > 1) {
      double bytes = 0;
      if (kind == Collective::p2p) {
        bytes = i == top ? payload : 0;
      } else if (kind == Collective::all_to_all) {
        bytes = payload * (ranks - inner) / ranks;  // what leaves the group
        if (experts > 0 && inner > 1) {
          bytes *= expert_holders(experts, active, ranks / inner) /
                   expert_holders(experts, active, ranks);
        }
      } else {
        bytes = factor * (groups - 1) / groups * payload / inner;
        if (level.reduces && kind == Collective::all_reduce) {
          bytes = std::min(bytes, payload / inner);
        }
      }
      slowest = std::max(slowest, seconds_over(bytes, level.bytes_per_s));
    }
    inner = std::max(inner, reach);
  }
  return slowest;
}

}  // namespace rooflens
