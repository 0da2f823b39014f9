// What a prefill and a decode figure say together, and what they do not.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "rooflens/check/diagnose.h"

namespace rooflens {

struct Comparison {
  double ratio_of_rates = 0;  // prefill / decode, as measured
  double ratio_of_roofs = 0;
  double same_wall_fraction = 0;  // X_p/R_p + X_d/R_d
  std::vector<Sentence> remarks;
};

// The first prefill and the first decode figure in tokens/s; empty when one is missing.
[[nodiscard]] std::optional<Comparison> compare(std::span<const Diagnosis> all, const Analysis& a);

}  // namespace rooflens
