// Ceilings, slopes, ridges, and what is written along them.
#include <algorithm>
#include <cmath>

#include "rooflens/render/format.h"
#include "rooflens/render/roofline_drawing.h"
#include "rooflens/render/text_width.h"

namespace rooflens {
namespace {

// What a label would rather move than write across (LabelPlacer::avoid).
constexpr double kRoofCost = 30, kHairlineCost = 4;
constexpr double kFree = 3;  // hardly in the way of anything

double distance(const Item& mark, Point2 p) {
  const auto* m = std::get_if<Mark>(&mark.shape);
  return m ? std::hypot(m->at.x - p.x, m->at.y - p.y) : 1e9;
}

}  // namespace

double RooflineDrawing::slope_start(double bytes_per_s) const {
  return std::max(limits_.x_low, limits_.y_low / bytes_per_s);
}

void RooflineDrawing::under() {
  const ChartCeiling* best = nullptr;
  for (const ChartCeiling& k : c_.ceilings)
    if (has_slope(k) && !dashed(k) && (!best || k.flops_per_s > best->flops_per_s)) best = &k;
  if (!best) return;
  const double start = slope_start(best->bytes_per_s);
  Polyline p;
  p.closed = true;
  p.points = {at(start, start * best->bytes_per_s),
              at(best->flops_per_s / best->bytes_per_s, best->flops_per_s),
              {plot_.right, y_.at(best->flops_per_s)},
              {plot_.right, plot_.bottom},
              {x_.at(start), plot_.bottom}};
  scene_.add(p, Look::under);
}

void RooflineDrawing::hairlines(LabelPlacer& placer) {
  for (const ChartCeiling& k : c_.ceilings) {
    if (!has_slope(k) || dashed(k)) continue;
    const Point2 top = at(ridge(k), k.flops_per_s), bottom{top.x, plot_.bottom};
    line(top, bottom, Look::hairline);
    placer.avoid(top, bottom, kHairlineCost);
  }
}

void RooflineDrawing::roofs(LabelPlacer& placer) {
  const auto add = [&](Point2 a, Point2 b, Look look, const std::string& tip) {
    line(a, b, look, tip);
    placer.avoid(a, b, kRoofCost);
  };
  for (const ChartCeiling& k : c_.ceilings) {
    if (!drawable(1, k.flops_per_s) || k.slope_only) continue;
    const double from = has_slope(k) ? ridge(k) : limits_.x_low;
    add(at(from, k.flops_per_s), {plot_.right, y_.at(k.flops_per_s)},
        dashed(k) ? Look::roof_max : Look::roof, k.label);
  }
  for (const ChartSlope& s : slopes_of(c_)) {
    const double start = slope_start(s.bytes_per_s);
    add(at(start, start * s.bytes_per_s), at(s.end, s.end * s.bytes_per_s),
        s.reached ? Look::roof_max : Look::roof, s.label);
  }
}

void RooflineDrawing::roof_labels(LabelPlacer& placer) {
  std::vector<const ChartCeiling*> order;
  for (const ChartCeiling& k : c_.ceilings)
    if (drawable(1, k.flops_per_s) && !k.label.empty()) order.push_back(&k);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return std::pair(dashed(*a), -a->flops_per_s) < std::pair(dashed(*b), -b->flops_per_s);
  });
  for (const ChartCeiling* k : order) {
    const double y = y_.at(k->flops_per_s);
    const double from = has_slope(*k) ? x_.at(ridge(*k)) : plot_.left;
    std::vector<Text> candidates;
    const auto ends_at = [&](double x, double baseline) {
      candidates.push_back({{x, baseline}, Anchor::end, k->label, label_, !dashed(*k), 0});
    };
    for (double x = plot_.right - 6; x > from + 40; x -= 24) ends_at(x, y - 6);
    for (const double up : {-1.0, 2.0, 6.0}) ends_at(from - 10, y - up);  // before the corner
    // Under it, farther where marks lie along it.
    for (const double down : {5.0, 12.0, 24.0})
      for (double x = plot_.right - 6; x > from; x -= 24)
        ends_at(x, y + down + kTextAscent * label_);
    Text chosen;
    if (placer.place_at(candidates, kFree, chosen))
      texts_.add(chosen, dashed(*k) ? Look::muted : Look::ink);
  }
}

