// Every matrix and every small weight of a layer, whatever its mixer and feed-forward are.
#pragma once

#include "rooflens/core/attention.h"
#include "rooflens/core/delta_net.h"
#include "rooflens/core/feed_forward.h"
#include "rooflens/core/latent_attention.h"
#include "rooflens/core/lightning_attention.h"
#include "rooflens/core/mamba.h"

namespace rooflens {

template <class F>
void for_each_matrix(const NoMixer&, const Cut&, F&&) {}
template <class F>
void for_each_matrix(const NoFeedForward&, const Cut&, F&&) {}
[[nodiscard]] inline VectorWeights vector_weights(const NoMixer&, const Cut&) { return {}; }
[[nodiscard]] inline VectorWeights vector_weights(const NoFeedForward&, const Cut&) { return {}; }
[[nodiscard]] inline Cache cache_of(const NoMixer&, const Cut&, const Deployment&) { return {}; }

template <class F>
void for_each_matrix(const Layer& layer, const Cut& c, F&& f) {
  std::visit([&](const auto& m) { for_each_matrix(m, c, f); }, layer.mixer);
  std::visit([&](const auto& m) { for_each_matrix(m, c, f); }, layer.ffn);
}

// Mixer, feed-forward and norms together.
[[nodiscard]] inline VectorWeights vector_weights(const Layer& layer, const Model& m,
                                                  const Cut& c) {
  const bool mixes = !std::holds_alternative<NoMixer>(layer.mixer);
  const bool feeds = !std::holds_alternative<NoFeedForward>(layer.ffn);
  const double norms = (mixes ? layer.mixer_norms : 0) + (feeds ? layer.ffn_norms : 0);
  const double norm_weights = norms * m.hidden * (m.norm_bias ? 2 : 1);
  const VectorWeights a =
      std::visit([&](const auto& x) { return vector_weights(x, c); }, layer.mixer);
  const VectorWeights b =
      std::visit([&](const auto& x) { return vector_weights(x, c); }, layer.ffn);
  return {a.whole + b.whole + norm_weights, a.local + b.local + norm_weights};
}

[[nodiscard]] inline Cache cache_of(const Layer& layer, const Cut& c, const Deployment& d) {
  return std::visit([&](const auto& x) { return cache_of(x, c, d); }, layer.mixer);
}

}  // namespace rooflens
