// Efficiencies fitted on measured runs. docs/accuracy.md tells the procedure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooflens/core/analyze.h"
#include "rooflens/core/fitted_efficiency.h"
#include "rooflens/core/observation.h"

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
  MeasuredPhase phase = MeasuredPhase::decode;
  std::string group;  // who measured it
  std::string date;
  Ceilings ceilings;
  std::vector<LoadPart> parts;
  double seconds = 0;  // measured, of all passes together
  Efficiency prior;    // of its device
};

// The work of `a`: one decode or prefill step, or for a mixed run one request's share of both.
[[nodiscard]] std::vector<LoadPart> load_of(const Analysis& a, MeasuredPhase phase);

// Seconds of the whole work; low = fastest.
[[nodiscard]] Range expected_seconds(const CalibrationSample& s, const Efficiency& e);

// Points below which nothing is fitted: of several sources, and of one for one engine or format.
inline constexpr std::size_t kLeastPoints = 8, kLeastFinePoints = 20;
// Sources below which a row is of the engine that was measured, not of all engines.
inline constexpr std::size_t kLeastSources = 2;

class Calibration {
 public:
  // The samples must outlive it. O(samples x grid).
  explicit Calibration(std::span<const CalibrationSample> samples);
  ~Calibration();
  Calibration(const Calibration&) = delete;
  Calibration& operator=(const Calibration&) = delete;

  // One row for each class of devices and, where there are enough points, for each engine, format
  // and both; for each maker's devices together by engine; for all devices. In order of their
  // names. Sources weigh by the root of their number of points.
  [[nodiscard]] std::vector<FittedEfficiency> rows() const;

  // The same without the points of one group, for the classes that it has points of.
  [[nodiscard]] std::vector<FittedEfficiency> rows_without(const std::string& group) const;

 private:
  struct Fitted;
  [[nodiscard]] std::vector<FittedEfficiency> fit(const std::string& without) const;
  std::vector<Fitted> fitted_;
};

}  // namespace rooflens
