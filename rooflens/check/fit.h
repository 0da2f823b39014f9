// Several measurements of one model on one machine, and what they tell together: the time a step
// takes whatever its size, the bandwidth and the compute that the engine reaches.
// docs/model.md section 14.3.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflens/check/diagnose.h"
#include "rooflens/check/fit_outliers.h"

namespace rooflens {

// Why a number has no value.
enum class Doubt : std::uint8_t {
  none,
  one_size,     // all measurements are of one size
  misfit,       // the steps do not follow their bytes and FLOPs
  other_bound,  // what it limits never took longest: a bound on one side is known
  no_slope,     // it and the fixed time may stand for each other
  scatter,      // too few measurements for their scatter
};
[[nodiscard]] const char* name_of(Doubt d);

// One of the three numbers. The range holds every value that the measurements allow, within their
// scatter and the ceilings; `value` is there only where the range is narrow enough to mean it.
struct Fitted {
  std::optional<double> value;
  double low = 0, high = 0;
  Doubt doubt = Doubt::none;
  Sentence why, next;  // of the doubt: in words, and what would tell
};

// A measurement that the formula does not explain beside the others.
struct OffFit {
  std::size_t index = 0;  // of the diagnosis
  Apart apart = Apart::no;
  double ratio = 1;  // measured / fitted seconds
  Sentence text;
};

struct Spread {
  double low = 0, high = 0;
};

// seconds = fixed + collectives + max(bytes / bandwidth, FLOPs / compute), or the sum of the last
// two where the measurements show it. Per device; collectives as the arithmetic has them.
struct Fit {
  std::string label;  // of the runs it is of; empty = all there are
  MeasuredPhase phase = MeasuredPhase::decode;
  Overlap overlap = Overlap::full;
  Fitted fixed_s, bytes_per_s, flops_per_s;
  double nominal_bytes_per_s = 0, nominal_flops_per_s = 0;  // the ceilings of the roof
  std::size_t points = 0;         // measurements of this phase that can be fitted
  std::size_t sizes = 0;          // different ones among them
  std::size_t used = 0;           // sizes that the fit rests on
  Spread batch, prompt, context;  // of the sizes used
  double residual = 0;            // root mean square of measured / fitted - 1 over the sizes used
  std::vector<OffFit> off;
  std::vector<Sentence> notes;
};

// How well a figure repeats, as a standard deviation, whatever the others' scatter says: three
// printed digits, clocks and temperature.
inline constexpr double kFigureError = 0.01;

// A fit for each phase with two measurements or more; those above the roof, of both phases at once,
// with a wait, or of what does not fit are left out and counted in the notes. The diagnoses are of
// one model, machine and engine.
[[nodiscard]] std::vector<Fit> fits_of(std::span<const Diagnosis> all);

// The same for runs of several models, machines or engines, told apart by the label of each figure.
[[nodiscard]] std::vector<Fit> fits_by_label(std::span<const Diagnosis> all,
                                             std::span<const std::string> labels);

}  // namespace rooflens
