#include "rooflens/render/text_width.h"

#include <algorithm>

#include "rooflens/render/text.h"

namespace rooflens {
namespace {

// Advance widths of U+0020..U+007E in 1/1000 of the font size.
constexpr short kAdvance[95] = {
    318, 401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361,  318, 337, 637, 637, 637,
    637, 637, 637, 637, 637, 637, 637, 337, 337, 838, 838, 838, 556, 1015, 685, 687, 722, 771, 667,
    611, 778, 752, 295, 500, 667, 558, 863, 749, 788, 667, 788, 722, 667,  611, 732, 685, 989, 686,
    667, 686, 391, 337, 391, 838, 556, 500, 613, 635, 550, 635, 616, 353,  635, 634, 278, 278, 580,
    278, 975, 634, 612, 635, 635, 412, 521, 393, 634, 592, 818, 592, 592,  525, 637, 337, 637, 838,
};
// Bold is wider by as much as 0.11 of the font size, and no character by more than a quarter.
constexpr double kBold = 1.12;

double advance(char32_t c) {
  if (c >= 0x20 && c < 0x7f) return kAdvance[c - 0x20] / 1000.0;
  switch (c) {
    case 0xb7:
      return 0.32;
    case 0xb5:
    case 0x3bc:
      return 0.64;
    case 0x2013:
      return 0.56;
    case 0x2026:
    case 0x2014:
      return 1.0;
    case 0xb0:
    case 0xb2:
    case 0xb3:
      return 0.5;
    default:
      break;
  }
  return display_width(c) == 0 ? 0 : display_width(c) == 2 ? 1.05 : c < 0x250 ? 0.75 : 0.85;
}

}  // namespace

double text_width(std::string_view text, double size, bool bold) {
  double w = 0;
  for (std::size_t at = 0; at < text.size();) w += advance(next_char(text, at));
  return w * size * (bold ? kBold : 1);
}

std::string fit_text(std::string_view text, double size, bool bold, double width) {
  if (text_width(text, size, bold) <= width) return std::string(text);
  const double room = width - text_width("…", size, bold);
  if (room < 0) return {};
  std::string out;
  double w = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    const char32_t c = next_char(text, at);
    w += advance(c) * size * (bold ? kBold : 1);
    if (w > room) break;
    out += text.substr(from, at - from);
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out + "…";
}

std::vector<std::string> fit_lines(std::string_view text, double size, bool bold, double width,
                                   std::size_t lines) {
  std::vector<std::string> out;
  while (!text.empty() && out.size() < lines) {
    std::size_t cut = text.size();
    while (cut != std::string_view::npos && text_width(text.substr(0, cut), size, bold) > width)
      cut = cut == 0 ? std::string_view::npos : text.rfind(' ', cut - 1);
    if (cut == std::string_view::npos || cut == 0 || out.size() + 1 == lines) cut = text.size();
    out.push_back(fit_text(text.substr(0, cut), size, bold, width));
    text.remove_prefix(cut);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  }
  return out;
}

}  // namespace rooflens
