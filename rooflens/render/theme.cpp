#include "rooflens/render/theme.h"

namespace rooflens {

const char* name_of(Ink i) {
  switch (i) {
    case Ink::none:
      return "none";
    case Ink::paper:
      return "paper";
    case Ink::ink:
      return "ink";
    case Ink::muted:
      return "muted";
    case Ink::grid:
      return "grid";
    case Ink::axis:
      return "axis";
    case Ink::roof:
      return "roof";
    case Ink::under:
      return "under";
    case Ink::decode:
      return "decode";
    case Ink::prefill:
      return "prefill";
    case Ink::other:
      return "other";
  }
  return "none";
}

std::uint32_t color(Ink i, bool dark) {
  switch (i) {
    case Ink::none:
      return 0;
    case Ink::paper:
      return dark ? 0x14181d : 0xffffff;
    case Ink::ink:
      return dark ? 0xe8ebee : 0x1c2128;
    case Ink::muted:
      return dark ? 0x9aa4af : 0x5b6470;
    case Ink::grid:
      return dark ? 0x29303a : 0xe7e9ec;
    case Ink::axis:
      return dark ? 0x6b7480 : 0x8a929c;
    case Ink::roof:
      return dark ? 0xd3d9df : 0x2f3742;
    case Ink::under:
      return dark ? 0x1a2027 : 0xf6f8fa;
    case Ink::decode:
      return dark ? 0x5ab4e8 : 0x0068a8;
    case Ink::prefill:
      return dark ? 0xf0964a : 0xb84a00;
    case Ink::other:
      return dark ? 0xb9a3e3 : 0x6b4fa0;
  }
  return 0;
}

Style style_of(Look l) {
  Style s;
  const auto stroke = [&](Ink i, double width, double dash = 0, double gap = 0) {
    s.stroke = i;
    s.stroke_width = width;
    s.dash = dash;
    s.gap = gap;
  };
  const auto path = [&](Ink i) {
    stroke(i, 6);
    s.opacity = 0.38;
    s.round = true;
  };
  const auto mark = [&](Ink i) {
    s.fill = i;
    stroke(Ink::paper, 1.25);
  };
  const auto text = [&](Ink i, bool halo) {
    s.fill = i;
    s.halo = halo;
  };
  switch (l) {
    case Look::paper:
      s.fill = Ink::paper;
      break;
    case Look::under:
      s.fill = Ink::under;
      break;
    case Look::grid:
      stroke(Ink::grid, 1);
      break;
    case Look::axis:
      stroke(Ink::axis, 1);
      break;
    case Look::hairline:
      stroke(Ink::axis, 1, 2, 3);
      break;
    case Look::leader:
      stroke(Ink::axis, 0.9);
      break;
    case Look::roof:
      stroke(Ink::roof, 2);
      s.round = true;
      break;
    case Look::roof_max:
      stroke(Ink::roof, 1.4, 6, 4);
      break;
    case Look::path_decode:
      path(Ink::decode);
      break;
    case Look::path_prefill:
      path(Ink::prefill);
      break;
    case Look::path_other:
      path(Ink::other);
      break;
    case Look::tick_decode:
      stroke(Ink::decode, 1.6);
      break;
    case Look::tick_prefill:
      stroke(Ink::prefill, 1.6);
      break;
    case Look::tick_other:
      stroke(Ink::other, 1.6);
      break;
    case Look::mark_decode:
      mark(Ink::decode);
      break;
    case Look::mark_prefill:
      mark(Ink::prefill);
      break;
    case Look::mark_other:
      mark(Ink::other);
      break;
    case Look::mark_neutral:
      mark(Ink::muted);
      break;
    case Look::title:
      text(Ink::ink, false);
      break;
    case Look::ink:
      text(Ink::ink, true);
      break;
    case Look::muted:
      text(Ink::muted, true);
      break;
    case Look::text_decode:
      text(Ink::decode, true);
      break;
    case Look::text_prefill:
      text(Ink::prefill, true);
      break;
    case Look::text_other:
      text(Ink::other, true);
      break;
  }
  return s;
}

}  // namespace rooflens
