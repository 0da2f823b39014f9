// Softmax attention (MHA, MQA, GQA, windows, chunks, gates). docs/model.md section 4.
#pragma once

#include "rooflens/core/lowering.h"

namespace rooflens {

[[nodiscard]] Matrix qkv_matrix(const Attention& a, const Cut& c);
[[nodiscard]] Matrix out_matrix(const Attention& a, const Cut& c);

template <class F>
void for_each_matrix(const Attention& a, const Cut& c, F&& f) {
  f(qkv_matrix(a, c));
  f(out_matrix(a, c));
}

[[nodiscard]] VectorWeights vector_weights(const Attention& a, const Cut& c);
[[nodiscard]] Cache cache_of(const Attention& a, const Cut& c, const Deployment& d);
void lower(const Attention& a, Lowering& l);

// Pairs and span of one sequence of a group in this layer.
[[nodiscard]] Reach reach_of(const Attention& a, const Group& g);

}  // namespace rooflens
