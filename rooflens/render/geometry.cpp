#include "rooflens/render/geometry.h"

#include <algorithm>
#include <cmath>

namespace rooflens {
namespace {

// True when some side of `a` has all of `b` on its far side.
bool separated(const Quad& a, const Quad& b) {
  for (std::size_t i = 0; i < 4; ++i) {
    const Point2 p = a.corners[i], q = a.corners[(i + 1) % 4];
    const double nx = q.y - p.y, ny = p.x - q.x;
    double a_low = 1e300, a_high = -1e300, b_low = 1e300, b_high = -1e300;
    for (const Point2& c : a.corners) {
      const double d = nx * c.x + ny * c.y;
      a_low = std::min(a_low, d);
      a_high = std::max(a_high, d);
    }
    for (const Point2& c : b.corners) {
      const double d = nx * c.x + ny * c.y;
      b_low = std::min(b_low, d);
      b_high = std::max(b_high, d);
    }
    if (b_low >= a_high || b_high <= a_low) return true;
  }
  return false;
}

}  // namespace

Quad quad(const Box& b) {
  return {{{{b.left, b.top}, {b.right, b.top}, {b.right, b.bottom}, {b.left, b.bottom}}}};
}

Box bounds(const Quad& q) {
  Box b{q.corners[0].x, q.corners[0].y, q.corners[0].x, q.corners[0].y};
  for (const Point2& c : q.corners) {
    b.left = std::min(b.left, c.x);
    b.right = std::max(b.right, c.x);
    b.top = std::min(b.top, c.y);
    b.bottom = std::max(b.bottom, c.y);
  }
  return b;
}

bool overlap(const Box& a, const Box& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

bool overlap(const Quad& a, const Quad& b) {
  return overlap(bounds(a), bounds(b)) && !separated(a, b) && !separated(b, a);
}

bool crosses(Point2 a, Point2 b, const Box& box) {
  double from = 0, to = 1;
  const double dx = b.x - a.x, dy = b.y - a.y;
  // The part of the segment on the inner side of each edge (Liang-Barsky).
  const double step[4] = {-dx, dx, -dy, dy};
  const double room[4] = {a.x - box.left, box.right - a.x, a.y - box.top, box.bottom - a.y};
  for (int i = 0; i < 4; ++i) {
    if (step[i] == 0) {
      if (room[i] <= 0) return false;
      continue;
    }
    const double t = room[i] / step[i];
    if (step[i] < 0) {
      from = std::max(from, t);
    } else {
      to = std::min(to, t);
    }
  }
  return from < to;
}

bool crosses(Point2 a, Point2 b, Point2 c, Point2 d) {
  const auto side = [](Point2 p, Point2 q, Point2 r) {
    return (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
  };
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

Quad stroke_quad(Point2 a, Point2 b, double thickness) {
  const double dx = b.x - a.x, dy = b.y - a.y;
  const double length = std::max(1e-9, std::hypot(dx, dy));
  const double nx = -dy / length * thickness / 2, ny = dx / length * thickness / 2;
  return {
      {{{a.x + nx, a.y + ny}, {b.x + nx, b.y + ny}, {b.x - nx, b.y - ny}, {a.x - nx, a.y - ny}}}};
}

}  // namespace rooflens
