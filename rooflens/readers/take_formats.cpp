#include <algorithm>

#include "rooflens/readers/layer_groups.h"
#include "rooflens/readers/weight_pieces.h"

namespace rooflens {

void take_formats(const Model& keys, const Model& bound, const std::vector<std::string>& set,
                  Model& changed) {
  const std::vector<Layer> told = single_layers(keys), known = single_layers(bound);
  std::vector<Layer> layers = single_layers(changed);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const std::size_t like = std::min(l, known.size() - 1);
    if (layers[l].ffn == told[like].ffn) layers[l].ffn = known[like].ffn;
    for (std::size_t s = 0; s < kSlots; ++s) {
      layers[l].weights[s] = {known[like].weights[s].storage, 0};
    }
  }
  for (const std::string& warning : bound.warnings) {
    const auto& known_warnings = changed.warnings;
    if (std::find(known_warnings.begin(), known_warnings.end(), warning) == known_warnings.end()) {
      changed.warnings.push_back(warning);
    }
  }
  group_layers(layers, changed);
  const auto was_set = [&](std::string_view key) {
    return std::any_of(set.begin(), set.end(),
                       [&](const std::string& s) { return s.find(key) != std::string::npos; });
  };
  if (!was_set("tie_word_embeddings")) changed.tied = bound.tied;
  if (!was_set("vocab_size")) changed.vocabulary = bound.vocabulary;
  changed.embedding = {bound.embedding.storage, 0};
  changed.head = {bound.head.storage, 0};
  changed.computes_in = bound.computes_in;
  changed.read_from = bound.read_from;
  changed.small = bound.small;
  changed.small_bytes = bound.small_bytes;
}

}  // namespace rooflens
