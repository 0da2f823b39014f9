#include "rooflens/core/traits.h"

#include <algorithm>

#include "rooflens/core/layer_visit.h"

namespace rooflens {
namespace {

template <class... Kinds>
bool mixes_with(const Model& m) {
  return std::any_of(m.layers.begin(), m.layers.end(), [](const Layer& l) {
    return (std::holds_alternative<Kinds>(l.mixer) || ...);
  });
}

}  // namespace

bool has_experts(const Model& m) {
  return std::any_of(m.layers.begin(), m.layers.end(), [](const Layer& l) {
    return std::holds_alternative<MixtureOfExperts>(l.ffn);
  });
}

bool has_attention(const Model& m) { return mixes_with<Attention, LatentAttention>(m); }
bool has_latent_attention(const Model& m) { return mixes_with<LatentAttention>(m); }
bool has_windows(const Model& m) {
  return std::any_of(m.layers.begin(), m.layers.end(), [](const Layer& layer) {
    const auto* a = std::get_if<Attention>(&layer.mixer);
    return a != nullptr && a->window > 0;
  });
}

bool caches_values(const Model& m) { return mixes_with<Attention>(m); }

bool has_recurrent_state(const Model& m) {
  return mixes_with<GatedDeltaNet, KimiDelta, Mamba1, Mamba2, LightningAttention>(m);
}

bool has_quantised_weights(const Model& m) {
  bool any = false;
  for (const Layer& layer : m.layers) {
    for_each_matrix(layer, whole(m), [&](const Matrix& x) {
      any = any || (!x.small && !is_plain(layer.weight(x.slot).storage));
    });
  }
  return any;
}

}  // namespace rooflens
