#include "rooflens/render/axis.h"

#include <algorithm>
#include <cmath>

#include "rooflens/render/format.h"

namespace rooflens {

double LogAxis::at(double value) const {
  return from + (to - from) * std::log(value / low) / std::log(high / low);
}

double LogAxis::value(double position) const {
  return low * std::pow(high / low, (position - from) / (to - from));
}

std::vector<Tick> ticks(const LogAxis& axis, double spacing) {
  const double decades = std::log10(axis.high / axis.low);
  const double per_decade = std::fabs(axis.to - axis.from) / decades;
  const int first = static_cast<int>(std::floor(std::log10(axis.low) + 1e-9));
  const int last = static_cast<int>(std::ceil(std::log10(axis.high) - 1e-9));
  const int every = std::max(1, static_cast<int>(std::ceil(spacing / per_decade - 1e-9)));
  const bool halves = decades < 2.5 && per_decade * 0.301 >= spacing;  // room for 1, 2, 5
  const bool minor = every == 1 && per_decade >= 60;
  const double low = axis.low * (1 - 1e-9), high = axis.high * (1 + 1e-9);
  std::vector<Tick> out;
  for (int e = first; e <= last; ++e) {
    for (int m = 1; m < 10; ++m) {
      const double v = m * std::pow(10.0, e);
      if (v < low || v > high) continue;
      // Decades counted from 10^0, so that a panned axis keeps its ticks.
      const bool labelled =
          (m == 1 && (e % every + every) % every == 0) || (halves && (m == 2 || m == 5));
      if (labelled) {
        out.push_back({v, format_short(v)});
      } else if (minor || (m == 1 && per_decade >= 6)) {
        out.push_back({v, {}});
      }
    }
  }
  return out;
}

}  // namespace rooflens
