// The least squares behind a fit of step times. docs/model.md section 14.3.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace rooflens {

// One measured step: seconds as measured, as its bytes need at the nominal bandwidth, as its FLOPs
// need at the nominal peak, and as its collectives need.
struct StepTime {
  double seconds = 0, memory = 0, compute = 0, network = 0;
};

// How the bytes and the FLOPs of a step share its time.
enum class Overlap : std::uint8_t {
  full,  // the longer of the two: max(bytes, FLOPs)
  none,  // one after the other: bytes + FLOPs
};

// The unknowns: seconds each step takes whatever its size, and how many times as long as at the
// nominal ceilings its bytes and its FLOPs take (the share reached is 1 / slowdown).
enum class Unknown : std::uint8_t { fixed, memory_slowdown, compute_slowdown };
inline constexpr int kUnknowns = 3;
using Unknowns = std::array<double, kUnknowns>;  // by Unknown
[[nodiscard]] constexpr double value_of(const Unknowns& u, Unknown which) {
  return u[static_cast<std::size_t>(which)];
}

[[nodiscard]] double predicted_seconds(const StepTime& s, const Unknowns& u, Overlap o);

// measured / predicted - 1.
[[nodiscard]] double relative_error(const StepTime& s, const Unknowns& u, Overlap o);

struct FitSolution {
  Unknowns unknowns{};
  double cost = 0;  // sum of the squared errors, each relative to what was measured
};

// The unknowns that make the cost least, none below its value in `least`; one of them may be held
// at a value. Exact: with full overlap every way to divide the steps, ordered by intensity, into
// those bound by bytes and those bound by FLOPs is tried, and for each every set of unknowns that
// may lie at its bound. Time grows with the square of the number of steps.
struct HeldUnknown {
  Unknown which = Unknown::fixed;
  double value = 0;
};
[[nodiscard]] FitSolution solve_fit(std::span<const StepTime> steps, const Unknowns& least,
                                    Overlap o, std::optional<HeldUnknown> held = {});

// The values of one unknown for which the others can be chosen so that the cost stays within
// `most`: a profile interval. `high` is infinite where no value is too large.
struct Interval {
  double low = 0, high = 0;
};
[[nodiscard]] Interval profile(std::span<const StepTime> steps, const Unknowns& least, Overlap o,
                               Unknown which, const FitSolution& best, double most);

}  // namespace rooflens
