// A model by itself as a report and as JSON: sizes, bytes, weights by role and format, layers by
// kind, and where each fact was read. What `rooflens model` shows.
#pragma once

#include "rooflens/core/scenario.h"
#include "rooflens/render/json_writer.h"
#include "rooflens/render/report.h"

namespace rooflens {

[[nodiscard]] Report model_report(const Model& m, const Deployment& d);

// The `results` object of the JSON contract for `model`.
void model_json(const Model& m, const Deployment& d, JsonWriter& j);

}  // namespace rooflens
