#include "rooflens/render/place_labels.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "rooflens/render/text_width.h"

namespace rooflens {
namespace {

constexpr double kPadding = 2;     // kept free around every label
constexpr double kDropped = 1000;  // cost of a label that finds no place
constexpr double kShorter = 20;    // of each step to a shorter text
constexpr double kLeader = 16;     // of a leader line, before its length
constexpr double kPerUnit = 0.35;  // of its length
constexpr double kGoodEnough = 8;  // a place beside the mark that ends the search

Quad padded(const Text& t) {
  Quad q = text_quad(t);
  if (t.angle == 0) return quad(bounds(q).grown(kPadding));
  Text larger = t;  // a turned text: grow along its own axes, roughly
  larger.size = t.size * 1.08;
  return text_quad(larger);
}

// A text of `width` whose box touches `p` on the side that faces away from `direction`, with the
// padding around it.
struct Spot {
  Point2 baseline;
  Anchor anchor;
  Box box;
};

Spot spot_towards(const LabelRequest& r, double width, Point2 p, Point2 direction) {
  const double middle = (kTextAscent - kTextDescent) / 2 * r.size;  // centre line above baseline
  const double half = (kTextAscent + kTextDescent) / 2 * r.size;
  const double lean = std::clamp(direction.y * 1.3, -1.0, 1.0);
  const double y = p.y + lean * half;
  const Anchor anchor = direction.x > 0.35    ? Anchor::start
                        : direction.x < -0.35 ? Anchor::end
                                              : Anchor::middle;
  const double left = anchor == Anchor::start ? p.x
                      : anchor == Anchor::end ? p.x - width
                                              : p.x - width / 2;
  return {{p.x, y + middle}, anchor, Box{left, y - half, left + width, y + half}.grown(kPadding)};
}

}  // namespace

void LabelPlacer::block(const Quad& q) { blocks_.push_back({q, bounds(q)}); }

bool LabelPlacer::is_free(const Quad& q) const {
  const Box b = bounds(q);
  if (!frame_.contains(b)) return false;
  return std::none_of(blocks_.begin(), blocks_.end(),
                      [&](const Obstacle& o) { return overlap(o.box, b) && overlap(o.shape, q); });
}

double LabelPlacer::line_cost(const Quad& q) const {
  const Box b = bounds(q);
  const bool level = q.corners[0].y == q.corners[1].y;
  double cost = 0;
  for (const Line& l : lines_)
    if (crosses(l.a, l.b, b) && (level || overlap(stroke_quad(l.a, l.b, 0.1), q))) cost += l.cost;
  return cost;
}

// A leader may leave its own crowd of marks, though not on the side of a neighbour, which it would
// be taken to mean, and may not run through labels or other marks.
bool LabelPlacer::leader_is_free(Point2 a, Point2 b, const LabelRequest& r) const {
  const Box own = Box{r.at.x, r.at.y, r.at.x, r.at.y}.grown(r.clearance);
  return std::none_of(blocks_.begin(), blocks_.end(), [&](const Obstacle& o) {
    if (!overlap(o.box, own)) {
      return crosses(a, b, o.box) && overlap(o.shape, stroke_quad(a, b, 0.5));
    }
    const bool mark = o.box.width() < 3 * r.clearance && o.box.height() < 3 * r.clearance;
    const double x = (o.box.left + o.box.right) / 2 - r.at.x;
    const double y = (o.box.top + o.box.bottom) / 2 - r.at.y;
    const double towards = (b.x - r.at.x) * x + (b.y - r.at.y) * y, away = std::hypot(x, y);
    return mark && away > 1 && towards > 0.4 * away * std::hypot(b.x - r.at.x, b.y - r.at.y);
  });
}

double LabelPlacer::leader_cost(Point2 a, Point2 b) const {
  double cost = 0;
  for (const Line& l : lines_)
    if (crosses(a, b, l.a, l.b)) cost += std::min(6.0, l.cost / 4);
  return cost;
}

void LabelPlacer::consider(const LabelRequest& r, std::size_t text, double width, Point2 direction,
                           double distance, double base, bool leader, Choice& best) const {
  if (base >= best.cost) return;
  const Point2 p{r.at.x + direction.x * distance, r.at.y + direction.y * distance};
  const Spot spot = spot_towards(r, width, p, direction);
  const Quad q = quad(spot.box);
  if (!is_free(q)) return;
  double cost = base + line_cost(q);
  if (cost >= best.cost) return;
  PlacedLabel label;
  if (leader) {
    label.has_leader = true;
    label.leader_from = {r.at.x + direction.x * (r.clearance + 1),
                         r.at.y + direction.y * (r.clearance + 1)};
    label.leader_to = {p.x - direction.x * (kPadding + 1), p.y - direction.y * (kPadding + 1)};
    if (!leader_is_free(label.leader_from, label.leader_to, r)) return;
    cost += leader_cost(label.leader_from, label.leader_to);
    if (cost >= best.cost) return;
  }
  label.placed = true;
  label.text = {spot.baseline, spot.anchor, r.texts[text], r.size, r.bold, 0};
  best = {cost, std::move(label)};
}

LabelPlacer::Choice LabelPlacer::best_of(const LabelRequest& r) const {
  Choice best;
  best.cost = kDropped;
  const auto preference = [&](Point2 d) {
    const double n = std::hypot(r.prefer.x, r.prefer.y);
    // Without a wish: to the right, then left, then above and below.
    if (n == 0) return 1.5 * (1 - d.x) + 0.5 * std::fabs(d.y);
    return 3 * (1 - (d.x * r.prefer.x + d.y * r.prefer.y) / n);
  };
  for (std::size_t t = 0; t < r.texts.size(); ++t) {
    const double base = kShorter * static_cast<double>(t);
    const double width = text_width(r.texts[t], r.size, r.bold);
    for (int i = 0; i < 16; ++i) {
      const double a = i * std::numbers::pi / 8;
      const Point2 d{std::cos(a), std::sin(a)};
      for (const double gap : {kPadding + 2, kPadding + 6})
        consider(r, t, width, d, r.clearance + gap, base + preference(d) + 0.5 * gap, false, best);
    }
    if (best.cost < base + kGoodEnough) return best;
  }
  if (!r.leader) return best;
  for (std::size_t t = 0; t < r.texts.size(); ++t) {
    const double width = text_width(r.texts[t], r.size, r.bold);
    for (double length = 16; length <= 170; length *= 1.3) {
      for (int i = 0; i < 32; ++i) {
        const double a = i * std::numbers::pi / 16;
        const Point2 d{std::cos(a), std::sin(a)};
        const double base =
            kShorter * static_cast<double>(t) + kLeader + kPerUnit * length + preference(d);
        consider(r, t, width, d, r.clearance + length, base, true, best);
      }
    }
  }
  return best;
}

void LabelPlacer::commit(const PlacedLabel& l) {
  if (!l.placed) return;
  block(padded(l.text));
  if (l.has_leader) block(stroke_quad(l.leader_from, l.leader_to, 2));
}

bool LabelPlacer::place_at(const std::vector<Text>& candidates, double most, Text& chosen) {
  double best = 1e300;
  for (const Text& t : candidates) {
    const Quad q = padded(t);
    if (!is_free(q)) continue;
    const double cost = line_cost(q);
    if (cost >= best) continue;
    best = cost;
    chosen = t;
    if (cost < most) break;
  }
  if (best == 1e300) return false;
  block(padded(chosen));
  return true;
}

std::vector<PlacedLabel> LabelPlacer::place(const std::vector<LabelRequest>& requests) {
  const std::size_t fixed = blocks_.size();
  std::vector<std::size_t> order(requests.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<PlacedLabel> best, now(requests.size());
  double best_cost = 1e300;
  const auto attempt = [&] {
    double cost = 0;
    for (const std::size_t i : order) {
      const Choice c = best_of(requests[i]);
      now[i] = c.label;
      cost += c.cost;
      commit(c.label);
    }
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(fixed), blocks_.end());
    if (cost < best_cost) best_cost = cost, best = now;
  };
  attempt();
  const auto by = [&](auto key) {
    if (best_cost <= kGoodEnough * static_cast<double>(requests.size())) return;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    attempt();
  };
  by([&](std::size_t i) { return requests[i].at.x; });
  by([&](std::size_t i) { return -requests[i].at.x; });
  by([&](std::size_t i) { return requests[i].at.y; });
  by([&](std::size_t i) { return -static_cast<double>(requests[i].texts.front().size()); });
  for (const PlacedLabel& l : best) commit(l);
  return best;
}

}  // namespace rooflens
