// Rows of swatches and words under a chart.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "rooflens/render/scene.h"

namespace rooflens {

struct LegendEntry {
  std::variant<std::monostate, Mark, Polyline> swatch;  // around (0, 0); a line is 18 long
  Look look = Look::ink;
  std::string text;
};

// Entries flow from left to right into rows of `width`, in order; a text longer than a row is cut.
// Entries past `max_rows` are left out from the end and counted in a last one, "+3 more". At least
// one row is used for a non-empty list.
class Legend {
 public:
  Legend(std::vector<LegendEntry> entries, double width, double size, std::size_t max_rows);

  [[nodiscard]] std::size_t shown() const { return shown_; }  // of the entries given
  [[nodiscard]] double height() const { return row_height() * static_cast<double>(rows_); }
  void draw(Scene& scene, double left, double top) const;

 private:
  struct Place {
    double x = 0;
    std::size_t row = 0;
  };
  [[nodiscard]] double row_height() const { return size_ * 1.5; }
  void flow();

  std::vector<LegendEntry> entries_;
  std::vector<Place> places_;
  double width_, size_;
  std::size_t rows_ = 0, shown_ = 0;
};

}  // namespace rooflens
