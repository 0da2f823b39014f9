// A model with some of its weights stored another way: the what-if behind --weights, levers, fit.
#pragma once

#include "rooflens/core/model.h"

namespace rooflens {

// Which weights. Small weights (norms, router, convolution, gates) are never touched.
enum class Role { linear, experts, head, embedding };

// Stores them as `s`; exact bytes read from a file are dropped for what changes. `linear` leaves
// the routed experts alone. When the weights and the input type make a lower-precision GEMM (W8A8),
// Model::gemm_input is what the caller sets.
void requantise(Model& m, Role role, const Storage& s);

// The storage that holds most of the bytes of a role; a default-made one when the role is absent.
[[nodiscard]] Storage storage_of(const Model& m, Role role);

// Makes the weights add up to `bytes` in all, as a file's size tells: every matrix by the same
// factor, small weights as they are. Returns the factor (1 = the formats alone say so); 0, and
// nothing is changed, when the small weights alone are more.
double fit_to_bytes(Model& m, double bytes);

}  // namespace rooflens
