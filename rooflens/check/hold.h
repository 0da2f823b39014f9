// A figure turned into a rate of the whole machine, beside the rate the roof allows.
#pragma once

#include <vector>

#include "rooflens/core/observation.h"
#include "rooflens/check/sentence.h"
#include "rooflens/core/analyze.h"

namespace rooflens {

// Figures are printed with three or four digits: this much over the roof is rounding.
inline constexpr double kRounding = 1.005;

// The scenario with the sizes the observation tells, analysed.
struct Basis {
  Analysis analysis;
  MeasuredPhase phase = MeasuredPhase::decode;  // of the observation, or the likeliest
  double batch = 1, prompt = 0, fresh = 0, output = 0, context = 0;
  double devices = 1;  // that serve one step or a replica of it
  std::vector<Sentence> notes;
};
[[nodiscard]] Basis basis_of(const Observation& o, const Analysis& a);

struct Held {
  double tokens_per_s = 0;  // all sequences and devices
  double roof_tokens_per_s = 0, operator_tokens_per_s = 0;
  Range expected_tokens_per_s;
  double fraction = 0;  // of the roof at the stated clock
  double fraction_at_max_clock = 0;
  double fraction_overlapped = 0;  // mixed: prefill and decode in the same steps, weights read once
};

// The observation's figure understood as `phase` and `counting`. A time is always of one pass.
[[nodiscard]] Held hold(const Basis& b, const Observation& o, MeasuredPhase phase,
                        Counting counting);

// The phase of the analysis, null for mixed figures.
[[nodiscard]] const Phase* phase_of(const Analysis& a, MeasuredPhase p);

// The roof's seconds of a phase at the maximum clock of its device.
[[nodiscard]] double roof_seconds_at_max_clock(const Analysis& a, const Phase& p);

}  // namespace rooflens
