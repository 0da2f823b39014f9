#include "rooflens/check/claim_words.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "rooflens/core/ascii.h"
#include "rooflens/core/quantity.h"

namespace rooflens {
namespace {

using Kind = ClaimToken::Kind;

bool in_word(char c) {
  return is_letter(c) || is_digit(c) || c == '/' || c == '_' || c == '-' || c == '+' || c == '.' ||
         c == '%' || static_cast<unsigned char>(c) >= 0x80;
}

struct Replacement {
  std::string_view from, to;
};
constexpr std::array<Replacement, 17> kTidy{{
    {"\xC2\xB5", "u"},
    {"\xCE\xBC", "u"},
    {"\xC2\xB1", "+-"},
    {"\xC2\xA0", " "},
    {"\xC3\x97", "x"},
    {"\xC2\xB7", " "},
    {"\xE2\x89\x88", " "},
    {"\xE2\x88\xBC", " "},
    {"\xE2\x80\x93", "-"},
    {"\xE2\x80\x94", " ; "},
    {"\xE2\x80\x89", " "},
    {"\xE2\x80\xAF", " "},
    {"\xE2\x80\xA6", " "},
    {"\xE2\x86\x92", " "},
    {"\xE2\x80\x99", "'"},
    {"\xE2\x80\xA2", " ; "},
    {"\xE2\x88\x92", "-"},
}};

// End of the digits of a number that starts at i: "3,288.5e3", "1_000", "12'000".
std::size_t number_end(std::string_view s, std::size_t i, std::string& digits) {
  const auto three_digits = [&](std::size_t at) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (at + k >= s.size() || !is_digit(s[at + k])) return false;
    }
    return at + 3 >= s.size() || !is_digit(s[at + 3]);
  };
  std::size_t lead = 0;
  while (i < s.size() && is_digit(s[i])) digits += s[i++], ++lead;
  bool groups = lead >= 1 && lead <= 3;
  while (groups && i < s.size() && (s[i] == ',' || s[i] == '_' || s[i] == '\'') &&
         three_digits(i + 1)) {
    digits += s.substr(i + 1, 3);
    i += 4;
  }
  if (i + 1 < s.size() && s[i] == '.' && is_digit(s[i + 1])) {
    digits += s[i++];
    while (i < s.size() && is_digit(s[i])) digits += s[i++];
  }
  std::size_t e = i;
  if (e < s.size() && (s[e] == 'e' || s[e] == 'E')) {
    ++e;
    if (e < s.size() && (s[e] == '-' || s[e] == '+')) ++e;
    const std::size_t first = e;
    while (e < s.size() && is_digit(s[e])) ++e;
    if (e > first && (e == s.size() || !is_letter(s[e]))) {
      digits += s.substr(i, e - i);
      i = e;
    }
  }
  return i;
}

// "pp512", "d4096", "bs8", "batch-8": letters that mean something, then a number.
std::size_t split_before_number(std::string_view word) {
  std::size_t i = 0;
  while (i < word.size() && is_letter(word[i])) ++i;
  const std::size_t letters = i;
  if (i < word.size() && word[i] == '-') ++i;
  if (letters == 0 || i == word.size() || !is_digit(word[i])) return 0;
  std::size_t k = i;
  while (k < word.size() && is_digit(word[k])) ++k;
  const bool thousands = k + 1 == word.size() && lower(word[k]) == 'k';
  const bool sum = k + 1 < word.size() && word[k] == '+' && is_letter(word[k + 1]);
  if (k != word.size() && !thousands && !sum) return 0;  // "pp512+tg128" is a sum
  const Meaning m = meaning_of(lower(word.substr(0, letters)));
  return m.phase || m.setting != Setting::none ? i : 0;
}

}  // namespace

std::string tidy_claim(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    bool found = false;
    if (static_cast<unsigned char>(text[i]) >= 0x80) {
      for (const Replacement& r : kTidy) {
        if (text.substr(i, r.from.size()) == r.from) {
          out += r.to;
          i += r.from.size();
          found = true;
          break;
        }
      }
    }
    if (!found) out += text[i++];
  }
  return out;
}

std::vector<ClaimToken> claim_tokens(std::string_view s) {
  std::vector<ClaimToken> tokens;
  const auto starts_number = [&](std::size_t i) {
    return i < s.size() &&
           (is_digit(s[i]) || (s[i] == '.' && i + 1 < s.size() && is_digit(s[i + 1])));
  };
  const auto add = [&](ClaimToken t) {
    t.glued = !tokens.empty() && tokens.back().end == t.begin;
    tokens.push_back(std::move(t));
  };
  for (std::size_t i = 0; i < s.size();) {
    const bool sign = s[i] == '-' && starts_number(i + 1);
    if (starts_number(i) || sign) {
      ClaimToken t;
      t.kind = Kind::number;
      t.begin = i;
      t.negative = sign;
      t.end = number_end(s, i + (sign ? 1 : 0), t.text);
      t.value = parse_number(t.text).value_or(HUGE_VAL);
      i = t.end;
      add(std::move(t));
    } else if (s[i] == '+' && i + 1 < s.size() && s[i + 1] == '-') {
      ClaimToken t;
      t.text = "+-";
      t.begin = i;
      t.end = i += 2;
      add(std::move(t));
    } else if (s[i] == '+' && !tokens.empty() && tokens.back().kind == Kind::number &&
               tokens.back().end == i) {
      ++i;  // "pp512+tg128"
    } else if (in_word(s[i]) && s[i] != '.') {
      std::size_t end = i;
      while (end < s.size() && in_word(s[end])) ++end;
      std::size_t stop = end;
      while (stop > i + 1 && s[stop - 1] == '.') --stop;
      if (const std::size_t cut = split_before_number(s.substr(i, stop - i)); cut != 0) {
        stop = end = i + cut;
      }
      ClaimToken t;
      t.begin = i;
      t.end = stop;
      t.raw = s.substr(i, stop - i);
      t.text = lower(s.substr(i, stop - i));
      if (t.text.size() > 1 && t.text.back() == '-') t.text.pop_back();
      i = end;
      const bool sentence_ends = end == stop + 1;
      add(std::move(t));
      if (sentence_ends) add({Kind::break_, 0, ".", "", true, false, stop, end});
    } else {
      const bool dots =
          s[i] == '.' && ((i > 0 && s[i - 1] == '.') || (i + 1 < s.size() && s[i + 1] == '.'));
      if (s[i] == ',' || s[i] == ';' || s[i] == '\n' || s[i] == '|' || (s[i] == '.' && !dots)) {
        add({Kind::break_, 0, std::string(1, s[i]), "", false, false, i, i + 1});
      }
      ++i;
    }
  }
  return tokens;
}

}  // namespace rooflens
