#include "rooflens/readers/coarse_model.h"

#include <algorithm>
#include <cmath>

#include "rooflens/core/requantise.h"

namespace rooflens {
namespace {

// A width that 64 ranks divide.
double in_pieces(double width) { return std::max(1.0, std::round(width / 64)) * 64; }

}  // namespace

Model coarse_model(const std::string& name, const Size& size, const Storage& storage) {
  constexpr double kAspect = 128;  // width / depth
  const double active = size.active_parameters > 0
                            ? std::min(size.active_parameters, size.parameters)
                            : size.parameters;
  const double depth = std::max(1.0, std::round(std::cbrt(active / (12 * kAspect * kAspect))));
  Model m;
  m.name = name;
  m.architecture = "unknown";
  m.hidden = kAspect * depth;
  m.vocabulary = 1;
  m.tied = true;
  m.final_norm = false;
  m.small = plain(Element::bf16);
  m.computes_in = Element::fp16;
  m.kv = plain(Element::fp16);
  m.embedding.storage = plain(Element::bf16);
  m.read_from = "size";
  Layer layer;
  layer.count = depth;
  layer.mixer_norms = layer.ffn_norms = 0;
  const double width = size.parameters / (3 * m.hidden * depth);  // of all experts together
  if (active < size.parameters) {
    MixtureOfExperts moe;
    moe.experts = std::max(2.0, std::round(size.parameters / active));
    moe.active = 1;
    moe.width = in_pieces(width / moe.experts);
    layer.ffn = moe;
  } else {
    layer.ffn = Dense{.width = in_pieces(width)};
  }
  m.layers.push_back(layer);
  m.order.assign(static_cast<std::size_t>(depth), 0);
  requantise(m, Role::linear, storage);
  requantise(m, Role::experts, storage);
  (void)fit_to_bytes(m, size.bytes);
  m.warnings.push_back(
      "coarse: " + (name.empty() ? std::string("the model") : name) +
      " is known by its size alone: all its weights are read, attention and cache are left out; "
      "figures at long context and of large batches are rougher than they look; --model MODEL "
      "gives the real one");
  return m;
}

}  // namespace rooflens
