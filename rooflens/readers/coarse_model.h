// A model of which no more is known than how big it is.
#pragma once

#include <string>

#include "rooflens/core/model.h"

namespace rooflens {

struct Size {
  double parameters = 0;
  double active_parameters = 0;  // 0 = all
  double bytes = 0;              // of all weights
};

// Weights alone, all of them read (of experts the active share): no attention, no cache, no
// embedding apart. Depth L and width 128 L so that 12 L (128 L)^2 are the active parameters, as
// dense models of 1 to 70 billion have it; they decide only how many operators there are.
// Its warnings say what is left out. Requires parameters and bytes above 0
// and at most 1e15.
[[nodiscard]] Model coarse_model(const std::string& name, const Size& size, const Storage& storage);

}  // namespace rooflens