// Along the slope, as far from the marks as it goes: above it, or below where a faster slope is so
// near that the label would be taken for that one's.
void RooflineDrawing::slope_labels(LabelPlacer& placer) {
  for (const ChartSlope& s : slopes_of(c_)) {
    if (s.label.empty()) continue;
    const double start = slope_start(s.bytes_per_s);
    const Point2 a = at(start, start * s.bytes_per_s), b = at(s.end, s.end * s.bytes_per_s);
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    if (length < 1) continue;
    const Point2 d{(b.x - a.x) / length, (b.y - a.y) / length};
    const double degrees = std::atan2(d.y, d.x) * 57.29577951308232;
    const double half = text_width(s.label, label_) / 2;
    double gap = 1e9;  // to the next faster slope, across
    for (const ChartSlope& o : slopes_of(c_)) {
      if (o.bytes_per_s <= s.bytes_per_s) continue;
      gap = std::min(gap, (a.y - at(start, start * o.bytes_per_s).y) * d.x);
    }
    const double below = kTextAscent * label_ + 5;
    const bool under_it = gap < below + 8;
    std::vector<std::pair<double, Text>> ranked;
    // The second of each clears the ticks of a path.
    for (const double above : {under_it ? -below : 7.0, under_it ? -below - 4 : 11.0}) {
      for (double t = half + 6; t <= length - half - 6; t += 8) {
        const Point2 middle{a.x + t * d.x, a.y + t * d.y};
        double clear = half + 30;
        for (const Item& m : marks_.items) clear = std::min(clear, distance(m, middle));
        ranked.push_back({std::fabs(above) - clear,
                          {{middle.x + above * d.y, middle.y - above * d.x},
                           Anchor::middle,
                           s.label,
                           label_,
                           false,
                           degrees}});
      }
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& x, const auto& y) { return x.first < y.first; });
    std::vector<Text> along, level;
    for (auto& r : ranked) along.push_back(std::move(r.second));
    for (double x = a.x + 8; x + 2 * half < plot_.right; x += 20)
      level.push_back({{x, plot_.bottom - 8}, Anchor::start, s.label, label_, false, 0});
    Text chosen;
    if (placer.place_at(along, kFree, chosen) || placer.place_at(level, kFree, chosen))
      texts_.add(chosen, s.reached ? Look::muted : Look::ink);
  }
}

void RooflineDrawing::ridge_labels(LabelPlacer& placer) {
  std::vector<double> done;
  for (const ChartCeiling& k : c_.ceilings) {
    if (!has_slope(k) || dashed(k)) continue;
    if (std::find(done.begin(), done.end(), ridge(k)) != done.end()) continue;
    done.push_back(ridge(k));
    const double x = x_.at(ridge(k)), roof = y_.at(k.flops_per_s);
    std::string value = format(ridge(k), Unit::none);
    if (ridge(k) >= 100) value = format(std::round(ridge(k)), Unit::none);
    std::vector<Text> candidates;
    for (double y = plot_.bottom - 7; y > roof + 20 && y > plot_.bottom - 140; y -= 1.5 * tick_)
      for (const char* words : {"ridge ", ""})
        for (const Anchor anchor : {Anchor::start, Anchor::end})
          candidates.push_back({{anchor == Anchor::start ? x + 5 : x - 5, y},
                                anchor,
                                words + value,
                                tick_,
                                false,
                                0});
    Text chosen;
    if (placer.place_at(candidates, kHairlineCost, chosen)) texts_.add(chosen, Look::muted);
  }
}

}  // namespace rooflens
