// Feed-forward layers: dense and mixture of experts. docs/model.md sections 3, 5.
#pragma once

#include "rooflens/core/lowering.h"

namespace rooflens {

[[nodiscard]] Matrix up_matrix(const Dense& f, const Cut& c);  // gate_up
[[nodiscard]] Matrix down_matrix(const Dense& f, const Cut& c);

template <class F>
void for_each_matrix(const Dense& x, const Cut& c, F&& f) {
  f(up_matrix(x, c));
  f(down_matrix(x, c));
}
[[nodiscard]] VectorWeights vector_weights(const Dense& f, const Cut& c);
void lower(const Dense& f, Lowering& l);

[[nodiscard]] Matrix router_matrix(const MixtureOfExperts& m, const Cut& c);
[[nodiscard]] Matrix experts_up_matrix(const MixtureOfExperts& m, const Cut& c);
[[nodiscard]] Matrix experts_down_matrix(const MixtureOfExperts& m, const Cut& c);
[[nodiscard]] Matrix shared_up_matrix(const MixtureOfExperts& m, const Cut& c);
[[nodiscard]] Matrix shared_down_matrix(const MixtureOfExperts& m, const Cut& c);
[[nodiscard]] Matrix latent_in_matrix(const MixtureOfExperts& m, const Cut& c);
[[nodiscard]] Matrix latent_out_matrix(const MixtureOfExperts& m, const Cut& c);

template <class F>
void for_each_matrix(const MixtureOfExperts& m, const Cut& c, F&& f) {
  f(router_matrix(m, c));
  f(experts_up_matrix(m, c));
  f(experts_down_matrix(m, c));
  if (m.shared_width > 0) {
    f(shared_up_matrix(m, c));
    f(shared_down_matrix(m, c));
  }
  if (m.latent > 0) {
    f(latent_in_matrix(m, c));
    f(latent_out_matrix(m, c));
  }
}
[[nodiscard]] VectorWeights vector_weights(const MixtureOfExperts& m, const Cut& c);
void lower(const MixtureOfExperts& m, Lowering& l);

}  // namespace rooflens
