#include <algorithm>
#include <cmath>

#include "rooflens/core/lowering.h"

namespace rooflens {

Reach reach_full(double t, double p) { return {t * p + t * (t + 1) / 2, p + t}; }

Reach reach_window(double t, double p, double window, double sinks) {
  const double w = window + sinks;
  const double growing = std::clamp(w - p, 0.0, t);  // queries that still see everything
  const double pairs = growing * p + growing * (growing + 1) / 2 + (t - growing) * w;
  return {pairs, std::min(p + t, window + t - 1 + sinks)};
}

Reach reach_chunk(double t, double p, double chunk) {
  const auto sum = [chunk](double n) {
    const double full = std::floor(n / chunk);
    const double rest = n - full * chunk;
    return full * chunk * (chunk + 1) / 2 + rest * (rest + 1) / 2;
  };
  return {sum(p + t) - sum(p), p + t - std::floor(p / chunk) * chunk};
}

Reach reach_top_k(double t, double p, double k) {
  const double pairs = reach_window(t, p, k, 0).pairs;
  return {pairs, pairs};
}

}  // namespace rooflens
