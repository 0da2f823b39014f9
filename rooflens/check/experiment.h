// What to measure next, by what was found.
#pragma once

#include "rooflens/check/diagnose.h"

namespace rooflens {

// Of a figure below its roof: by its verdict.
[[nodiscard]] Sentence experiment_below(const Diagnosis& d);

// Of a figure above its roof: what would show that the cause it is explained by is the true one.
[[nodiscard]] Sentence experiment_above(const Diagnosis& d);

// "; a cached prompt would explain it", where a cause does.
[[nodiscard]] std::string named_cause(const Diagnosis& d);

}  // namespace rooflens
