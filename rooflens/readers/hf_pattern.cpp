#include "rooflens/readers/hf_pattern.h"

#include <algorithm>
#include <array>

#include "rooflens/core/ascii.h"

namespace rooflens {
namespace {

constexpr int kSteps = 20000;
constexpr int kRegexDepth = 200;

// A backtracking matcher over the pattern text itself. `rest` patterns are matched by recursion;
// every step is counted, so a hostile pattern ends as unknown instead of running on.
class Regex {
 public:
  Regex(std::string_view pattern, std::string_view text) : p_(pattern), t_(text) {}

  Match run() {
    const bool yes = alternatives(0, p_.size(), 0, 0, nullptr);
    if (unknown_) return Match::unknown;
    return yes ? Match::yes : Match::no;
  }

  [[nodiscard]] int steps() const { return steps_; }

 private:
  // What follows a group: the pattern from `from` to `to`, then `next`.
  struct After {
    std::size_t from, to;
    const After* next;
  };

  bool give_up() {
    unknown_ = true;
    return false;
  }

  // End of the atom that starts at i (one past it), or npos when it is not understood.
  std::size_t atom_end(std::size_t i, std::size_t to) {
    if (p_[i] == '\\') return i + 1 < to ? i + 2 : std::string_view::npos;
    if (p_[i] == '[') {
      const std::size_t close = p_.find(']', i + 2);
      return close == std::string_view::npos || close >= to ? std::string_view::npos : close + 1;
    }
    if (p_[i] != '(') return i + 1;
    int depth = 0;
    for (std::size_t k = i; k < to; ++k) {
      if (++steps_ > kSteps) return std::string_view::npos;
      if (p_[k] == '\\') {
        ++k;
      } else if (p_[k] == '(') {
        ++depth;
      } else if (p_[k] == ')' && --depth == 0) {
        return k + 1;
      }
    }
    return std::string_view::npos;
  }

  // True when the one-character atom at i matches c.
  bool one(std::size_t i, std::size_t end, char c) {
    if (p_[i] == '.') return true;
    const bool digit = is_digit(c);
    const bool letter = is_letter(c) || c == '_';
    if (p_[i] == '\\') {
      const char e = p_[i + 1];
      if (e == 'd') return digit;
      if (e == 'w') return digit || letter;
      if (is_letter(e) || is_digit(e)) return give_up();
      return c == e;
    }
    if (p_[i] != '[') return c == p_[i];
    std::size_t k = i + 1;
    const bool negated = p_[k] == '^';
    if (negated) ++k;
    bool in = false;
    for (; k + 1 < end; ++k) {
      if (p_[k] == '\\') return give_up();
      if (k + 3 < end && p_[k + 1] == '-') {
        in = in || (c >= p_[k] && c <= p_[k + 2]);
        k += 2;
      } else {
        in = in || c == p_[k];
      }
    }
    return in != negated;
  }

  bool alternatives(std::size_t from, std::size_t to, std::size_t at, int depth,
                    const After* after) {
    if (++steps_ > kSteps || depth > kRegexDepth) return give_up();
    int nested = 0;
    std::size_t start = from;
    for (std::size_t i = from; i <= to; ++i) {
      if (++steps_ > kSteps) return give_up();
      if (i + 1 < to && p_[i] == '\\') {
        ++i;
        continue;
      }
      if (i < to && p_[i] == '(') ++nested;
      if (i < to && p_[i] == ')') --nested;
      if (i >= to || (p_[i] == '|' && nested == 0)) {
        if (sequence(start, std::min(i, to), at, depth + 1, after)) return true;
        if (unknown_) return false;
        start = i + 1;
      }
    }
    return false;
  }

