#include "rooflens/catalogue/text_forms.h"

#include <algorithm>
#include <charconv>

#include "rooflens/catalogue/names.h"

namespace rooflens::text_forms {

namespace {

// At most nine digits.
int number_of(std::string_view digits) {
  int n = 0;
  for (char c : digits) n = n * 10 + (c - '0');
  return n;
}

}  // namespace

bool is_in(std::string_view w, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), w) != list.end();
}

bool is_qualifier(std::string_view w) {
  return is_in(
      w, {"ti",    "super", "laptop", "mobile", "max",  "maxq", "d",    "xt",   "xtx", "gre", "pro",
          "ultra", "nvl",   "pcie",   "sxm",    "sxm2", "sxm3", "sxm4", "sxm5", "ada", "x",   "s"});
}

bool is_strict(std::string_view w) {
  return is_in(w, {"ti", "super", "laptop", "mobile", "maxq", "d", "xt", "xtx", "gre", "ultra"});
}

bool is_slice(const std::vector<std::string>& words, std::size_t i) {
  const std::string& w = words[i];
  if (w.size() < 2 || !std::all_of(w.begin(), w.end() - 1, is_digit)) return false;
  if (w.back() == 'g') return i > 0 && words[i - 1] == "mig";
  return i > 0 && is_in(w.substr(w.size() - 1), {"q", "c", "b"}) && w.size() <= 3;
}

bool is_size(std::string_view w) {
  std::size_t digits = 0;
  while (digits < w.size() && is_digit(w[digits])) ++digits;
  return digits > 0 && is_in(w.substr(digits), {"gb", "gib", "g", "mib", "mb"});
}

bool is_model_word(std::string_view w) {
  return w.size() > 1 && std::any_of(w.begin(), w.end(), is_digit);
}

std::string without_uuids(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i, dashes = 0;
    while (end < text.size() && (is_hex(text[end]) || text[end] == '-')) {
      dashes += text[end++] == '-';
    }
    if (end - i >= 32 && dashes >= 4) {
      out += ' ';
    } else {
      end = std::max(end, i + 1);
      out.append(text.substr(i, end - i));
    }
    i = end;
  }
  return out;
}

int take_count(std::string_view& text) {
  int count = 0;
  std::size_t i = 0;
  while (i < text.size() && is_digit(text[i])) ++i;
  if (i > 0 && i <= 7) {
    std::size_t k = i;
    while (k < text.size() && text[k] == ' ') ++k;
    std::size_t mark = 0;
    if (k < text.size() && (text[k] == 'x' || text[k] == 'X' || text[k] == '*')) mark = 1;
    if (text.substr(k, 2) == "\xC3\x97") mark = 2;  // the multiplication sign
    // "7900 XT" and "7900xt" are names: the mark stands alone, or clings to a small number
    const bool alone = k + mark < text.size() && text[k + mark] == ' ';
    const bool clings = k == i && i <= 3 && text[0] != '0';  // "0x41" is a CPU's part number
    if (mark > 0 && k + mark < text.size() && (alone || clings)) {
      count = number_of(text.substr(0, i));
      text = trim(text.substr(k + mark));
      return count > 0 ? count : -1;
    }
  }
  std::size_t end = text.size();
  while (end > 0 && is_digit(text[end - 1])) --end;
  const bool marked = end > 1 && end < text.size() && text.size() - end <= 7 &&
                      (text[end - 1] == 'x' || text[end - 1] == '*') && is_blank(text[end - 2]);
  const std::string before = letters_and_digits(text.substr(0, marked ? end - 1 : 0));
  if (marked && before.substr(before.size() - std::min<std::size_t>(4, before.size())) != "pcie") {
    count = number_of(text.substr(end));
    text = trim(text.substr(0, end - 1));
    return count > 0 ? count : -1;
  }
  return 0;
}

int gpu_index(std::string_view line) {
  const std::size_t at = line.find("GPU");
  if (at == std::string_view::npos) return -1;
  std::size_t i = at + 3;
  while (i < line.size() && (line[i] == ' ' || line[i] == '[' || line[i] == '#')) ++i;
  int index = -1;
  const auto r = std::from_chars(line.data() + i, line.data() + line.size(), index);
  return r.ec == std::errc{} ? index : -1;
}

}  // namespace rooflens::text_forms
