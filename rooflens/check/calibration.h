// Efficiencies fitted on measured runs. docs/accuracy.md tells the procedure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooflens/core/analyze.h"
#include "rooflens/core/fitted_efficiency.h"

namespace rooflens {

// So many passes of one phase; of a pipeline whose stages overlap, less than one.
struct LoadPart {
  Phase phase;
  double passes = 1;
};

// A run whose time is known: its work, and what to fit it with.
struct CalibrationSample {
  DeviceClass device;
  ServedClass served;
  std::string group;  // who measured it
  std::string date;
  Ceilings ceilings;
  std::vector<LoadPart> parts;
  double seconds = 0;  // measured, of all passes together
  Efficiency prior;    // of its device
};

// The work of `a`: one decode or prefill step, or for a mixed run one request's share of both.
[[nodiscard]] std::vector<LoadPart> load_of(const Analysis& a, bool prefill, bool decode);

// The larger part of the roof's time is arithmetic: its time tells a compute share. Else it tells a
// memory share, launches and fixed time.
[[nodiscard]] bool compute_dominates(const CalibrationSample& s);

// Seconds of the whole work; low = fastest.
[[nodiscard]] Range expected_seconds(const CalibrationSample& s, const Efficiency& e);

// Points below which nothing is fitted: for a class of devices, and for one engine or format of it.
inline constexpr std::size_t kLeastPoints = 8, kLeastFinePoints = 20;

// One row for each class of devices and, where there are enough points, for each engine, format and
// both, in order of their names. Sources weigh by the root of their number of points. Groups that
// equal `without` are left out. O(samples x grid).
[[nodiscard]] std::vector<FittedEfficiency> calibrate(std::span<const CalibrationSample> samples,
                                                      const std::string& without = {});

}  // namespace rooflens
