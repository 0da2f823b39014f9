// Lightning attention: linear attention with one constant decay a head, an output gate and a norm.
// docs/model.md section 6.
#pragma once

#include "rooflens/core/lowering.h"

namespace rooflens {

[[nodiscard]] Matrix in_matrix(const LightningAttention& a, const Cut& c);    // q, k, v
[[nodiscard]] Matrix gate_matrix(const LightningAttention& a, const Cut& c);  // output gate
[[nodiscard]] Matrix out_matrix(const LightningAttention& a, const Cut& c);

template <class F>
void for_each_matrix(const LightningAttention& a, const Cut& c, F&& f) {
  f(in_matrix(a, c));
  f(gate_matrix(a, c));
  f(out_matrix(a, c));
}

[[nodiscard]] VectorWeights vector_weights(const LightningAttention& a, const Cut& c);
[[nodiscard]] Cache cache_of(const LightningAttention& a, const Cut& c, const Deployment& d);
void lower(const LightningAttention& a, Lowering& l);

}  // namespace rooflens
