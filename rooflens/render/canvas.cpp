#include "rooflens/render/canvas.h"

#include <algorithm>
#include <cmath>

#include "rooflens/render/text.h"

namespace rooflens {
namespace {

// Dots of a braille character by column and row, from the top.
constexpr std::uint8_t kDot[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};

const char* escape(Pen p) {
  switch (p) {
    case Pen::plain:
      return "";
    case Pen::dim:
      return "\x1b[2m";
    case Pen::bold:
      return "\x1b[1m";
    case Pen::decode:
      return "\x1b[36m";
    case Pen::prefill:
      return "\x1b[33m";
    case Pen::other:
      return "\x1b[35m";
  }
  return "";
}

char stroke_of(double dx, double dy) {
  // A cell is twice as high as wide.
  const double slope = std::fabs(dy) * 2 / std::max(1e-9, std::fabs(dx));
  if (slope == 0) return '-';
  if (slope < 1.2) return 0;  // by the height within the cell
  if (slope > 5) return '|';
  return (dx > 0) == (dy > 0) ? '\\' : '/';
}

}  // namespace

Canvas::Canvas(int width, int height, bool ascii)
    : width_(std::max(1, width)),
      height_(std::max(1, height)),
      ascii_(ascii),
      cells_(static_cast<std::size_t>(width_ * height_)) {}

void Canvas::line(double x0, double y0, double x1, double y1, Pen pen, bool dashed) {
  const double span = std::max(std::fabs(x1 - x0) * 2, std::fabs(y1 - y0) * 4);
  if (!(span < 1e5)) return;
  const int steps = std::max(1, static_cast<int>(std::ceil(span * 1.5)));
  const char stroke = stroke_of(x1 - x0, y1 - y0);
  for (int i = 0; i <= steps; ++i) {
    const double t = static_cast<double>(i) / steps;
    const double x = x0 + t * (x1 - x0), y = y0 + t * (y1 - y0);
    const int cx = static_cast<int>(std::floor(x)), cy = static_cast<int>(std::floor(y));
    if (!inside(cx, cy)) continue;
    if (dashed && (ascii_ ? cx % 2 : static_cast<int>(std::floor((x + y) * 2)) % 4 >= 2)) continue;
    Cell& c = cell(cx, cy);
    const int dx = std::min(1, static_cast<int>((x - cx) * 2));
    const int dy = std::min(3, static_cast<int>((y - cy) * 4));
    c.dots = static_cast<std::uint8_t>(c.dots | kDot[dx][dy]);
    c.stroke = stroke ? stroke : "''-_"[dy];
    c.pen = pen;
  }
}

bool Canvas::has_text(int x, int y) const { return inside(x, y) && cell(x, y).text != 0; }

bool Canvas::text(int x, int y, std::string_view text, Pen pen, bool over_dots) {
  int at_x = x;
  for (std::size_t at = 0; at < text.size(); ++at_x) {
    (void)next_char(text, at);
    if (!inside(at_x, y) || cell(at_x, y).text != 0) return false;
    if (!over_dots && cell(at_x, y).dots != 0) return false;
  }
  at_x = x;
  for (std::size_t at = 0; at < text.size(); ++at_x) {
    Cell& c = cell(at_x, y);
    c.text = next_char(text, at);
    c.pen = pen;
  }
  return true;
}

std::string Canvas::row(int y, bool color) const {
  std::string out;
  int last = width_ - 1;
  while (last >= 0 && cell(last, y).dots == 0 && (cell(last, y).text | 0x20) == 0x20) --last;
  Pen pen = Pen::plain;
  for (int x = 0; x <= last; ++x) {
    const Cell& c = cell(x, y);
    const bool blank = c.dots == 0 && (c.text == 0 || c.text == ' ');
    if (color && !blank && c.pen != pen) {
      if (pen != Pen::plain) out += "\x1b[0m";
      out += escape(c.pen);
      pen = c.pen;
    }
    if (c.text) {
      append_utf8(out, c.text);
    } else if (c.dots == 0) {
      out += ' ';
    } else if (ascii_) {
      out += c.stroke;
    } else {
      append_utf8(out, char32_t{0x2800} + c.dots);
    }
  }
  if (pen != Pen::plain) out += "\x1b[0m";
  return out + '\n';
}

}  // namespace rooflens
