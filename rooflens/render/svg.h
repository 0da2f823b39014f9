// A Scene as one self-contained SVG file: no script, no link, no font file.
#pragma once

#include <string>
#include <string_view>

#include "rooflens/render/scene.h"

namespace rooflens {

// automatic: light, and dark where the reader prefers it. Colours are CSS variables (--rl-paper,
// --rl-decode, ...; theme.h) that a page may set on any element around the drawing.
enum class Theme : std::uint8_t { automatic, light, dark };

struct SvgOptions {
  Theme theme = Theme::automatic;
  bool file = true;        // with the XML declaration and a fixed size; false = to put into a page
  bool focusable = false;  // items with a tip can be reached by keyboard (pages)
  std::string_view id = "rl";  // prefix of ids, unique in the page
};

// Well-formed whatever the texts hold. Coordinates are rounded to 0.1.
[[nodiscard]] std::string to_svg(const Scene& scene, const SvgOptions& options = {});

// `<`, `&`, quotes as entities; characters XML does not allow as U+FFFD.
[[nodiscard]] std::string xml_escape(std::string_view s);

}  // namespace rooflens
