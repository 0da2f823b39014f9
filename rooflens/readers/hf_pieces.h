// Names of tensors in .safetensors files: what each is for in a model that a config.json describes.
#pragma once

#include <string>
#include <vector>

#include "rooflens/core/model.h"
#include "rooflens/readers/tensor_table.h"
#include "rooflens/readers/weight_pieces.h"

namespace rooflens {

// Tensors of one module make one piece; layers past the model's are for prediction. O(tensors).
[[nodiscard]] std::vector<WeightPiece> hf_pieces(const std::vector<Tensor>& tensors,
                                                 const Model& model);

// Puts the weights of .safetensors files into the model of their config.json. Errors:
// those of bind_weights.
[[nodiscard]] Result<Model> bind_safetensors(Model model, const TensorTable& table,
                                             std::string_view where);

}  // namespace rooflens
