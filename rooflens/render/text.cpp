#include "rooflens/render/text.h"

#include <algorithm>

namespace rooflens {
namespace {

struct Interval {
  char32_t first, last;
};
constexpr Interval kZero[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a}, {0x064b, 0x065f},
    {0x0900, 0x0902}, {0x093c, 0x093c}, {0x0941, 0x0948}, {0x0e31, 0x0e31}, {0x0e34, 0x0e3a},
    {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x2060, 0x2064},
    {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef},
};
constexpr Interval kWide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},
    {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0x9fff},
    {0xa000, 0xa4cf},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f},
    {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
};

template <std::size_t N>
bool within(char32_t c, const Interval (&table)[N]) {
  for (const Interval& i : table)
    if (c >= i.first && c <= i.last) return true;
  return false;
}

bool is_hostile(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0x2028 || c == 0x2029;
}

const char* spelled(char32_t c) {
  switch (c) {
    case 0x00b5:
    case 0x03bc:
      return "u";
    case 0x00d7:
      return "x";
    case 0x00b7:
    case 0x2022:
      return "*";
    case 0x00b0:
      return "deg";
    case 0x00b1:
      return "+/-";
    case 0x00b2:
      return "^2";
    case 0x2013:
    case 0x2212:
      return "-";
    case 0x2014:
      return "--";
    case 0x2018:
    case 0x2019:
      return "'";
    case 0x201c:
    case 0x201d:
      return "\"";
    case 0x2026:
      return "...";
    case 0x2190:
      return "<-";
    case 0x2192:
      return "->";
    case 0x2248:
      return "~";
    case 0x2264:
      return "<=";
    case 0x2265:
      return ">=";
    case 0x00a0:
    case 0x2009:
    case 0x202f:
      return " ";
    default:
      return "?";
  }
}

}  // namespace

char32_t next_char(std::string_view s, std::size_t& at) {
  constexpr char32_t kBad = 0xfffd;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char b = byte(at);
  const int more = b < 0x80                ? 0
                   : b >= 0xc2 && b < 0xe0 ? 1
                   : (b & 0xf0) == 0xe0    ? 2
                   : b >= 0xf0 && b < 0xf5 ? 3
                                           : -1;
  if (more == 0) return ++at, b;
  if (more < 0 || at + static_cast<std::size_t>(more) >= s.size()) return ++at, kBad;
  char32_t c = more == 1 ? b & 0x1fu : more == 2 ? b & 0x0fu : b & 0x07u;
  for (int i = 1; i <= more; ++i) {
    const unsigned char n = byte(at + static_cast<std::size_t>(i));
    if ((n & 0xc0) != 0x80) return ++at, kBad;
    c = (c << 6) | (n & 0x3fu);
  }
  const bool overlong = (more == 2 && c < 0x800) || (more == 3 && c < 0x10000);
  if (overlong || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) return ++at, kBad;
  at += static_cast<std::size_t>(more) + 1;
  return c;
}

void append_utf8(std::string& out, char32_t c) {
  const auto put = [&](char32_t b) { out += static_cast<char>(static_cast<unsigned char>(b)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | (c >> 6));
    put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3f));
    put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3f));
    put(0x80 | ((c >> 6) & 0x3f));
    put(0x80 | (c & 0x3f));
  }
}

int display_width(char32_t c) {
  if (c < 0x300) return 1;
  if (within(c, kZero)) return 0;
  return within(c, kWide) ? 2 : 1;
}

int display_width(std::string_view s) {
  int w = 0;
  for (std::size_t at = 0; at < s.size();) w += display_width(next_char(s, at));
  return w;
}

std::string clean(std::string_view s, bool ascii) {
  std::string out;
  out.reserve(s.size());
  for (std::size_t at = 0; at < s.size();) {
    const char32_t c = next_char(s, at);
    if (c == '\t' || c == '\n' || c == '\r') {
      out += ' ';
    } else if (is_hostile(c) || c == 0xfffd) {
      out += ascii ? "?" : "\xef\xbf\xbd";
    } else if (!ascii || c < 0x80) {
      append_utf8(out, c);
    } else if (display_width(c) > 0) {
      out += spelled(c);
    }
  }
  return out;
}

std::vector<std::string> wrap(std::string_view s, int width, int hang) {
  std::vector<std::string> lines;
  std::string line;
  int used = 0;
  bool fresh = true;  // nothing on this line yet
  const auto room = [&] { return std::max(1, lines.empty() ? width : width - hang); };
  const auto end_line = [&] {
    while (!line.empty() && line.back() == ' ') line.pop_back();
    lines.push_back(line);
    line.clear();
    used = 0;
    fresh = true;
  };
  for (std::size_t at = 0; at < s.size();) {
    if (s[at] == '\n') {
      end_line();
      ++at;
      continue;
    }
    if (s[at] == ' ') {
      if (!fresh && used < room()) line += ' ', ++used;
      ++at;
      continue;
    }
    const std::size_t stop = std::min(s.find_first_of(" \n", at), s.size());
    std::string_view word = s.substr(at, stop - at);
    if (!fresh && used + display_width(word) > room()) end_line();
    while (display_width(word) > room()) {  // longer than a whole line: cut
      std::size_t cut = 0;
      for (int w = 0; cut < word.size();) {
        std::size_t next = cut;
        w += display_width(next_char(word, next));
        if (w > room() && cut > 0) break;
        cut = next;
      }
      if (cut == word.size()) break;
      line += word.substr(0, cut);
      end_line();
      word.remove_prefix(cut);
    }
    line += word;
    used += display_width(word);
    fresh = false;
    at = stop;
  }
  if (!fresh || lines.empty()) end_line();
  return lines;
}

std::string shorten(std::string_view s, int width, bool ascii) {
  if (display_width(s) <= width) return std::string(s);
  const std::string_view mark = ascii ? "..." : "…";
  const int keep = width - display_width(mark);
  std::string out;
  int w = 0;
  for (std::size_t at = 0; at < s.size();) {
    const std::size_t from = at;
    const int c = display_width(next_char(s, at));
    if (w + c > (keep > 0 ? keep : width)) break;
    out += s.substr(from, at - from);
    w += c;
  }
  if (keep > 0) out += mark;
  return out;
}

}  // namespace rooflens
