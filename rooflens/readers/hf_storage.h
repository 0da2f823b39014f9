// Gives every matrix of a model its storage: the file's dtype, then what its quantisation says of
// each module.
#pragma once

#include <string>
#include <vector>

#include "rooflens/core/model.h"
#include "rooflens/readers/hf_fields.h"
#include "rooflens/readers/hf_quant.h"

namespace rooflens {

// The plain storage of unquantised weights: torch_dtype or dtype (nested, then top), bf16 when the
// file does not say. An unknown dtype is an error.
[[nodiscard]] Element read_dtype(Fields& f);

// Sets the storages of one layer whose modules are called "<prefix>self_attn.q_proj" and so on
// (canonical names, "layers.7."). A slot whose parts differ takes the widest and is noted in
// `mixed`. Inputs of quantised matrices are added to `inputs`.
void set_layer_storage(const Quantisation& q, Element dtype, const Family& family,
                       const std::string& prefix, Layer& layer, std::vector<std::string>& mixed,
                       std::vector<Element>& inputs);

// All layers, embedding, head, small weights, cache, gemm_input and words of the model.
void set_storage(Fields& f, const Quantisation& q, Element dtype, std::vector<Layer>& layers,
                 Model& model);

}  // namespace rooflens
