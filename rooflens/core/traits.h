// What a model has at all: whether a way to serve it can matter.
#pragma once

#include "rooflens/core/model.h"

namespace rooflens {

[[nodiscard]] bool has_experts(const Model& m);
[[nodiscard]] bool has_attention(const Model& m);  // softmax attention of any kind
[[nodiscard]] bool has_latent_attention(const Model& m);
[[nodiscard]] bool has_windows(const Model& m);  // layers that attend to a sliding window
[[nodiscard]] bool caches_values(
    const Model& m);  // beside keys: latent attention caches one vector
[[nodiscard]] bool has_recurrent_state(const Model& m);    // beyond the columns of a convolution
[[nodiscard]] bool has_quantised_weights(const Model& m);  // of layers

}  // namespace rooflens
