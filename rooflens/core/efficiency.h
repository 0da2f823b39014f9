// What of a ceiling is reached in practice: an input, with its origin, never a constant of the core.
#pragma once

#include <string>

#include "rooflens/core/analysis.h"

namespace rooflens {

struct Range {
  double low = 0, mid = 0, high = 0;
};

struct Efficiency {
  Range memory{1, 1, 1};         // share of the memory bandwidth
  Range compute{1, 1, 1};        // share of the matrix peak
  Range communication{1, 1, 1};  // share of the link bandwidth
  Range launch_s{0, 0, 0};       // per operator launched
  Range fixed_s{0, 0, 0};        // per step (host, scheduler)
  double corner = 0;             // softness of the ridge: time = (m^1/s + c^1/s)^s; 0 = a sharp max
  std::string origin = "none";   // "prior (HBM3)", "fitted on ...", "measured here"
};

// Seconds and tokens/s; low <= mid <= high of the *rate* (so `low` is the slowest).
struct Expectation {
  Range seconds;        // low = fastest
  Range tokens_per_s;   // low = slowest
};

// `placed` are the operators' places, as place() wrote them.
[[nodiscard]] Expectation expect(const StepTotals& totals, std::span<const Operator> ops,
                                 std::span<const Placed> placed, const Ceilings& c,
                                 const Efficiency& e);

}  // namespace rooflens
