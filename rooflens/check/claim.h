// Sentences of numbers -> Observations.
#pragma once

#include <string_view>
#include <vector>

#include "rooflens/core/observation.h"
#include "rooflens/core/result.h"

namespace rooflens {

// Longest text parse_claim reads, and most figures it finds in it.
inline constexpr std::size_t kMaxClaimBytes = 65536;
inline constexpr std::size_t kMaxClaimFigures = 256;

struct Claim {
  std::vector<Observation> figures;
  // Runs of words that say nothing this layer knows, in order: "RTX 4090", "llama-3.1-8b Q4_K_M".
  std::vector<std::string> others;
};

// Finds every figure in free text, in order: "3288 tok/s prefill, 108 tok/s decode at batch 8",
// "TTFT 350 ms", "tg128 50.1 t/s pp512 3200 t/s", "12k tokens/s output at concurrency 64".
// Thousands separators and k / M are read. Each word is used, is one that says nothing of a speed
// ("we", "measured"), or is among `others`. A number is used or stands in a name: without a unit,
// a unit without a number, a range, a negative, zero or infinite figure, a batch of zero or a half
// is an error that quotes the part. A batch, prompt, output or context that is said
// once holds for every figure of the text. O(length).
[[nodiscard]] Result<Claim> parse_claim(std::string_view text);

}  // namespace rooflens
