// The layers of a network, one by one and told once.
#pragma once

#include <vector>

#include "rooflens/core/model.h"

namespace rooflens {

// Fills Model::layers and Model::order: equal layers (mixer, feed-forward, norms, weights) once.
void group_layers(const std::vector<Layer>& layers, Model& model);

// Every layer in network order, each with count 1.
[[nodiscard]] std::vector<Layer> single_layers(const Model& model);

}  // namespace rooflens
