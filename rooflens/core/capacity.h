// Does it fit, for how many sequences, how long. docs/model.md section 9.
#pragma once

#include "rooflens/core/parameters.h"

namespace rooflens {

// Per device. Negative `free_bytes` is what is missing. A device whose memory is not known (0 bytes)
// has NaN for what depends on it, and `fits`.
struct Capacity {
  double capacity_bytes = 0, usable_bytes = 0;  // usable = capacity * utilisation
  double weight_bytes = 0, activation_bytes = 0, overhead_bytes = 0;
  double free_bytes = 0;                        // for the cache
  double kv_bytes_per_token = 0, state_bytes_per_sequence = 0;
  double bytes_per_sequence = 0;                // at the context asked for, state copies included
  double max_batch = 0;                         // sequences of that context, all replicas
  double max_context = 0;                       // at the batch asked for; infinity without a cache
  bool fits = false;                            // this batch at this context
};

// Bytes of one sequence of `tokens` on one rank: pages, windows, state copies.
[[nodiscard]] double sequence_bytes(const Model& m, const Deployment& d, double tokens);

// Activation memory of the largest step: batched_tokens * a * (2d + widest intermediate / TP).
[[nodiscard]] double activation_bytes(const Model& m, const Deployment& d);

[[nodiscard]] Capacity capacity(const Model& m, const Deployment& d, double device_bytes,
                                double batch, double context);

}  // namespace rooflens
