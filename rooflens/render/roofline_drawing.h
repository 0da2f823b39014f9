// The one layout of a roofline, shared by the files that draw its parts. Internal to render.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rooflens/render/axis.h"
#include "rooflens/render/legend.h"
#include "rooflens/render/place_labels.h"
#include "rooflens/render/roofline_chart.h"

namespace rooflens {

// ---- facts of the input (roofline_parts.cpp)
// ------------------------------------------------------

[[nodiscard]] bool has_slope(const ChartCeiling& k);
[[nodiscard]] bool dashed(const ChartCeiling& k);   // a ceiling beside the device's own
[[nodiscard]] double ridge(const ChartCeiling& k);  // FLOP/byte; has_slope(k)

// The distinct bandwidths, with the highest ridge each leads to.
struct ChartSlope {
  double bytes_per_s = 0, end = 0;
  std::string label;
  bool reached = true;  // of no ceiling of the device's own
};
[[nodiscard]] std::vector<ChartSlope> slopes_of(const RooflineChart& c);

[[nodiscard]] Look by_phase(PointPhase p, Look decode, Look prefill, Look other);
[[nodiscard]] Look mark_look(PointPhase p);
[[nodiscard]] Mark mark_of(const ChartPoint& p, Point2 at);
[[nodiscard]] std::string tip_of(const ChartPoint& p);  // its own, or label and values

// Drawable points, whole steps so late that they lie on top, and over them where they were expected.
[[nodiscard]] std::vector<std::size_t> paint_order(const RooflineChart& c);

// What the marks, colours and lines mean, then the `listed` points by name.
[[nodiscard]] std::vector<LegendEntry> legend_entries(const RooflineChart& c,
                                                      const std::vector<std::size_t>& listed);

// ---- the drawing
// ---------------------------------------------------------------------------------

// `listed` points are named in the legend and get no label in the plot.
class RooflineDrawing {
 public:
  RooflineDrawing(const RooflineChart& c, std::vector<std::size_t> listed);

  Scene draw();  // once

  [[nodiscard]] const std::vector<std::size_t>& dropped() const { return dropped_; }
  // How many of the listed points the legend had room for.
  [[nodiscard]] std::size_t listed_shown() const;

 private:
  // roofline_chart.cpp
  void describe();
  void lay_out();
  void axes();
  [[nodiscard]] Point2 at(double x, double y) const { return {x_.at(x), y_.at(y)}; }
  void line(Point2 a, Point2 b, Look look, std::string tip = {});
  // roofline_roofs.cpp
  [[nodiscard]] double slope_start(double bytes_per_s) const;
  void under();
  void hairlines(LabelPlacer& placer);
  void roofs(LabelPlacer& placer);
  void roof_labels(LabelPlacer& placer);
  void slope_labels(LabelPlacer& placer);
  void ridge_labels(LabelPlacer& placer);
  // roofline_points.cpp
  void paths(LabelPlacer& placer);
  void path_ticks(const ChartPath& path, const std::vector<Point2>& band,
                  const std::vector<const ChartPath::Step*>& steps, LabelPlacer& placer);
  void marks(LabelPlacer& placer);
  void point_labels(LabelPlacer& placer);
  void path_labels(LabelPlacer& placer);

  const RooflineChart& c_;
  std::vector<std::size_t> listed_, dropped_, order_;
  ChartLimits limits_;
  Box plot_;
  LogAxis x_, y_;
  double pad_ = 16, label_ = 12, tick_ = 11, title_ = 17;  // font sizes, in user units
  std::optional<Legend> legend_;
  std::size_t legend_entries_ = 0;
  double legend_top_ = 0;
  Scene scene_, leaders_, marks_, texts_;  // painted in this order
  struct PathTick {
    Point2 at, normal;
    std::string label;
    PointPhase phase;
  };
  std::vector<PathTick> path_ticks_;
};

}  // namespace rooflens
