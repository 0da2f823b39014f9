// Quantiles of weighted values.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace rooflens {

// The smallest value that has at least `share` of the weight at or below it; 0 of none.
[[nodiscard]] inline double weighted_quantile(std::vector<std::pair<double, double>> value_weight,
                                              double share) {
  std::sort(value_weight.begin(), value_weight.end());
  double all = 0;
  for (const auto& [value, weight] : value_weight) all += weight;
  double below = 0;
  for (const auto& [value, weight] : value_weight) {
    below += weight;
    if (below >= share * all) return value;
  }
  return value_weight.empty() ? 0 : value_weight.back().first;
}

// The same, each value counting once.
[[nodiscard]] inline double quantile(const std::vector<double>& values, double share) {
  std::vector<std::pair<double, double>> weighted;
  weighted.reserve(values.size());
  for (const double v : values) weighted.emplace_back(v, 1.0);
  return weighted_quantile(std::move(weighted), share);
}

}  // namespace rooflens
