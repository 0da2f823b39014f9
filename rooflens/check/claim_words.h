// The words of a claim and what they mean; parse_claim puts them together.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflens/core/observation.h"

namespace rooflens {

struct ClaimToken {
  enum class Kind : std::uint8_t { number, word, break_ };
  Kind kind = Kind::word;
  double value = 0;    // number
  std::string text;    // lower case; of a number its digits
  std::string raw;     // a word as written: GB is not Gb
  bool glued = false;  // nothing stands between it and the token before
  bool negative = false;
  std::size_t begin = 0, end = 0;  // in the tidied text
};

// Odd characters (µ, ≈, ±, no-break spaces, dashes) replaced by ASCII; "±" becomes "+-".
[[nodiscard]] std::string tidy_claim(std::string_view text);
[[nodiscard]] std::vector<ClaimToken> claim_tokens(std::string_view s);

// What may qualify a figure.
enum class Setting : std::uint8_t { none, batch, prompt, output, context, cached, devices };

// What a word means by itself. A word may name both a phase and a setting: "prompt 3288 tok/s",
// "prompt 1024".
struct Meaning {
  std::optional<MeasuredPhase> phase;
  std::optional<Counting> counting;
  std::optional<Figure> time;   // which time a figure in seconds is
  std::optional<Figure> share;  // which share a figure in percent is
  Setting setting = Setting::none;
  bool single = false;        // "single-stream": a batch of one
  bool name_follows = false;  // "rtx 4090": the number after it is a name
  [[nodiscard]] bool any() const {
    return phase || counting || time || share || setting != Setting::none || single;
  }
};
[[nodiscard]] Meaning meaning_of(std::string_view word);

// Words that say nothing a figure depends on: "the", "measured", the name of an engine.
[[nodiscard]] bool is_filler(std::string_view word);

// A unit and what it says beside its size: "ktok/s/user", "ms/token".
struct ClaimUnit {
  std::optional<Figure> figure;  // empty: seconds, of what is told elsewhere
  bool seconds = false;          // a time
  bool percent = false;
  double scale = 1;
  std::optional<Counting> counting;
  std::size_t words = 0;  // tokens used; 0 = no unit here
};
[[nodiscard]] ClaimUnit unit_at(const std::vector<ClaimToken>& tokens, std::size_t i);

}  // namespace rooflens
