// Text for terminals: what a character is, how wide it is, and how to break lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rooflens {

// Decodes one UTF-8 character at `at` (< s.size()) and moves `at` past it. Anything malformed
// (overlong, surrogate, truncated) is U+FFFD and moves by one byte.
[[nodiscard]] char32_t next_char(std::string_view s, std::size_t& at);
void append_utf8(std::string& out, char32_t c);

// Columns a character takes in a terminal: 0 for combining and zero-width ones, 2 for East Asian
// wide ones and emoji, else 1.
[[nodiscard]] int display_width(char32_t c);
[[nodiscard]] int display_width(std::string_view s);

// Names come from files and may be hostile: control characters (escape sequences among them),
// bidirectional overrides and malformed UTF-8 become U+FFFD; tabs and line ends a space. With
// `ascii`, µ × – → ≥ and the like are spelled in ASCII and the rest becomes '?'.
[[nodiscard]] std::string clean(std::string_view s, bool ascii);

// Lines of at most `width` (>= 1) columns, broken at spaces; a word longer than a line is cut.
// '\n' ends a line. `hang` columns are left free for the caller's indentation on all but the first
// line. At least one line.
[[nodiscard]] std::vector<std::string> wrap(std::string_view s, int width, int hang = 0);

// Cut to `width` columns, with "…" (or "..." where `ascii`) when something was cut.
[[nodiscard]] std::string shorten(std::string_view s, int width, bool ascii);

}  // namespace rooflens
