// Logarithmic axes: where a value lies, which ticks to draw, and what they say.
#pragma once

#include <string>
#include <vector>

namespace rooflens {

// Maps [low, high] to [from, to] (user units; to < from for an axis that grows upwards).
// 0 < low < high.
struct LogAxis {
  double low = 1, high = 10;
  double from = 0, to = 1;

  [[nodiscard]] double at(double value) const;
  [[nodiscard]] double value(double position) const;
};

struct Tick {
  double value = 0;
  std::string label;  // empty on minor ticks
};

// Decades, or every n-th decade when they are closer than `spacing` user units; with 2 and 5
// between them when the axis is so short that decades alone would be fewer than three. Unlabelled
// minor ticks at 2..9 where there is room for them. In increasing order, all within [low, high].
[[nodiscard]] std::vector<Tick> ticks(const LogAxis& axis, double spacing);

}  // namespace rooflens
