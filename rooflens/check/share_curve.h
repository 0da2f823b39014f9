// How long a measured run would take over the share of one ceiling that is reached.
#pragma once

#include <array>

#include "rooflens/check/calibration.h"

namespace rooflens {

// Seconds at shares 0.02 .. 1 in equal ratios; between them the logarithm is interpolated.
class ShareCurve {
 public:
  static constexpr int kPoints = 48;
  static constexpr double kLeastShare = 0.02;

  ShareCurve() = default;
  // `share` is what varies of `e`, whose other ranges are used at their middle.
  ShareCurve(const CalibrationSample& s, const Efficiency& e, Range Efficiency::*share);

  // Falls with the share.
  [[nodiscard]] double seconds_at(double share) const;

  // The share that takes so long, within the grid.
  [[nodiscard]] double share_for(double seconds) const;

 private:
  std::array<double, kPoints> seconds_{};
};

}  // namespace rooflens
