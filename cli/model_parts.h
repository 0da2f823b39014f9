// What a model is made of, as tables and as JSON.
#pragma once

#include "rooflens/core/scenario.h"
#include "rooflens/render/json_writer.h"
#include "rooflens/render/report.h"

namespace rooflens::cli {

// Weights by role and format: parameters, bytes, bits for each weight.
[[nodiscard]] Section composition_section(const Model& m);

// Layers by kind: how many, parameters, cache for each token, state.
[[nodiscard]] Section layer_section(const Model& m, const Deployment& d);

// The members "composition" and "layer_kinds" of an open object.
void parts_json(const Model& m, const Deployment& d, JsonWriter& j);

}  // namespace rooflens::cli
