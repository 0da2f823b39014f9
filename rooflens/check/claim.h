// Sentences of numbers -> Observations.
#pragma once

#include <string_view>
#include <vector>

#include "rooflens/check/observation.h"
#include "rooflens/core/result.h"

namespace rooflens {

// Longest text parse_claim reads, and most figures it finds in it.
inline constexpr std::size_t kMaxClaimBytes = 65536;
inline constexpr std::size_t kMaxClaimFigures = 256;

// Finds every figure in free text, in order: "3288 tok/s prefill, 108 tok/s decode at batch 8",
// "TTFT 350 ms", "tg128 50.1 t/s pp512 3200 t/s", "12k tokens/s output at concurrency 64".
// Thousands separators and k / M are read; words that name nothing we know are skipped, numbers
// never are: a number without a unit, a unit without a number, a range, a negative, zero or
// infinite figure is an error that quotes the part. A batch, prompt, output or context that is said
// once holds for every figure of the text. O(length).
[[nodiscard]] Result<std::vector<Observation>> parse_claim(std::string_view text);

}  // namespace rooflens
