// A grid of character cells with 2 x 4 dots in each (braille), for charts in a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rooflens {

// Colours of a cell; none where the terminal has none.
enum class Pen : std::uint8_t { plain, dim, bold, decode, prefill, other };

class Canvas {
 public:
  Canvas(int width, int height, bool ascii);

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }

  // In cells, from the left and the top; fractions say where inside the cell. Outside is ignored.
  // With `ascii` a cell shows - / \ | or . by the way of the line.
  void line(double x0, double y0, double x1, double y1, Pen pen, bool dashed = false);

  // Writes over dots. False, and nothing is written, when a cell is outside or holds text, or
  // `over_dots` is false and a cell holds dots. One column per character: `text` must be narrow.
  bool text(int x, int y, std::string_view text, Pen pen, bool over_dots = true);
  [[nodiscard]] bool has_text(int x, int y) const;

  // Each row without trailing spaces, '\n' ended; `color` adds ANSI escapes.
  [[nodiscard]] std::string row(int y, bool color) const;

 private:
  struct Cell {
    char32_t text = 0;
    std::uint8_t dots = 0;
    char stroke = 0;
    Pen pen = Pen::plain;
  };
  [[nodiscard]] bool inside(int x, int y) const {
    return x >= 0 && y >= 0 && x < width_ && y < height_;
  }
  [[nodiscard]] std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
           static_cast<std::size_t>(x);
  }
  Cell& cell(int x, int y) { return cells_[index(x, y)]; }
  [[nodiscard]] const Cell& cell(int x, int y) const { return cells_[index(x, y)]; }

  int width_, height_;
  bool ascii_;
  std::vector<Cell> cells_;
};

}  // namespace rooflens
