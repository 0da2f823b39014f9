// Why one measured run takes longer than another: the difference of their times, part by part.
// docs/model.md section 14.4.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "rooflens/check/diagnose.h"
#include "rooflens/check/fit.h"

namespace rooflens {

// A figure, the analysis it is held against, and the fit of its run where there is one. All outlive
// the call.
struct MeasuredStep {
  const Diagnosis* diagnosis = nullptr;
  const Analysis* analysis = nullptr;
  const Fit* fit = nullptr;
};

// Seconds of `after` less those of `before`, of one step, or of one request where the figures are
// of whole requests. Positive: `after` takes longer. The parts add up to it: `unexplained` is what
// the others leave. What only a fit of both runs tells is empty without one.
struct Difference {
  std::size_t before = 0, after = 0;  // which steps, in the order they were given
  bool per_request = false;
  double before_s = 0, after_s = 0;

  double batch = 0;    // other sizes: sequences at once, prompt, context, output
  double bytes = 0;    // other bytes to move, or another bandwidth of the device
  double compute = 0;  // other FLOPs, or another peak
  double network = 0;  // other collectives
  std::optional<double> bandwidth_reached, compute_reached;  // other shares of the ceilings
  std::optional<double> fixed;                               // another fixed time
  double unexplained = 0;
  std::vector<Sentence> remarks;

  [[nodiscard]] double total() const { return after_s - before_s; }
};

[[nodiscard]] Difference difference_of(const MeasuredStep& before, const MeasuredStep& after);

inline constexpr std::size_t kMostCompared = 256;

// Figures of two runs that can be told against each other: of the same phase, of a step both or of
// a request both, each with the nearest in size and each once.
struct Differences {
  std::vector<Difference> pairs;  // in the order of `before`
  Sentence nothing;               // why there are none
  std::size_t left = 0;           // figures past kMostCompared of a run, which are not looked at
};
[[nodiscard]] Differences differences(std::span<const MeasuredStep> before,
                                      std::span<const MeasuredStep> after);

}  // namespace rooflens
