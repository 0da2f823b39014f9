// Parts of a repository beside the text model: vision towers and multi-token-prediction blocks.
#pragma once

#include "rooflens/core/model.h"
#include "rooflens/readers/hf_fields.h"
#include "rooflens/readers/hf_quant.h"

namespace rooflens {

// Adds to model.extras what can be counted exactly from the file, and a warning for what cannot.
// `last` is the last layer of the network (a prediction block has one like it), the model's sizes
// are already set.
void add_extras(Fields& f, const Quantisation& q, Element dtype, const Layer& last, Model& model);

}  // namespace rooflens
