// Colours and strokes of every Look, for light and dark paper. The two hues (blue for decode,
// orange for prefill) are told apart by every common kind of colour blindness, and shapes and words
// carry the same meaning. Text keeps a contrast of 4.5:1 or more on its paper.
#pragma once

#include <cstdint>

#include "rooflens/render/scene.h"

namespace rooflens {

enum class Ink : std::uint8_t {
  none,
  paper,
  ink,
  muted,
  grid,
  axis,
  roof,
  under,
  decode,
  prefill,
  other,
};
inline constexpr int kInks = 11;
[[nodiscard]] const char* name_of(Ink i);

// 0xRRGGBB; Ink::none has no colour.
[[nodiscard]] std::uint32_t color(Ink i, bool dark);

struct Style {
  Ink fill = Ink::none, stroke = Ink::none;
  double stroke_width = 0;
  double dash = 0, gap = 0;  // 0 = solid
  double opacity = 1;
  bool round = false;  // caps and joins
  bool halo = false;   // text: a rim of paper under it
};
// A hollow Mark is filled with paper and stroked with the fill.
[[nodiscard]] Style style_of(Look l);

}  // namespace rooflens
