// A roofline: intensity across, FLOP/s upwards, both logarithmic. The input says what is to be
// seen; layout, limits and labels are the chart's business.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rooflens/render/scene.h"

namespace rooflens {

// A roof and the slope that leads to it. Ceilings with the same bytes_per_s share one slope.
struct ChartCeiling {
  std::string label;  // "FP8 1.67 PFLOP/s"
  double flops_per_s = 0;
  double bytes_per_s = 0;   // 0 = no slope: the roof runs across the chart
  bool max_clock = false;   // dashed: what the maximum clock would allow
  std::string slope_label;  // "3.90 TB/s memory"; the first one given for a slope is shown
  bool network = false;     // dashed: what the links allow one phase
  bool reached = false;     // dashed, slope too: what an engine was measured to reach
  bool slope_only = false;  // the slope ends here, and no roof goes on
};

enum class PointKind : std::uint8_t { fc, attention, experts, state, step, expected, other };
enum class PointPhase : std::uint8_t { decode, prefill, other };
[[nodiscard]] Shape shape_of(PointKind k);

struct ChartPoint {
  std::string label, short_label;  // short_label where the space is tight; may be empty
  PointKind kind = PointKind::other;
  PointPhase phase = PointPhase::other;
  double intensity = 0;    // FLOP/byte
  double flops_per_s = 0;  // attainable, or achieved when measured
  bool measured = false;   // drawn hollow
  std::string tip;
};

// The way a point takes while something grows (batch, prompt, context).
struct ChartPath {
  struct Step {
    double intensity = 0, flops_per_s = 0;
    std::string mark;  // "64": a tick with this label; empty = none
  };
  std::string label;  // "decode, batch 1 to 256"
  PointPhase phase = PointPhase::other;
  std::vector<Step> steps;
};

struct RooflineChart {
  std::string title, subtitle;
  std::string description;  // for screen readers; made from the ceilings when empty
  std::vector<ChartCeiling> ceilings;
  std::vector<ChartPoint> points;
  std::vector<ChartPath> paths;
  double width = 960, height = 600;  // user units; at least 320 x 240
};

// Limits of both axes: all ceilings, ridges, points and paths with room around them. Values that
// are not positive and finite are left out (nothing is ever drawn for them).
struct ChartLimits {
  double x_low = 0.1, x_high = 1000, y_low = 1e11, y_high = 1e15;
};
[[nodiscard]] ChartLimits limits_of(const RooflineChart& c);
[[nodiscard]] bool drawable(double intensity, double flops_per_s);

// What the drawing could not say in place. Indices into RooflineChart::points.
struct ChartNotes {
  std::vector<std::size_t> in_legend;   // labelled in the legend instead of beside the mark
  std::vector<std::size_t> unlabelled;  // drawn, but no room even there
  std::vector<std::size_t> omitted;     // not drawable
};

// No label covers another, a mark or the frame, whatever the input.
[[nodiscard]] Scene draw(const RooflineChart& c, ChartNotes* notes = nullptr);

}  // namespace rooflens
