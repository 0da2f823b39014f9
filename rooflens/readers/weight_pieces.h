// What the tensors of a model are for, told by their names, and the model that they make together
// with its keys: the weights decide. docs/weight-files.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflens/core/model.h"
#include "rooflens/core/result.h"
#include "rooflens/readers/tensor_table.h"

namespace rooflens {

enum class PieceUse {
  matrix,  // of a layer's slot
  small,   // norm, bias, convolution, decay
  embedding,
  head,
  positions,  // learned positions
  beside,     // stored and not run in a text step: vision tower, prediction block, adapter
  duplicate,  // a second copy of weights that are there already
  buffer,     // no weight: rotary frequencies, masks
  unknown,
};

// One matrix with its scales, or one small tensor.
struct WeightPiece {
  std::string name;
  PieceUse use = PieceUse::unknown;
  int layer = -1;
  Slot slot = Slot::mix_in;
  const char* what = "";           // of a piece beside: "vision tower"
  std::string format;              // "Q4_K", "fp8_block128"
  std::optional<Storage> storage;  // nothing when it is not a known format
  double parameters = 0;           // real weights; scales and zero points are none
  double bytes = 0;                // all tensors of the piece
  double tensors = 1;
};

// Puts exact bytes, formats, the composition (Model::stored) and what is stored beside the model
// into `model`, which was read from the keys of the same files. Sizes that the weights contradict
// are taken from the weights and told in a warning (feed-forward width, experts, vocabulary, a tied
// head); those that cannot be settled are an error (`invalid`) that names the layer and both
// counts, as are matrices that are missing, not known, or of layers that the keys do not have.
[[nodiscard]] Result<void> bind_weights(const std::vector<WeightPiece>& pieces,
                                        std::string_view where, Model& model);

// The composition of the files: pieces of one purpose and format together, in the order of the
// network, what is not run last. `layers` are all, in network order.
[[nodiscard]] std::vector<StoredPart> stored_parts(const std::vector<WeightPiece>& pieces,
                                                   const std::vector<Layer>& layers, bool tied);

// Gives a model whose shape was changed (`set`) the formats of the model it was made from, layer by
// layer; bytes follow from its own shape. `keys` is that model as its keys alone have it, `bound`
// with its weights: what the weights decided stays where the change does not touch it.
void take_formats(const Model& keys, const Model& bound, const std::vector<std::string>& set,
                  Model& changed);

// The pieces of a GGUF file: `draft_blocks` after the model's layers are for prediction.
[[nodiscard]] std::vector<WeightPiece> gguf_pieces(const std::vector<Tensor>& tensors,
                                                   const Model& model, double draft_blocks);

}  // namespace rooflens
