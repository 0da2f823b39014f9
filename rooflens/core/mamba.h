// State-space mixers (Mamba-1, Mamba-2) and the gated short convolution. docs/model.md section 6.
#pragma once

#include "rooflens/core/lowering.h"

namespace rooflens {

[[nodiscard]] Matrix in_matrix(const Mamba2& s, const Cut& c);
[[nodiscard]] Matrix out_matrix(const Mamba2& s, const Cut& c);

template <class F>
void for_each_matrix(const Mamba2& s, const Cut& c, F&& f) {
  f(in_matrix(s, c));
  f(out_matrix(s, c));
}
[[nodiscard]] VectorWeights vector_weights(const Mamba2& s, const Cut& c);
[[nodiscard]] Cache cache_of(const Mamba2& s, const Cut& c, const Deployment& d);
void lower(const Mamba2& s, Lowering& l);

[[nodiscard]] Matrix in_matrix(const Mamba1& s, const Cut& c);
[[nodiscard]] Matrix select_matrix(const Mamba1& s, const Cut& c);  // dt, B, C
[[nodiscard]] Matrix dt_matrix(const Mamba1& s, const Cut& c);
[[nodiscard]] Matrix out_matrix(const Mamba1& s, const Cut& c);

template <class F>
void for_each_matrix(const Mamba1& s, const Cut& c, F&& f) {
  f(in_matrix(s, c));
  f(select_matrix(s, c));
  f(dt_matrix(s, c));
  f(out_matrix(s, c));
}
[[nodiscard]] VectorWeights vector_weights(const Mamba1& s, const Cut& c);
[[nodiscard]] Cache cache_of(const Mamba1& s, const Cut& c, const Deployment& d);
void lower(const Mamba1& s, Lowering& l);

[[nodiscard]] Matrix in_matrix(const ShortConv& s, const Cut& c);
[[nodiscard]] Matrix out_matrix(const ShortConv& s, const Cut& c);

template <class F>
void for_each_matrix(const ShortConv& s, const Cut& c, F&& f) {
  f(in_matrix(s, c));
  f(out_matrix(s, c));
}
[[nodiscard]] VectorWeights vector_weights(const ShortConv& s, const Cut& c);
[[nodiscard]] Cache cache_of(const ShortConv& s, const Cut& c, const Deployment& d);
void lower(const ShortConv& s, Lowering& l);

}  // namespace rooflens
