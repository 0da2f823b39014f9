// Measured steps as marks of a roofline chart.
#pragma once

#include <span>
#include <string>

#include "rooflens/check/diagnose.h"
#include "rooflens/render/roofline_chart.h"

namespace rooflens {

struct Marked {
  const Diagnosis* figure = nullptr;
  std::string who;  // put before its label: "llama-7b: "; may be empty
};

// Each figure hollow, a cross where it was expected, and - of a few - its place on the roof where
// `a` (may be null) has computed another. Those that fall together are one; of many, the ends, the
// best and the worst are named, and they are thinned out.
void add_marks(std::span<const Marked> figures, const Analysis* a, RooflineChart& chart);

}  // namespace rooflens
