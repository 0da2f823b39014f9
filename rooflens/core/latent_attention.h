// Multi-head latent attention, expanded or absorbed, with an optional sparse index.
// docs/model.md section 4.4.
#pragma once

#include "rooflens/core/lowering.h"

namespace rooflens {

// False also for layers that use the token choice of an earlier one.
[[nodiscard]] inline bool owns_index(const LatentAttention& a) {
  return a.index.top_k > 0 && a.index.dim > 0;
}

[[nodiscard]] Matrix down_matrix(const LatentAttention& a, const Cut& c);  // q_a + kv_a, or q
[[nodiscard]] Matrix kv_down_matrix(const LatentAttention& a,
                                    const Cut& c);  // kv_a beside a direct q
[[nodiscard]] Matrix query_up_matrix(const LatentAttention& a, const Cut& c);
[[nodiscard]] Matrix kv_up_matrix(const LatentAttention& a, const Cut& c);
[[nodiscard]] Matrix out_matrix(const LatentAttention& a, const Cut& c);
[[nodiscard]] Matrix index_query_matrix(const LatentAttention& a, const Cut& c);
[[nodiscard]] Matrix index_key_matrix(const LatentAttention& a, const Cut& c);
[[nodiscard]] Matrix index_weight_matrix(const LatentAttention& a, const Cut& c);

template <class F>
void for_each_matrix(const LatentAttention& a, const Cut& c, F&& f) {
  f(down_matrix(a, c));
  if (a.query_rank > 0) {
    f(query_up_matrix(a, c));
  } else {
    f(kv_down_matrix(a, c));
  }
  f(kv_up_matrix(a, c));
  f(out_matrix(a, c));
  if (owns_index(a)) {
    f(index_query_matrix(a, c));
    f(index_key_matrix(a, c));
    f(index_weight_matrix(a, c));
  }
}

[[nodiscard]] VectorWeights vector_weights(const LatentAttention& a, const Cut& c);
[[nodiscard]] Cache cache_of(const LatentAttention& a, const Cut& c, const Deployment& d);
void lower(const LatentAttention& a, Lowering& l);

// True when absorbing kv_b into the queries costs fewer FLOPs than expanding the cached latents for
// this group: t < c(nope+v)/(2c-nope-v) once the past is long.
[[nodiscard]] bool absorbs(const LatentAttention& a, const Group& g, LatentMode mode);

}  // namespace rooflens
