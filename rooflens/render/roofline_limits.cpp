#include <algorithm>
#include <cmath>

#include "rooflens/render/roofline_chart.h"

namespace rooflens {
namespace {

// Past these no chart is read, and logarithms of their ratios stay far from overflow.
constexpr double kSmallest = 1e-30, kLargest = 1e30;

bool sane(double v) { return v >= kSmallest && v <= kLargest; }

struct Extent {
  double low = 0, high = 0;
  void add(double v) {
    low = low == 0 ? v : std::min(low, v);
    high = std::max(high, v);
  }
};

// At least `decades` between the limits, the added room on both sides.
void widen(double& low, double& high, double decades) {
  const double missing = decades - std::log10(high / low);
  if (missing <= 0) return;
  const double f = std::pow(10.0, missing / 2);
  low /= f;
  high *= f;
}

}  // namespace

Shape shape_of(PointKind k) {
  switch (k) {
    case PointKind::fc:
      return Shape::square;
    case PointKind::attention:
      return Shape::circle;
    case PointKind::experts:
      return Shape::diamond;
    case PointKind::state:
      return Shape::triangle;
    case PointKind::step:
      return Shape::star;
    case PointKind::expected:
    case PointKind::other:
      return Shape::cross;
  }
  return Shape::cross;
}

bool drawable(double intensity, double flops_per_s) { return sane(intensity) && sane(flops_per_s); }

ChartLimits limits_of(const RooflineChart& c) {
  Extent ridges, points, heights, roofs;
  double slowest = 0;
  for (const ChartCeiling& k : c.ceilings) {
    if (!sane(k.flops_per_s) || k.network) continue;
    roofs.add(k.flops_per_s);
    if (!sane(k.bytes_per_s) || !sane(k.flops_per_s / k.bytes_per_s)) continue;
    ridges.add(k.flops_per_s / k.bytes_per_s);
    slowest = slowest == 0 ? k.bytes_per_s : std::min(slowest, k.bytes_per_s);
  }
  const auto add = [&](double x, double y) {
    if (!drawable(x, y)) return;
    points.add(x);
    heights.add(y);
  };
  for (const ChartPoint& p : c.points) add(p.intensity, p.flops_per_s);
  for (const ChartPath& p : c.paths)
    for (const ChartPath::Step& s : p.steps) add(s.intensity, s.flops_per_s);

  Extent x, y;
  if (ridges.low > 0) x.add(ridges.low / 30), x.add(ridges.high * 8);
  if (points.low > 0) x.add(points.low / 1.8), x.add(points.high * 2.2);
  if (roofs.low > 0) y.add(roofs.high * 1.9);
  if (heights.low > 0) y.add(heights.low / 1.8), y.add(heights.high * 1.5);
  if (x.low == 0) x.add(0.1), x.add(1000);
  // The slope starts in the corner, unless points reach lower.
  if (slowest > 0) y.add(slowest * x.low);
  if (y.low == 0) y.add(1e11), y.add(1e15);
  if (roofs.low > 0 && slowest == 0) y.add(roofs.low / 30);
  // Room above the top roof for its label, whatever the height of a decade.
  if (roofs.low > 0) y.add(roofs.high * std::pow(y.high / y.low, 0.11));
  ChartLimits l{x.low, x.high, y.low, y.high};
  widen(l.x_low, l.x_high, 1.5);
  widen(l.y_low, l.y_high, 1.2);
  return l;
}

}  // namespace rooflens
