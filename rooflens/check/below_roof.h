// A figure under its roof: what keeps it there, and what would show it.
#pragma once

#include <vector>

#include "rooflens/check/diagnose.h"
#include "rooflens/check/hold.h"

namespace rooflens {

// Sets verdict, causes and next experiment of `d`, whose fractions, gap and readings are set.
void judge_below_roof(const Basis& b, Diagnosis& d);

}  // namespace rooflens
