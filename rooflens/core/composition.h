// What a model is made of: its weights by what they do and how they are stored, and its layers by
// kind. Facts for showing; the sums are those of parameters.h on one device.
#pragma once

#include <string>
#include <vector>

#include "rooflens/core/scenario.h"

namespace rooflens {

// What a slot's matrices are, in words: "attention", "experts", "router".
[[nodiscard]] const char* role_of(Slot s, const Layer& layer);

// Weights of one purpose in one storage format.
struct WeightPart {
  const char* role = "";  // "attention", "experts", "router", "embedding", "norms and other", ...
  Storage storage;
  double parameters = 0, bytes = 0;
};

// In network order, parts of equal role and storage together; their sums are the model's parameters
// and weight bytes. O(layers).
[[nodiscard]] std::vector<WeightPart> composition(const Model& m);

// Layers that are equal in what they compute and keep.
struct LayerSummary {
  std::string mixer, ffn;  // "attention, 32 heads, 8 KV", "8 of 128 experts"
  double count = 0, parameters = 0;
  double kv_bytes_per_token = 0;  // of one such layer
  double cap_tokens = 0;          // where its cache stops growing; 0 = never
  double state_bytes = 0;
};
[[nodiscard]] std::vector<LayerSummary> layer_summaries(const Model& m, const Deployment& d);

}  // namespace rooflens
