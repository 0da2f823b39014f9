#include "rooflens/readers/results_local_text.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/startup_lines.h"
#include "rooflens/readers/words.h"

namespace rooflens::local {
namespace {

constexpr std::size_t kMostCells = 256, kShown = 160, kJsonNesting = 120;

bool take_word(std::string_view& s, std::string_view word) {
  s = trim(s);
  if (s.substr(0, word.size()) != word) return false;
  s.remove_prefix(word.size());
  return true;
}

bool take_count(std::string_view& s, double& value) {
  s = trim(s);
  int decimals = 0;
  return take_number(s, value, decimals) && decimals == 0 && value >= 0;
}

// What JSON has outside of its strings, NaN and Infinity among it.
bool outside_strings(char c) {
  constexpr std::string_view marks = "{}[],:.-+";
  return is_digit(c) || is_letter(c) || marks.find(c) != std::string_view::npos;
}

}  // namespace

std::optional<double> number_at(std::string_view s) {
  s = trim(s);
  while (!s.empty() && (s.front() == '*' || s.front() == '~' || s.front() == ' ')) {
    s.remove_prefix(1);
  }
  double value = 0;
  int decimals = 0;
  if (!take_number(s, value, decimals) || std::fabs(value) > kMostCount) return std::nullopt;
  return value;
}

double number_or_zero(std::string_view s) { return std::max(0.0, number_at(s).value_or(0)); }

std::string_view behind(std::string_view s, std::string_view mark) {
  const std::size_t at = s.find(mark);
  return at == std::string_view::npos ? std::string_view() : s.substr(at + mark.size());
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  line = trim(line);
  if (line.size() < 3 || line.front() != '|') return cells;
  line.remove_prefix(1);
  while (!line.empty() && line.back() == '|') line.remove_suffix(1);
  cells.reserve(16);
  while (cells.size() < kMostCells) {
    const std::size_t bar = line.find('|');
    cells.push_back(trim(line.substr(0, bar)));
    if (bar == std::string_view::npos) return cells;
    line.remove_prefix(bar + 1);
  }
  return {};
}

bool is_rule(const std::vector<std::string_view>& cells) {
  return !cells.empty() && std::all_of(cells.begin(), cells.end(), [](std::string_view c) {
    return !c.empty() && c.find_first_not_of("-: ") == std::string_view::npos;
  });
}

std::optional<double> go_seconds(std::string_view s) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  constexpr std::array units{
      Unit{"ms", 1e-3}, Unit{"m", 60},    Unit{"h", 3600},         Unit{"s", 1},
      Unit{"ns", 1e-9}, Unit{"us", 1e-6}, Unit{"\xc2\xb5s", 1e-6}, Unit{"\xce\xbcs", 1e-6}};
  s = trim(s);
  if (s.empty()) return std::nullopt;
  double total = 0;
  while (!s.empty()) {
    double value = 0;
    int decimals = 0;
    if (!take_number(s, value, decimals)) return std::nullopt;
    const auto unit = std::find_if(units.begin(), units.end(), [&](const Unit& u) {
      return s.substr(0, u.name.size()) == u.name;
    });
    if (unit == units.end()) return std::nullopt;
    s.remove_prefix(unit->name.size());
    total += value * unit->seconds;
  }
  return total;
}

double bytes_of_size(std::string_view s) {
  const double value = number_or_zero(s);
  if (contains(s, "GiB")) return value * 1073741824.0;
  if (contains(s, "MiB")) return value * 1048576.0;
  if (contains(s, "KiB")) return value * 1024.0;
  return contains(s, "TiB") ? value * 1099511627776.0 : 0;
}

double count_of_parameters(std::string_view s) {
  const double value = number_or_zero(s);
  if (contains(s, "B")) return value * 1e9;
  if (contains(s, "M")) return value * 1e6;
  return contains(s, "T") ? value * 1e12 : 0;
}

std::string quantisation_of(std::string_view model) {
  std::string_view rest = trim(model);
  take(rest, ' ');  // the architecture
  while (!rest.empty()) {
    const std::string_view word = take(rest, ' ');
    if (word.size() < 2 || !(is_digit(word[0]) || word[0] == '?')) continue;
    if (word.back() != 'B' && word.back() != 'M') continue;
    rest = trim(rest);
    constexpr std::string_view mostly = "mostly ", all = "all ";
    if (rest.substr(0, mostly.size()) == mostly) rest.remove_prefix(mostly.size());
    if (rest.substr(0, all.size()) == all) rest.remove_prefix(all.size());
    return std::string(rest);
  }
  return {};
}

