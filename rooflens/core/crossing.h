// Where batching carries decode over the ridge, and whether it ever does. docs/model.md section 8.
#pragma once

#include <optional>

#include "rooflens/core/scenario.h"
#include "rooflens/core/analysis.h"

namespace rooflens {

// Groups of operators, for crossing_batch.
enum class Part { whole_step, fc, experts };

// The batch of one replica at which this part of a decode step at `context` cached tokens spends as long on
// arithmetic as on memory, under d.fusion; empty = no batch reaches it. Relative error 1e-9.
[[nodiscard]] std::optional<double> crossing_batch(const Model& m, const Deployment& d,
                                                   const Ceilings& c, double context, Part part);

// The smallest context (cached tokens, >= 1) from which on no batch makes the whole step
// compute-bound; empty = every context has a crossing.
[[nodiscard]] std::optional<double> never_above_context(const Model& m, const Deployment& d,
                                                        const Ceilings& c);

// Limit of the whole decode step's intensity as the batch grows without end: FLOPs per sequence over
// bytes per sequence (the state ceiling of recurrent models). With `ideal` compulsory traffic only.
[[nodiscard]] double intensity_limit(const Model& m, const Deployment& d, const Ceilings& c,
                                     double context, Fusion fusion);

}  // namespace rooflens
