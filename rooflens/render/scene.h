// A drawing laid out once and shown by any back-end (SVG, cairo, ...): items in paint order, in
// user units with y downwards. A back-end takes colours and strokes from theme.h by the item's
// Look.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "rooflens/render/geometry.h"

namespace rooflens {

// What an item is to the reader; its CSS class is "rl-" + name_of(look).
enum class Look : std::uint8_t {
  paper,
  under,
  grid,
  axis,
  hairline,
  leader,
  roof,
  roof_max,
  path_decode,
  path_prefill,
  path_other,
  tick_decode,
  tick_prefill,
  tick_other,
  mark_decode,
  mark_prefill,
  mark_other,
  mark_neutral,
  title,
  ink,
  muted,
  text_decode,
  text_prefill,
  text_other,
};
inline constexpr int kLooks = 24;
[[nodiscard]] const char* name_of(Look l);

enum class Shape : std::uint8_t { circle, square, diamond, triangle, star, cross };
enum class Anchor : std::uint8_t { start, middle, end };

struct Polyline {
  std::vector<Point2> points;
  bool closed = false;
};

struct Rect {
  Box box;
  double corner = 0;
};

struct Mark {
  Point2 at;
  double radius = 6;
  Shape shape = Shape::circle;
  bool hollow = false;
};

// One line of text; `at` is on the baseline. `angle` in degrees, clockwise, around `at`.
struct Text {
  Point2 at;
  Anchor anchor = Anchor::start;
  std::string text;
  double size = 12;
  bool bold = false;
  double angle = 0;
};

struct Item {
  std::variant<Polyline, Rect, Mark, Text> shape;
  Look look = Look::ink;
  std::string tip;  // shown on hover and read by screen readers; empty = none
};

struct Scene {
  double width = 0, height = 0;
  std::string title, description;  // for those who cannot see it
  std::vector<Item> items;

  void add(std::variant<Polyline, Rect, Mark, Text> shape, Look look, std::string tip = {});
};

// What the text covers (text_width.h), and the mark with its outline.
[[nodiscard]] Quad text_quad(const Text& t);
[[nodiscard]] Box mark_box(const Mark& m);

// The outline of a shape, to be filled or stroked; empty for a circle. A cross is a thin polygon.
[[nodiscard]] std::vector<Point2> outline(const Mark& m);

}  // namespace rooflens
