// How wide a text is before any font is at hand. The table holds, per character, the widest of the
// fonts in kFontStack, so that a label laid out here is never clipped where it is shown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rooflens {

inline constexpr const char* kFontStack =
    "system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,'DejaVu Sans',sans-serif";

// Of the font size, above and below the baseline.
inline constexpr double kTextAscent = 0.78, kTextDescent = 0.24;

// In user units at this font size: an upper bound for Latin text, an estimate for other scripts.
[[nodiscard]] double text_width(std::string_view text, double size, bool bold = false);

// Cut with "…" so as not to be wider than `width`; empty when nothing fits.
[[nodiscard]] std::string fit_text(std::string_view text, double size, bool bold, double width);

// Broken at spaces into at most `lines` lines of `width`; the last one is cut if need be.
[[nodiscard]] std::vector<std::string> fit_lines(std::string_view text, double size, bool bold,
                                                 double width, std::size_t lines);

}  // namespace rooflens