  bool sequence(std::size_t from, std::size_t to, std::size_t at, int depth, const After* after) {
    if (++steps_ > kSteps || depth > kRegexDepth) return give_up();
    if (from >= to) {
      if (after == nullptr) return true;
      return sequence(after->from, after->to, at, depth + 1, after->next);
    }
    const char c = p_[from];
    if (c == '^') return at == 0 && sequence(from + 1, to, at, depth + 1, after);
    if (c == '$') return at == t_.size() && sequence(from + 1, to, at, depth + 1, after);
    if (c == '*' || c == '+' || c == '?' || c == '{' || c == ')') return give_up();
    const std::size_t end = atom_end(from, to);
    if (end == std::string_view::npos) return give_up();
    const char repeat = end < to ? p_[end] : '\0';
    if (repeat == '{') return give_up();
    const bool repeated = repeat == '*' || repeat == '+' || repeat == '?';
    const std::size_t next = repeated ? end + 1 : end;
    if (c == '(') {
      std::size_t inside = from + 1;
      if (p_[inside] == '?') {
        if (p_.substr(inside, 2) != "?:") return give_up();
        inside += 2;
      }
      if (repeat == '*' || repeat == '+') return give_up();
      const After rest{next, to, after};
      if (alternatives(inside, end - 1, at, depth + 1, &rest)) return true;
      return repeat == '?' && !unknown_ && sequence(next, to, at, depth + 1, after);
    }
    const std::size_t least = repeat == '*' || repeat == '?' ? 0 : 1;
    std::size_t most = 1;
    if (repeat == '*' || repeat == '+') most = t_.size();
    std::size_t run = 0;
    while (run < most && at + run < t_.size() && one(from, end, t_[at + run])) ++run;
    if (unknown_) return false;
    for (std::size_t n = run + 1; n-- > least;) {
      if (sequence(next, to, at + n, depth + 1, after)) return true;
      if (unknown_) return false;
    }
    return false;
  }

  std::string_view p_, t_;
  int steps_ = 0;
  bool unknown_ = false;
};

constexpr std::array<std::string_view, 9> kPrefixes{"model.language_model.model.",
                                                    "model.language_model.",
                                                    "language_model.model.",
                                                    "language_model.",
                                                    "thinker.model.",
                                                    "model.decoder.",
                                                    "model.",
                                                    "backbone.",
                                                    "transformer."};

}  // namespace

bool glob_match(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Match regex_match(std::string_view pattern, std::string_view text) {
  return Regex(pattern, text).run();
}

std::string_view module_tail(std::string_view name) {
  for (std::string_view prefix : kPrefixes) {
    if (name.size() > prefix.size() && name.substr(0, prefix.size()) == prefix) {
      return name.substr(prefix.size());
    }
  }
  return name;
}

void PatternSet::add(std::string_view pattern) {
  if (pattern.substr(0, 3) == "re:") {
    regexes_.emplace_back(pattern.substr(3));
  } else if (pattern.find_first_of("*?") != std::string_view::npos) {
    globs_.emplace_back(module_tail(pattern));
  } else {
    names_.emplace(module_tail(pattern));
  }
}

bool PatternSet::contains(std::string_view module) const {
  // The name itself, its parents, and its tails.
  for (std::size_t at = module.size(); at != std::string_view::npos && at > 0;
       at = module.rfind('.', at - 1)) {
    if (names_.count(std::string(module.substr(0, at))) > 0) return true;
  }
  for (std::size_t at = module.find('.'); at != std::string_view::npos;
       at = module.find('.', at + 1)) {
    if (names_.count(std::string(module.substr(at + 1))) > 0) return true;
  }
  for (const std::string& glob : globs_) {
    if (glob_match(glob, module)) return true;
    // A glob may begin with what module_tail took away ("*.mlp.gate" needs a dot before).
    if (glob[0] == '*' && glob_match(glob, "model." + std::string(module))) return true;
  }
  for (std::size_t i = 0; i < regexes_.size();) {
    const std::string& regex = regexes_[i];
    bool understood = true;
    for (std::string_view prefix :
         {"model.", "", "model.language_model.", "language_model.model."}) {
      const std::string name = std::string(prefix) + std::string(module);
      Regex matcher(regex, name);
      const Match match = budget_ > 0 ? matcher.run() : Match::unknown;
      budget_ -= matcher.steps() + 1;
      if (match == Match::yes) return true;
      // What begins with ".*" takes any prefix: the first answer holds for all.
      if (match == Match::no && regex.compare(0, 2, ".*") == 0) break;
      if (match == Match::unknown) {
        understood = false;
        break;
      }
    }
    if (understood) {
      ++i;
    } else {  // told once, asked no more
      unknown_.push_back(regex);
      regexes_.erase(regexes_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return false;
}

}  // namespace rooflens
