// Marks, the paths between them, and their labels.
#include <algorithm>
#include <cmath>

#include "rooflens/render/roofline_drawing.h"

namespace rooflens {
namespace {

constexpr double kPathCost = 10, kTickCost = 14;  // LabelPlacer::avoid
constexpr double kTickGap = 24;  // ticks of a path closer than this are left out: room for labels
constexpr double kTickReach = 6.5;                // half a tick's length

}  // namespace

void RooflineDrawing::marks(LabelPlacer& placer) {
  for (const std::size_t i : order_) {
    const ChartPoint& p = c_.points[i];
    const Mark m = mark_of(p, at(p.intensity, p.flops_per_s));
    marks_.add(m, mark_look(p.phase), tip_of(p));
    placer.block(mark_box(m));
  }
}

void RooflineDrawing::point_labels(LabelPlacer& placer) {
  std::vector<LabelRequest> requests;
  std::vector<std::size_t> index;
  for (const std::size_t i : order_) {
    const ChartPoint& p = c_.points[i];
    if (p.label.empty() || std::find(listed_.begin(), listed_.end(), i) != listed_.end()) continue;
    LabelRequest r;
    r.at = at(p.intensity, p.flops_per_s);
    r.clearance = 1.1 * mark_of(p, {}).radius + 1;
    r.texts = {p.label};
    if (!p.short_label.empty() && p.short_label != p.label) r.texts.push_back(p.short_label);
    r.size = label_;
    r.bold = p.kind == PointKind::step;
    requests.push_back(std::move(r));
    index.push_back(i);
  }
  const std::vector<PlacedLabel> placed = placer.place(requests);
  for (std::size_t n = 0; n < placed.size(); ++n) {
    if (!placed[n].placed) {
      dropped_.push_back(index[n]);
      continue;
    }
    if (placed[n].has_leader)
      leaders_.add(Polyline{{placed[n].leader_from, placed[n].leader_to}, false}, Look::leader);
    texts_.add(placed[n].text, by_phase(c_.points[index[n]].phase, Look::text_decode,
                                        Look::text_prefill, Look::text_other));
  }
}

// A band along the steps, with a tick across it where a step has a mark: the first, the last, and
// those in between that are not too close.
void RooflineDrawing::paths(LabelPlacer& placer) {
  for (const ChartPath& path : c_.paths) {
    std::vector<Point2> band;
    std::vector<const ChartPath::Step*> steps;
    for (const ChartPath::Step& s : path.steps) {
      if (!drawable(s.intensity, s.flops_per_s)) continue;
      band.push_back(at(s.intensity, s.flops_per_s));
      steps.push_back(&s);
    }
    if (band.size() < 2) continue;
    scene_.add(Polyline{band, false},
               by_phase(path.phase, Look::path_decode, Look::path_prefill, Look::path_other),
               path.label);
    for (std::size_t i = 1; i < band.size(); ++i) placer.avoid(band[i - 1], band[i], kPathCost);
    path_ticks(path, band, steps, placer);
  }
}

void RooflineDrawing::path_ticks(const ChartPath& path, const std::vector<Point2>& band,
                                 const std::vector<const ChartPath::Step*>& steps,
                                 LabelPlacer& placer) {
  const auto far = [&](std::size_t i, std::size_t j) {
    return std::hypot(band[i].x - band[j].x, band[i].y - band[j].y) >= kTickGap;
  };
  std::size_t last = steps.size();  // the last step with a mark is always shown
  while (last > 0 && steps[last - 1]->mark.empty()) --last;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i + 1 < last; ++i) {
    if (steps[i]->mark.empty() || !far(i, last - 1)) continue;
    if (kept.empty() || far(i, kept.back())) kept.push_back(i);
  }
  if (last > 0) kept.push_back(last - 1);
  const auto under_mark = [&](Point2 p) {  // the point says where it is on the path
    return std::any_of(order_.begin(), order_.end(), [&](std::size_t o) {
      const Mark m = mark_of(c_.points[o], at(c_.points[o].intensity, c_.points[o].flops_per_s));
      return std::hypot(m.at.x - p.x, m.at.y - p.y) < m.radius + 4;
    });
  };
  for (const std::size_t i : kept) {
    const Point2 a = band[i > 0 ? i - 1 : 0], b = band[std::min(i + 1, band.size() - 1)];
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    if (length == 0) continue;
    const Point2 n{-(b.y - a.y) / length, (b.x - a.x) / length};  // to the right of the way
    const Point2 p = band[i];
    if (under_mark(p)) continue;
    placer.avoid({p.x - kTickReach * n.x, p.y - kTickReach * n.y},
                 {p.x + kTickReach * n.x, p.y + kTickReach * n.y}, kTickCost);
    line({p.x - kTickReach * n.x, p.y - kTickReach * n.y},
         {p.x + kTickReach * n.x, p.y + kTickReach * n.y},
         by_phase(path.phase, Look::tick_decode, Look::tick_prefill, Look::tick_other));
    path_ticks_.push_back({p, n, steps[i]->mark, path.phase});
  }
}

// Ticks explain each other, so one without room for its label stays without.
void RooflineDrawing::path_labels(LabelPlacer& placer) {
  for (const PathTick& t : path_ticks_) {
    LabelRequest r;
    r.at = t.at;
    r.clearance = kTickReach;
    r.texts = {t.label};
    r.size = tick_;
    r.leader = false;
    r.prefer = t.normal;
    const PlacedLabel placed = placer.place({r}).front();
    if (placed.placed)
      texts_.add(placed.text,
                 by_phase(t.phase, Look::text_decode, Look::text_prefill, Look::text_other));
  }
}

}  // namespace rooflens
