// Steps that no roofline explains beside the others. docs/model.md section 14.3.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rooflens/check/fit_solve.h"

namespace rooflens {

enum class Apart : std::uint8_t {
  no,
  cliff,  // its time grew by more than its bytes, its FLOPs and its collectives
  slow,   // above what the most of the others follow
  fast,   // below it
};
[[nodiscard]] const char* name_of(Apart a);  // "cliff", "slow", "fast"; "" for no

// How the time of one step may exceed that of another, beside the growth of their work.
inline constexpr double kCliff = 1.3;
// A step is apart when it misses the others by more than this, and by far more than they do.
inline constexpr double kApart = 0.15;

// One verdict a step. Cliffs follow from pairs of steps: seconds(i) / seconds(j) cannot exceed the
// largest ratio of their bytes, FLOPs and collectives, whatever the ceilings; a step is one when it
// does against the two largest good ones below it. Of the rest, five or more, those are apart that
// the least trimmed squares leave out (Rousseeuw 1984).
[[nodiscard]] std::vector<Apart> steps_apart(std::span<const StepTime> steps, const Unknowns& least,
                                             Overlap o);

}  // namespace rooflens
