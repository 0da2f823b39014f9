// What a fit says in words: why a number is not known, and which step stands apart.
#pragma once

#include <span>

#include "rooflens/check/fit.h"

namespace rooflens {

// The steps of a fit by what takes longest in them, and how far apart their sizes are.
struct Sides {
  std::size_t bytes = 0, flops = 0;           // steps bound by them; all where the two add up
  double bytes_growth = 1, flops_growth = 1;  // the most over the least
  [[nodiscard]] bool bytes_slope() const { return bytes > 1 && bytes_growth >= kSlope; }
  [[nodiscard]] bool flops_slope() const { return flops > 1 && flops_growth >= kSlope; }
  static constexpr double kSlope = 1.25;  // sizes closer than this tell no slope
};
[[nodiscard]] Sides sides_of(std::span<const StepTime> kept, const Unknowns& found, Overlap o);

// Reason and experiment of every number of `fit` without a value; `shortest` is its shortest step.
void explain_unknown(const Sides& sides, double shortest, Fit& fit);

// Notes where the time of the steps, smallest first, grows by more than their work.
void note_growth(std::span<const StepTime> kept, Fit& fit);

// `seconds` is what the step took.
[[nodiscard]] Sentence text_of_off(const Diagnosis& d, const OffFit& off, double seconds);

}  // namespace rooflens
