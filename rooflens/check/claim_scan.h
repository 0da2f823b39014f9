// A claim as a row of items: figures, words that mean something, settings.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "rooflens/check/claim_words.h"
#include "rooflens/core/result.h"

namespace rooflens {

inline constexpr const char* kClaimExamples =
    "write figures like '3288 tok/s prefill, 108 tok/s decode at batch 8', '65 tok/s per user', "
    "'TTFT 350 ms', 'TPOT 25 ms', '407 GB/s', '162 TFLOPS' or 'MFU 45%'";

struct ClaimItem {
  enum class Kind : std::uint8_t {
    figure,
    bare,  // a number without a unit, which a later figure may give
    meaning,
    setting,
  };
  Kind kind = Kind::meaning;
  double value = 0;  // figure: SI; bare and setting: as written
  ClaimUnit unit;    // figure
  Meaning meaning;
  Setting setting = Setting::none;
  bool bench = false;  // setting by "pp512", "tg128", "d4096"
  std::size_t begin = 0, end = 0;
};

struct ClaimScan {
  std::vector<ClaimItem> items;
  std::vector<std::string> others;  // Claim::others
};

// Tokens [first, last), which hold no break. Every number becomes an item, part of a name in
// `others`, or an error.
[[nodiscard]] Result<ClaimScan> scan_claim(std::string_view tidy,
                                           const std::vector<ClaimToken>& tokens, std::size_t first,
                                           std::size_t last);

}  // namespace rooflens