std::optional<TestName> test_name(std::string_view s) {
  TestName t;
  const auto test = [&] {
    if (take_word(s, "ctx_pp")) return t.context = true;
    if (take_word(s, "ctx_tg")) return t.context = t.context_output = true;
    if (take_word(s, "pp")) return take_count(s, t.prompt);
    return take_word(s, "tg") && take_count(s, t.output);
  };
  if (!test()) return std::nullopt;
  while (!(s = trim(s)).empty()) {
    bool known = false;
    if (take_word(s, "+")) {
      known = test();
    } else if (take_word(s, "@")) {
      known = take_word(s, "d") && take_count(s, t.depth);
    } else if (take_word(s, "(c")) {
      known = take_count(s, t.concurrency) && take_word(s, ")") && t.concurrency > 0;
    }
    if (!known) return std::nullopt;
  }
  return t;
}

void trap(MeasuredRun& run, std::string_view tag, std::string note) {
  if (has_trap(run, tag)) return;
  run.traps.emplace_back(tag);
  run.notes.push_back(std::move(note));
}

bool has_trap(const MeasuredRun& run, std::string_view tag) {
  return std::find(run.traps.begin(), run.traps.end(), tag) != run.traps.end();
}

void note_short(MeasuredRun& run, double output) {
  if (output <= 0 || output >= kShortGeneration) return;
  trap(run, "short_generation",
       "Only " + number_text(output) +
           " tokens were generated: the first steps and the clock weigh too much.");
}

double corrected(MeasuredRun& run, double rate, double tokens, std::string_view tool) {
  std::string note(tool);
  note += " divides the tokens by the time of one step fewer: its rate is taken times ";
  note += number_text(tokens - 1) + "/" + number_text(tokens) + ".";
  trap(run, "off_by_one", std::move(note));
  return rate * (tokens - 1) / tokens;
}

std::string shown(std::string_view line) {
  line = trim(line);
  if (line.size() <= kShown) return std::string(line);
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;  // UTF-8
  return std::string(line.substr(0, end)) + " ...";
}

ObjectEnd object_end(std::string_view text, std::size_t at) {
  ObjectEnd found;
  std::string open;
  open.reserve(kJsonNesting);
  bool key = false;  // a key or a closing bracket must come
  std::size_t i = at;
  const auto stop = [&](bool cut) {
    found.cut = cut;
    found.work = i - at;
    return found;
  };
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (is_blank(c)) continue;
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\') ++i;
        if (i < text.size() && text[i] == '\n') return stop(false);
      }
      if (i >= text.size()) return stop(true);
      key = false;
      continue;
    }
    if ((key && c != '}') || !outside_strings(c)) return stop(false);
    if (c == '{' || c == '[') {
      if (open.size() >= kJsonNesting) return stop(false);
      open += c == '{' ? '}' : ']';
      key = c == '{';
    } else if (c == '}' || c == ']') {
      if (open.back() != c) return stop(false);
      open.pop_back();
      key = false;
      if (open.empty()) {
        found.end = i + 1;
        return stop(false);
      }
    } else if (c == ',') {
      key = open.back() == '}';
    }
  }
  return stop(true);
}

Source JsonPlace::source(std::string_view key) {
  Source s;
  const std::string quoted = '"' + std::string(key) + '"';
  const std::size_t at = piece_.find(quoted, row_);
  if (at == std::string_view::npos) {
    s.line = line_;
    s.text = key;
    return s;
  }
  s.line =
      line_ + static_cast<int>(std::count(piece_.begin() + static_cast<std::ptrdiff_t>(row_),
                                          piece_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  std::string_view words = piece_.substr(at, 2 * kShown);
  words = words.substr(0, std::min(words.find_first_of(",}\n{"), words.size()));
  s.text = shown(words);
  farthest_ = std::max(farthest_, at + quoted.size());
  return s;
}

void JsonPlace::next_row() {
  line_ +=
      static_cast<int>(std::count(piece_.begin() + static_cast<std::ptrdiff_t>(row_),
                                  piece_.begin() + static_cast<std::ptrdiff_t>(farthest_), '\n'));
  row_ = farthest_;
}

}  // namespace rooflens::local
