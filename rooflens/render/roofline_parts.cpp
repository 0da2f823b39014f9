#include <algorithm>

#include "rooflens/render/format.h"
#include "rooflens/render/roofline_drawing.h"

namespace rooflens {

bool has_slope(const ChartCeiling& k) {
  return drawable(k.bytes_per_s, k.flops_per_s) && drawable(ridge(k), 1);
}

bool dashed(const ChartCeiling& k) { return k.max_clock || k.network || k.reached; }

double ridge(const ChartCeiling& k) { return k.flops_per_s / k.bytes_per_s; }

std::vector<ChartSlope> slopes_of(const RooflineChart& c) {
  std::vector<ChartSlope> out;
  for (const ChartCeiling& k : c.ceilings) {
    if (!has_slope(k)) continue;
    auto s = std::find_if(out.begin(), out.end(),
                          [&](const ChartSlope& o) { return o.bytes_per_s == k.bytes_per_s; });
    if (s == out.end()) s = out.insert(out.end(), {k.bytes_per_s, 0, {}, true});
    s->end = std::max(s->end, ridge(k));
    s->reached = s->reached && k.reached;
    if (s->label.empty()) s->label = k.slope_label;
  }
  return out;
}

Look by_phase(PointPhase p, Look decode, Look prefill, Look other) {
  return p == PointPhase::decode ? decode : p == PointPhase::prefill ? prefill : other;
}

Look mark_look(PointPhase p) {
  return by_phase(p, Look::mark_decode, Look::mark_prefill, Look::mark_other);
}

Mark mark_of(const ChartPoint& p, Point2 at) {
  return {at, p.kind == PointKind::step ? 8.5 : 6.0, shape_of(p.kind), p.measured};
}

std::string tip_of(const ChartPoint& p) {
  if (!p.tip.empty()) return p.tip;
  return p.label + ": " + format(p.intensity, Unit::flop_per_byte) + ", " +
         format(p.flops_per_s, Unit::flops_per_s) + (p.measured ? " measured" : "");
}

std::vector<std::size_t> paint_order(const RooflineChart& c) {
  std::vector<std::size_t> out;
  const auto layer = [](const ChartPoint& p) {
    return p.kind == PointKind::expected ? 2 : p.kind == PointKind::step ? 1 : 0;
  };
  for (int l = 0; l <= 2; ++l)
    for (std::size_t i = 0; i < c.points.size(); ++i)
      if (layer(c.points[i]) == l && drawable(c.points[i].intensity, c.points[i].flops_per_s))
        out.push_back(i);
  return out;
}

std::vector<LegendEntry> legend_entries(const RooflineChart& c,
                                        const std::vector<std::size_t>& listed) {
  std::vector<LegendEntry> out;
  const auto any = [&](auto&& test) { return std::any_of(c.points.begin(), c.points.end(), test); };
  const Polyline dash{{{-6, 0}, {9, 0}}, false};
  const Polyline patch{{{-9, -3.5}, {7, -3.5}, {7, 3.5}, {-9, 3.5}}, true};
  const struct {
    PointKind kind;
    const char* name;
  } kinds[] = {{PointKind::step, "whole step"},     {PointKind::fc, "FC"},
               {PointKind::attention, "attention"}, {PointKind::experts, "experts"},
               {PointKind::state, "state"},         {PointKind::expected, "expected"},
               {PointKind::other, "other"}};
  // Colours: a path says its phase itself; else a patch of the colour does.
  const struct {
    PointPhase phase;
    const char* name;
    Look path, mark;
  } phases[] = {{PointPhase::decode, "decode", Look::path_decode, Look::mark_decode},
                {PointPhase::prefill, "prefill", Look::path_prefill, Look::mark_prefill},
                {PointPhase::other, "", Look::path_other, Look::mark_other}};
  for (const auto& p : phases) {
    bool named = false;
    for (const ChartPath& path : c.paths) {
      if (path.phase != p.phase || path.label.empty()) continue;
      out.push_back({dash, p.path, path.label});
      named = true;
    }
    if (!named && *p.name && any([&](const ChartPoint& x) { return x.phase == p.phase; }))
      out.push_back({patch, p.mark, p.name});
  }
  for (const auto& k : kinds)
    if (any([&](const ChartPoint& p) { return p.kind == k.kind; }))
      out.push_back({Mark{{}, k.kind == PointKind::step ? 6.5 : 5.0, shape_of(k.kind), false},
                     Look::mark_neutral, k.name});
  if (any([](const ChartPoint& p) { return p.measured; }))
    out.push_back({Mark{{}, 4.5, Shape::circle, true}, Look::mark_neutral, "hollow: measured"});
  if (std::any_of(c.ceilings.begin(), c.ceilings.end(),
                  [](const ChartCeiling& k) { return k.max_clock; }))
    out.push_back({dash, Look::roof_max, "at maximum clock"});
  if (std::any_of(c.ceilings.begin(), c.ceilings.end(),
                  [](const ChartCeiling& k) { return k.network; }))
    out.push_back({dash, Look::roof_max, "network ceiling of a phase"});
  if (std::any_of(c.ceilings.begin(), c.ceilings.end(),
                  [](const ChartCeiling& k) { return k.reached; }))
    out.push_back({dash, Look::roof_max, "reached, fitted to the measurements"});
  for (const std::size_t i : listed) {
    const ChartPoint& p = c.points[i];
    Mark m = mark_of(p, {});
    m.radius = std::min(0.8 * m.radius, 5.5);
    out.push_back(
        {m, mark_look(p.phase), p.label + " (" + format(p.intensity, Unit::flop_per_byte) + ")"});
  }
  return out;
}

}  // namespace rooflens
