#include "rooflens/readers/startup_lines.h"

#include <array>
#include <cmath>

#include "rooflens/core/ascii.h"

namespace rooflens {
namespace {

constexpr std::size_t kMostFields = 256, kLongestText = 400;

bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

struct UnitOf {
  std::string_view name;
  double scale;
};
constexpr std::array kUnits{
    UnitOf{"KiB", 1024.0},
    UnitOf{"MiB", 1048576.0},
    UnitOf{"GiB", 1073741824.0},
    UnitOf{"TiB", 1099511627776.0},
    UnitOf{"K", 1e3},
    UnitOf{"M", 1e6},
    UnitOf{"B", 1e9},
    UnitOf{"T", 1e12},
    UnitOf{"%", 0.01},
    UnitOf{"x", 1},
};

}  // namespace

bool take_number(std::string_view& s, double& value, int& decimals) {
  std::size_t i = 0;
  const bool minus = i < s.size() && s[i] == '-';
  if (minus) ++i;
  const std::size_t first = i;
  double v = 0;
  int behind = 0, exponent = 0;
  bool point = false;
  for (; i < s.size(); ++i) {
    if (digit(s[i])) {
      if (behind < 15) {
        v = v * 10 + (s[i] - '0');
        if (point) ++behind;
      }
    } else if (s[i] == '.' && !point && i > first) {
      point = true;
    } else if (!(s[i] == ',' && !point && i > first && i + 3 < s.size() && digit(s[i + 1]) &&
                 digit(s[i + 2]) && digit(s[i + 3]))) {
      break;
    }
    if (i - first > 400) return false;
  }
  if (i == first) return false;
  if (point && s[i - 1] == '.') --i;  // the end of a sentence
  const bool sign = i + 1 < s.size() && (s[i + 1] == '-' || s[i + 1] == '+');
  const std::size_t power = i + (sign ? 2 : 1);  // of ten: "1e-06", "1e400"
  if (power < s.size() && s[i] == 'e' && digit(s[power])) {
    std::size_t j = power;
    while (j < s.size() && digit(s[j]) && exponent < 1000)
      exponent = exponent * 10 + (s[j++] - '0');
    if (s[i + 1] == '-') exponent = -exponent;
    i = j;
  }
  value = (minus ? -v : v) * std::pow(10.0, exponent - behind);
  if (exponent == 0) value = (minus ? -v : v) / std::pow(10.0, behind);
  decimals = behind;
  s.remove_prefix(i);
  return std::isfinite(value);
}

Printed printed_number(std::string_view s, std::string name, std::uint64_t line, bool binary) {
  Printed p;
  p.name = std::move(name);
  p.line = line;
  while (!s.empty() && (s.front() == ' ' || s.front() == '=' || s.front() == '\t'))
    s.remove_prefix(1);
  const std::string_view whole = s;
  double value = 0;
  if (!take_number(s, value, p.decimals)) return p;
  const std::size_t digits = whole.size() - s.size();
  std::size_t blanks = 0;
  while (blanks < s.size() && s[blanks] == ' ') ++blanks;
  const std::string_view rest = s.substr(blanks);
  std::size_t letters = 0;
  while (letters < rest.size() && (letter(rest[letters]) || rest[letters] == '%')) ++letters;
  std::string_view unit = rest.substr(0, letters);
  if (binary && (unit == "GB" || unit == "MB")) {
    p.scale = unit == "GB" ? 1073741824.0 : 1048576.0;
    p.unit = unit;
  } else {
    for (const UnitOf& u : kUnits) {
      if (u.name != unit) continue;
      p.scale = u.scale;
      p.unit = unit;
      break;
    }
  }
  p.value = value * p.scale;
  p.text =
      p.unit.empty() ? whole.substr(0, digits) : whole.substr(0, digits + blanks + p.unit.size());
  return p;
}

std::string_view after(std::string_view s, std::string_view mark) {
  const std::size_t at = s.find(mark);
  return at == std::string_view::npos ? std::string_view() : s.substr(at + mark.size());
}

std::string_view setting_of(std::string_view s, std::string_view key) {
  for (std::size_t at = s.find(key); at != std::string_view::npos; at = s.find(key, at + 1)) {
    const std::size_t end = at + key.size();
    if ((at > 0 && (letter(s[at - 1]) || digit(s[at - 1]))) || end >= s.size()) continue;
    if (s[end] != '=') continue;
    std::string_view v = s.substr(end + 1);
    if (!v.empty() && (v[0] == '\'' || v[0] == '"')) {
      const char quote = v[0];
      v.remove_prefix(1);
      return v.substr(0, v.find(quote));
    }
    return v.substr(0, v.find_first_of(", )]}\t"));
  }
  return {};
}

void keep(Startup& s, Printed p) {
  if (p.text.empty() || s.fields.size() >= kMostFields || s.find(p.name) != nullptr) return;
  if (p.text.size() > kLongestText) p.text.resize(kLongestText);
  s.fields.push_back(std::move(p));
}

void keep_word(Startup& s, std::string_view name, std::string_view text, std::uint64_t line) {
  text = trim(text);
  if (text.empty() || text == "None") return;
  Printed p = printed_number(text, std::string(name), line);
  if (p.text.size() != text.size()) {
    p.value = std::numeric_limits<double>::quiet_NaN();
    p.text = text.substr(0, kLongestText);
  }
  keep(s, std::move(p));
}

}  // namespace rooflens
