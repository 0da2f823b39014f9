// The little plane geometry a chart needs. User units, y downwards.
#pragma once

#include <array>

namespace rooflens {

struct Point2 {
  double x = 0, y = 0;
};

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;

  [[nodiscard]] double width() const { return right - left; }
  [[nodiscard]] double height() const { return bottom - top; }
  [[nodiscard]] Box grown(double by) const {
    return {left - by, top - by, right + by, bottom + by};
  }
  [[nodiscard]] bool contains(const Box& b) const {
    return b.left >= left && b.top >= top && b.right <= right && b.bottom <= bottom;
  }
};

// A rectangle that may be turned: corners in order around it.
struct Quad {
  std::array<Point2, 4> corners;
};

[[nodiscard]] Quad quad(const Box& b);
[[nodiscard]] Box bounds(const Quad& q);
[[nodiscard]] bool overlap(const Box& a, const Box& b);    // touching does not count
[[nodiscard]] bool overlap(const Quad& a, const Quad& b);  // both convex; touching does not count

// True when the segment a-b has a point inside the box.
[[nodiscard]] bool crosses(Point2 a, Point2 b, const Box& box);

// True when the segments a-b and c-d cross; touching or lying along each other does not count.
[[nodiscard]] bool crosses(Point2 a, Point2 b, Point2 c, Point2 d);

// A rectangle of the given thickness around the segment a-b.
[[nodiscard]] Quad stroke_quad(Point2 a, Point2 b, double thickness);

}  // namespace rooflens
