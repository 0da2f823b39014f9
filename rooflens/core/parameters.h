// Counting a model: parameters, resident bytes, cache per token, state per sequence. These are
// facts of the model and its formats, before any step is run. docs/model.md sections 3-6, 9.
#pragma once

#include "rooflens/core/scenario.h"

namespace rooflens {

struct Parameters {
  double total = 0;      // text model, tied head counted once
  double active = 0;     // read for one decoded token: total without the embedding table (a tied
                         // table is the head and counts) and without the experts not chosen
  double embedding = 0, head = 0;  // head 0 when tied
  double experts = 0, router = 0;
  double matmul = 0;     // per token, head included
};

[[nodiscard]] Parameters count_parameters(const Model& m);

// Bytes of all weights on one rank (the fullest of a pipeline), embedding table and head included
// (docs/model.md section 9).
[[nodiscard]] double weight_bytes(const Model& m, const Deployment& d);

// Bytes one token adds to the cache on one rank, every layer that grows with context at the full
// rate (windowed layers included until their window is full).
[[nodiscard]] double kv_bytes_per_token(const Model& m, const Deployment& d);

// Bytes of the cache of one sequence of `tokens` on one rank: windows and chunks cap their layers;
// `page` tokens per page (1 = no rounding). Recurrent state not included.
[[nodiscard]] double kv_bytes_of_sequence(const Model& m, const Deployment& d, double tokens,
                                          double page);

// Recurrent state of one sequence on one rank (convolution columns included), one copy.
[[nodiscard]] double state_bytes_per_sequence(const Model& m, const Deployment& d);

// Layers that hold a cache of their own, and those whose cache is capped by a window or chunk.
struct CacheLayers {
  double caching = 0, capped = 0, recurrent = 0, window = 0;
};
[[nodiscard]] CacheLayers cache_layers(const Model& m);

}  // namespace rooflens
