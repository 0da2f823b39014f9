#include "rooflens/render/scene.h"

#include <cmath>
#include <numbers>

#include "rooflens/render/text_width.h"

namespace rooflens {

const char* name_of(Look l) {
  switch (l) {
    case Look::paper:
      return "paper";
    case Look::under:
      return "under";
    case Look::grid:
      return "grid";
    case Look::axis:
      return "axis";
    case Look::hairline:
      return "hairline";
    case Look::leader:
      return "leader";
    case Look::roof:
      return "roof";
    case Look::roof_max:
      return "roof-max";
    case Look::path_decode:
      return "path-decode";
    case Look::path_prefill:
      return "path-prefill";
    case Look::path_other:
      return "path-other";
    case Look::tick_decode:
      return "tick-decode";
    case Look::tick_prefill:
      return "tick-prefill";
    case Look::tick_other:
      return "tick-other";
    case Look::mark_decode:
      return "mark-decode";
    case Look::mark_prefill:
      return "mark-prefill";
    case Look::mark_other:
      return "mark-other";
    case Look::mark_neutral:
      return "mark-neutral";
    case Look::title:
      return "title";
    case Look::ink:
      return "ink";
    case Look::muted:
      return "muted";
    case Look::text_decode:
      return "text-decode";
    case Look::text_prefill:
      return "text-prefill";
    case Look::text_other:
      return "text-other";
  }
  return "ink";
}

void Scene::add(std::variant<Polyline, Rect, Mark, Text> shape, Look look, std::string tip) {
  items.push_back({std::move(shape), look, std::move(tip)});
}

Quad text_quad(const Text& t) {
  const double w = text_width(t.text, t.size, t.bold);
  const double from = t.anchor == Anchor::start ? 0 : t.anchor == Anchor::middle ? -w / 2 : -w;
  Quad q = quad({from, -kTextAscent * t.size, from + w, kTextDescent * t.size});
  const double a = t.angle * std::numbers::pi / 180, c = std::cos(a), s = std::sin(a);
  for (Point2& p : q.corners) p = {t.at.x + c * p.x - s * p.y, t.at.y + s * p.x + c * p.y};
  return q;
}

Box mark_box(const Mark& m) {
  return Box{m.at.x, m.at.y, m.at.x, m.at.y}.grown(1.1 * m.radius + 1);
}

std::vector<Point2> outline(const Mark& m) {
  const double r = m.radius;
  const auto around = [&](int n, double first, auto radius) {
    std::vector<Point2> out;
    for (int i = 0; i < n; ++i) {
      const double a = first + 2 * std::numbers::pi * i / n;
      out.push_back({m.at.x + radius(i) * std::cos(a), m.at.y + radius(i) * std::sin(a)});
    }
    return out;
  };
  constexpr double kUp = -std::numbers::pi / 2;
  switch (m.shape) {
    case Shape::circle:
      return {};
    case Shape::square:
      return around(4, kUp / 2, [&](int) { return 1.2 * r; });
    case Shape::diamond:
      return around(4, kUp, [&](int) { return 1.1 * r; });
    case Shape::triangle:
      return around(3, kUp, [&](int) { return 1.1 * r; });
    case Shape::star:
      return around(10, kUp, [&](int i) { return i % 2 ? 0.48 * r : 1.1 * r; });
    case Shape::cross: {
      const double t = 0.25 * r;
      return {{m.at.x - t, m.at.y - r}, {m.at.x + t, m.at.y - r}, {m.at.x + t, m.at.y - t},
              {m.at.x + r, m.at.y - t}, {m.at.x + r, m.at.y + t}, {m.at.x + t, m.at.y + t},
              {m.at.x + t, m.at.y + r}, {m.at.x - t, m.at.y + r}, {m.at.x - t, m.at.y + t},
              {m.at.x - r, m.at.y + t}, {m.at.x - r, m.at.y - t}, {m.at.x - t, m.at.y - t}};
    }
  }
  return {};
}

}  // namespace rooflens
