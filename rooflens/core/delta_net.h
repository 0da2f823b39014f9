// Linear attention with the delta rule: Gated DeltaNet and Kimi Delta Attention.
// docs/model.md section 6.
#pragma once

#include "rooflens/core/lowering.h"

namespace rooflens {

[[nodiscard]] Matrix in_matrix(const GatedDeltaNet& g, const Cut& c);     // q, k, v, z
[[nodiscard]] Matrix gates_matrix(const GatedDeltaNet& g, const Cut& c);  // b, a
[[nodiscard]] Matrix out_matrix(const GatedDeltaNet& g, const Cut& c);

template <class F>
void for_each_matrix(const GatedDeltaNet& g, const Cut& c, F&& f) {
  f(in_matrix(g, c));
  f(gates_matrix(g, c));
  f(out_matrix(g, c));
}

[[nodiscard]] VectorWeights vector_weights(const GatedDeltaNet& g, const Cut& c);
[[nodiscard]] Cache cache_of(const GatedDeltaNet& g, const Cut& c, const Deployment& d);
void lower(const GatedDeltaNet& g, Lowering& l);

[[nodiscard]] Matrix in_matrix(const KimiDelta& k, const Cut& c);         // q, k, v
[[nodiscard]] Matrix gate_down_matrix(const KimiDelta& k, const Cut& c);  // decay and output gates
[[nodiscard]] Matrix gate_up_matrix(const KimiDelta& k, const Cut& c);
[[nodiscard]] Matrix beta_matrix(const KimiDelta& k, const Cut& c);
[[nodiscard]] Matrix out_matrix(const KimiDelta& k, const Cut& c);

template <class F>
void for_each_matrix(const KimiDelta& k, const Cut& c, F&& f) {
  f(in_matrix(k, c));
  f(gate_down_matrix(k, c));
  f(gate_up_matrix(k, c));
  f(beta_matrix(k, c));
  f(out_matrix(k, c));
}

[[nodiscard]] VectorWeights vector_weights(const KimiDelta& k, const Cut& c);
[[nodiscard]] Cache cache_of(const KimiDelta& k, const Cut& c, const Deployment& d);
void lower(const KimiDelta& k, Lowering& l);

}  // namespace rooflens
