// Names of modules as quantisation blocks write them: whole names, parents, globs and "re:" regular
// expressions.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace rooflens {

// Shell-style match of the whole text; `*` and `?` only. O(text x pattern).
[[nodiscard]] bool glob_match(std::string_view pattern, std::string_view text);

enum class Match { no, yes, unknown };

// Regular expression match at the start of the text (as Python's re.match). Understood: literals,
// `.`, escapes, \d \w, character classes, groups with `|`, `*`, `+`, `?`, `^`, `$`. Anything else,
// or a match that takes too many steps, is `unknown`.
[[nodiscard]] Match regex_match(std::string_view pattern, std::string_view text);

// A module's or pattern's name from its layers on: without "model.", "language_model." and the
// like.
[[nodiscard]] std::string_view module_tail(std::string_view name);

// A set of such patterns. All of its look-ups together take a bounded number of steps; past it, and
// once a pattern is not understood, that pattern names nothing and stands in unknown(). `contains` is true when one of them names the module itself, a parent of
// it, or the end of its name.
class PatternSet {
 public:
  void add(std::string_view pattern);
  [[nodiscard]] bool contains(std::string_view module) const;
  [[nodiscard]] bool empty() const { return names_.empty() && globs_.empty() && regexes_.empty(); }

  // Patterns that could not be understood so far.
  [[nodiscard]] const std::vector<std::string>& unknown() const { return unknown_; }

 private:
  std::unordered_set<std::string> names_;
  std::vector<std::string> globs_;
  mutable std::vector<std::string> regexes_;  // those still understood
  mutable std::vector<std::string> unknown_;
  mutable long budget_ = 20'000'000;
};

}  // namespace rooflens
