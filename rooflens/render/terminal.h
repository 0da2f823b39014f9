// A roofline as text: braille lines (or ASCII), points as letters, explained below.
#pragma once

#include <string>

#include "rooflens/render/roofline_chart.h"

namespace rooflens {

struct TerminalOptions {
  int width = 80;      // columns of the whole output; less than 40 is taken as 40
  int height = 20;     // rows of the plot with its axes, without title and legend; at least 8
  bool color = false;  // ANSI escapes
  bool ascii = false;  // no character above 0x7e
};

// Title, plot, and one legend entry per point: letter, label, intensity and FLOP/s. Points are
// lettered from the left, measured ones in small letters; those that share a cell share the place
// of the first ("at A"). No line is wider than the width and no text covers another.
[[nodiscard]] std::string roofline_text(const RooflineChart& c,
                                        const TerminalOptions& options = {});

}  // namespace rooflens
