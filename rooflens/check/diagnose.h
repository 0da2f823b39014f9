// An Observation held against its Analysis: what fraction, what is in the way, what to measure
// next. docs/model.md section 14.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooflens/check/gap.h"
#include "rooflens/check/sentence.h"
#include "rooflens/core/analyze.h"
#include "rooflens/core/observation.h"

namespace rooflens {

// One way to understand a figure. `fraction` is of the roof that this way calls for.
struct Reading {
  std::string tag;   // "aggregate", "per_stream", "per_device", "same_wall", "total", "as_prefill"
  std::string name;  // in words
  double fraction = 0;
  double tokens_per_s = 0;  // of all sequences and devices together
  bool plausible = true;    // at or below what the machine can do
  Sentence why;
};

// Name of the reading that diagnose_all gives two figures of one run.
inline constexpr const char* kSharedClock = "both figures over one clock";

// Why a figure is where it is. `explains`: taking it as true brings the figure to the roof or below
// (above the roof), or accounts for the missing time (below it). Those that do come first.
struct Cause {
  std::string tag;
  Sentence text;
  double factor = 1;  // what it divides the excess by; 1 where that means nothing
  bool explains = false;
};

// Below this share of the roof the figure itself is in doubt.
inline constexpr double kVeryLow = 0.05;

// Most tokens that one pass with drafts is believed to yield.
inline constexpr double kMostTokensPerPass = 6;

// Shares of the per-operator rate from which a figure is good, and below which it is far.
inline constexpr double kGoodShare = 0.7, kFarShare = 0.3;

enum class Standing : std::uint8_t {
  good,         // kGoodShare of the per-operator rate or more
  partial,      // between the two: kernels, overlap
  far,          // below kFarShare
  above_clock,  // above the roof at the sheet's clock, below the roof at the maximum clock
  above_roof,   // above the roof as told, another reading is possible
  unreachable,  // above the roof under every reading
};
[[nodiscard]] const char* name_of(Standing s);

// What the machine would need so that the figure were its roof, per device and step.
struct Needs {
  double bytes_per_s = 0;  // bandwidth, for these bytes
  double flops_per_s = 0;  // peak, for these FLOPs
  double bytes = 0;        // bytes, at this bandwidth
};

struct Diagnosis {
  Observation observation;
  MeasuredPhase phase = MeasuredPhase::unknown;  // what it was held against
  double batch = 0, prompt = 0, context = 0;     // used
  double devices = 1;

  double tokens_per_s = 0;  // of all sequences, under the first reading
  double roof_tokens_per_s = 0, operator_tokens_per_s = 0;
  Range expected_tokens_per_s;
  double fraction_of_roof = 0, fraction_of_operators = 0;

  // One step (prefill: the whole prompt; both phases on one clock: one request's share of the run).
  double step_seconds = 0, roof_seconds = 0, operator_seconds = 0;
  double headroom_seconds = 0, headroom_tokens_per_s = 0;  // to the roof; negative above it

  // Per device; zero for mixed figures. Bytes are the compulsory ones of the roof, `traffic` those
  // of one operator after another.
  double achieved_flops_per_s = 0, achieved_bytes_per_s = 0, achieved_traffic_bytes_per_s = 0;
  double fraction_of_peak = 0, fraction_of_bandwidth = 0;
  double fraction_of_ridge = 0, intensity = 0;

  Gap gap;                           // zero for mixed figures
  Bound roof_bound = Bound::memory;  // of the roof it is held against
  Bound verdict = Bound::memory;     // of the measurement
  Standing standing = Standing::good;
  Sentence sentence;              // the verdict
  Sentence expectation;           // where it lies in the expected range; empty without one
  Sentence evidence;              // the numbers it rests on
  std::vector<Reading> readings;  // the first is the one above
  std::vector<Cause> causes;
  std::string explained_by;  // above the roof: the tag of the cause that explains it; empty = none
  Sentence next_experiment;
  std::vector<Sentence> notes;
  Needs needs;  // set above the roof
};

// Requires a validated scenario. Sizes the observation does not tell are the scenario's. Costs two
// to a few dozen lowerings.
[[nodiscard]] Diagnosis diagnose(const Observation& o, const Analysis& a);

// The scenario at the sizes of the first prefill and the first decode figure, analysed: what a
// picture of them shows. `a` itself where they tell none of their own.
[[nodiscard]] Analysis at_sizes_of(std::span<const Diagnosis> all, const Analysis& a);

// The same for several figures of one run, which explain each other: a prefill and a decode rate
// whose kind is unknown get the reading that both share one wall clock.
[[nodiscard]] std::vector<Diagnosis> diagnose_all(std::span<const Observation> all,
                                                  const Analysis& a);

}  // namespace rooflens
