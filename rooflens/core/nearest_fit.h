// What would fit instead, when a configuration does not. docs/model.md section 9.
#pragma once

#include <optional>
#include <string>

#include "rooflens/core/capacity.h"

namespace rooflens {

// Each field is one change alone, everything else as asked; empty = that change does not help.
struct NearestFit {
  double missing_bytes = 0;            // per device, at this batch and context
  std::optional<double> batch;         // largest
  std::optional<double> context;       // longest, tokens
  std::optional<int> devices;          // fewest, when the tensor ranks are doubled until it fits
  std::optional<std::string> weights;  // first storage format that fits: fp8_channel, int4sym_g128
  std::optional<std::string> kv;       // fp8
};

[[nodiscard]] NearestFit nearest_fit(const Scenario& s, double context);

}  // namespace rooflens
