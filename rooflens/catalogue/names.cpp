#include "rooflens/catalogue/names.h"

#include <algorithm>
#include <array>

#include "rooflens/core/ascii.h"

namespace rooflens {
namespace {

constexpr std::array<std::string_view, 17> kNoise = {
    "nvidia", "amd",      "intel", "google",   "aws", "corporation", "r",    "tm",  "geforce",
    "tesla",  "instinct", "gpu",   "graphics", "cpu", "processor",   "card", "gpus"};

}  // namespace

std::vector<std::string> name_words(std::string_view text) {
  std::vector<std::string> words;
  std::size_t i = 0;
  while (i < text.size()) {
    if (!is_digit(text[i]) && !is_letter(text[i])) {
      ++i;
      continue;
    }
    std::string word;
    for (; i < text.size() && (is_digit(text[i]) || is_letter(text[i])); ++i) {
      word += lower(text[i]);
    }
    if (std::find(kNoise.begin(), kNoise.end(), word) == kNoise.end()) {
      words.push_back(std::move(word));
    }
  }
  return words;
}

std::string join_words(const std::vector<std::string>& words, std::size_t first,
                       std::size_t count) {
  std::string out;
  for (std::size_t i = first; i < first + count && i < words.size(); ++i) {
    if (!out.empty() && is_digit(out.back()) && is_digit(words[i].front())) out += '-';
    out += words[i];
  }
  return out;
}

std::string canonical_name(std::string_view text) {
  // join_words(name_words(text)) without the words in between: every look-up makes hundreds
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_digit(text[i]) && !is_letter(text[i])) {
      ++i;
      continue;
    }
    const std::size_t start = out.size();
    const bool between_digits = start > 0 && is_digit(out.back()) && is_digit(text[i]);
    if (between_digits) out += '-';
    const std::size_t word = out.size();
    for (; i < text.size() && (is_digit(text[i]) || is_letter(text[i])); ++i) {
      out += lower(text[i]);
    }
    const std::string_view written = std::string_view(out).substr(word);
    if (std::find(kNoise.begin(), kNoise.end(), written) != kNoise.end()) out.resize(start);
  }
  return out;
}

std::string letters_and_digits(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (is_digit(c) || is_letter(c)) out += lower(c);
  }
  return out;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  constexpr std::size_t kMost = 64;
  a = a.substr(0, kMost);
  b = b.substr(0, kMost);
  std::array<std::array<std::size_t, kMost + 1>, 3> rows{};
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& up = rows[(i + 2) % 3];
    const auto& up2 = rows[(i + 1) % 3];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = up[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({up[j] + 1, row[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], up2[j - 2] + 1);
      }
    }
  }
  return rows[a.size() % 3][b.size()];
}

double likeness(std::string_view a, std::string_view b) {
  const std::string x = letters_and_digits(a), y = letters_and_digits(b);
  if (x.empty() || y.empty()) return 0;
  const double longest =
      static_cast<double>(std::min<std::size_t>(std::max(x.size(), y.size()), 64));
  const double spelling = 1 - static_cast<double>(edit_distance(x, y)) / longest;
  const auto u = name_words(a), v = name_words(b);
  std::size_t shared = 0;
  for (const std::string& w : u) {
    if (std::find(v.begin(), v.end(), w) != v.end()) ++shared;
  }
  const double all = static_cast<double>(u.size() + v.size());
  const double words = all > 0 ? 2 * static_cast<double>(shared) / all : 0;
  return 0.6 * std::max(spelling, words) + 0.4 * std::min(spelling, words);
}

std::string_view nearest(std::string_view text, const std::vector<std::string_view>& candidates) {
  std::string_view best;
  double best_score = 0;
  for (std::string_view c : candidates) {
    const double score = likeness(text, c);
    if (score >= kAlike && score > best_score) {
      best_score = score;
      best = c;
    }
  }
  return best;
}

}  // namespace rooflens
