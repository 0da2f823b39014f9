// What to call scenarios that stand side by side: short names, and only what differs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooflens/core/analysis.h"
#include "rooflens/core/analyze.h"

namespace rooflens {

// "Qwen3-8B" of "Qwen/Qwen3-8B"; the folder of a path that ends in config.json.
[[nodiscard]] std::string short_model_name(const Model& m);

// The name without its maker: "H100 NVL".
[[nodiscard]] std::string short_device_name(const Device& d);

// True when they are the same ceiling: name, bandwidth and peaks.
[[nodiscard]] bool same_device(const Device& a, const Device& b);

// What differs between scenarios.
struct Varied {
  bool model = false, device = false, count = false, tensor = false, weights = false, kv = false,
       batch = false, prompt = false, context = false, changes = false;

  // Only the work differs, not what does it.
  [[nodiscard]] bool work_only() const {
    return !model && !device && !count && !tensor && !weights && !kv && !changes;
  }
};
[[nodiscard]] Varied varied(std::span<const Analysis> all);

// One name for each, of what differs: "Qwen3-8B, 2 x H100 NVL, batch 8". Devices of one name are
// told apart by their bandwidth. Empty names when there is only one.
[[nodiscard]] std::vector<std::string> scenario_names(std::span<const Analysis> all);

// Each one's device in short; those of one name with their bandwidth.
[[nodiscard]] std::vector<std::string> device_names(std::span<const Analysis> all);

// "Qwen3-8B, Llama-3.1-8B on NVIDIA H100 NVL": what all are about, in short names where there are
// several.
[[nodiscard]] std::string comparison_title(std::span<const Analysis> all);

}  // namespace rooflens
