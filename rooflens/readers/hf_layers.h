// The layers of a Hugging Face model, one entry each, before equal ones are told once.
#pragma once

#include <vector>

#include "rooflens/core/model.h"
#include "rooflens/readers/hf_fields.h"

namespace rooflens {

enum class LayerKind : std::uint8_t { full, sliding, chunked, cross, linear, conv };

// What each layer's mixer does: from layer_types when the file has it, else by the family's rule.
// Sets an error on an entry that is not known, never guesses.
[[nodiscard]] std::vector<LayerKind> layer_kinds(Fields& f, std::size_t layers);

// One mixer a layer. `hidden` is the model's width.
[[nodiscard]] std::vector<Mixer> read_mixers(Fields& f, std::size_t layers, double hidden);

// One feed-forward a layer. `hidden` is the model's width.
[[nodiscard]] std::vector<FeedForward> read_feed_forwards(Fields& f, std::size_t layers,
                                                          double hidden);

// Both at once, for families whose layers differ in kind. Falcon-H1 has two entries a layer.
struct LayerParts {
  std::vector<Mixer> mixers;
  std::vector<FeedForward> blocks;
};
[[nodiscard]] bool has_own_layers(const Family& family);
[[nodiscard]] LayerParts read_own_layers(Fields& f, std::size_t layers, double hidden);

// ---- parts, one file each
// -------------------------------------------------------------------------

// Softmax attention of every layer whose kind is full, sliding or chunked; others stay NoMixer.
[[nodiscard]] std::vector<Mixer> attention_mixers(Fields& f, const std::vector<LayerKind>& kinds,
                                                  double hidden);

// The latent attention of the file with its sparse index, if any.
[[nodiscard]] LatentAttention latent_mixer(Fields& f, double hidden);

// One dense block, and one block of experts of the width these keys give.
[[nodiscard]] Dense dense_block(Fields& f, double hidden);
[[nodiscard]] MixtureOfExperts expert_block(Fields& f, Fields::Keys width);

// Puts the recurrent mixer of the family into every layer of kind linear or conv.
void fill_recurrent(Fields& f, const std::vector<LayerKind>& kinds, double hidden,
                    std::vector<Mixer>& mixers);

// One state-space mixer for every layer (Mamba 1 and 2).
[[nodiscard]] Mixer state_space_mixer(Fields& f, double hidden);

}  // namespace rooflens
