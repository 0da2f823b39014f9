// The numbers a verdict rests on, in one sentence.
#pragma once

#include "rooflens/check/diagnose.h"

namespace rooflens {

// `d` has its verdict, gap and causes.
[[nodiscard]] Sentence evidence_of(const Diagnosis& d);

}  // namespace rooflens
