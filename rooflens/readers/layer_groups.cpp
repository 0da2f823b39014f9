#include "rooflens/readers/layer_groups.h"

namespace rooflens {

void group_layers(const std::vector<Layer>& layers, Model& model) {
  model.layers.clear();
  model.order.clear();
  for (const Layer& layer : layers) {
    std::size_t at = 0;
    for (; at < model.layers.size(); ++at) {
      const Layer& known = model.layers[at];
      if (known.mixer == layer.mixer && known.ffn == layer.ffn &&
          known.mixer_norms == layer.mixer_norms && known.ffn_norms == layer.ffn_norms &&
          known.weights == layer.weights) {
        break;
      }
    }
    if (at == model.layers.size()) {
      model.layers.push_back(layer);
      model.layers.back().count = 0;
    }
    model.layers[at].count += 1;
    model.order.push_back(static_cast<std::uint16_t>(at));
  }
}

std::vector<Layer> single_layers(const Model& model) {
  std::vector<Layer> layers;
  for (std::uint16_t at : model.order) {
    layers.push_back(model.layers[at]);
    layers.back().count = 1;
  }
  return layers;
}

}  // namespace rooflens
