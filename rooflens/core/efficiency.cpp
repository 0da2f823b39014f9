#include "rooflens/core/efficiency.h"

#include <algorithm>
#include <cmath>

namespace rooflens {
namespace {

struct Shares {
  double memory, compute, communication, launch_s, fixed_s;
};

// Two times that overlap, with a soft corner where they are alike.
double overlapped(double a, double b, double corner) {
  const double longest = std::max(a, b);
  if (corner <= 0 || longest <= 0) return longest;
  const double power = 1 / corner;
  return longest * std::pow(std::pow(a / longest, power) + std::pow(b / longest, power), corner);
}

double seconds_at(const StepTotals& totals, std::span<const Operator> ops,
                  std::span<const Placed> placed, const Ceilings& c, const Shares& s,
                  double corner) {
  double seconds = s.fixed_s + totals.network_seconds / s.communication;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const Operator& op = ops[i];
    const double memory = placed[i].bytes / (c.bytes_per_s * s.memory);
    double arithmetic = 0;
    if (op.flops > 0) {
      arithmetic = op.flops / (c.peak[static_cast<std::size_t>(op.compute)] * s.compute);
    }
    if (c.vector_flops_per_s > 0) {
      arithmetic =
          std::max(arithmetic, op.vector_flops / (c.vector_flops_per_s * s.compute));
    }
    seconds += op.count * (overlapped(memory, arithmetic, corner) + s.launch_s);
  }
  return seconds;
}

}  // namespace

Expectation expect(const StepTotals& totals, std::span<const Operator> ops,
                   std::span<const Placed> placed, const Ceilings& c, const Efficiency& e) {
  const Shares worst{e.memory.low, e.compute.low, e.communication.low, e.launch_s.high,
                     e.fixed_s.high};
  const Shares middle{e.memory.mid, e.compute.mid, e.communication.mid, e.launch_s.mid,
                      e.fixed_s.mid};
  const Shares best{e.memory.high, e.compute.high, e.communication.high, e.launch_s.low,
                    e.fixed_s.low};
  Expectation x;
  x.seconds = {seconds_at(totals, ops, placed, c, best, e.corner),
               seconds_at(totals, ops, placed, c, middle, e.corner),
               seconds_at(totals, ops, placed, c, worst, e.corner)};
  x.tokens_per_s = {totals.tokens / x.seconds.high, totals.tokens / x.seconds.mid,
                    totals.tokens / x.seconds.low};
  return x;
}

}  // namespace rooflens
