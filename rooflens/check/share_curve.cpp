#include "rooflens/check/share_curve.h"

#include <algorithm>
#include <cmath>

namespace rooflens {
namespace {

double share_at(double k) {
  return ShareCurve::kLeastShare *
         std::pow(1 / ShareCurve::kLeastShare, k / (ShareCurve::kPoints - 1.0));
}

Range only(double v) { return {v, v, v}; }

}  // namespace

ShareCurve::ShareCurve(const CalibrationSample& s, const Efficiency& e, Range Efficiency::*share) {
  static_assert(kPoints % 3 == 0);
  Efficiency at = e;
  for (Range Efficiency::*r :
       {&Efficiency::memory, &Efficiency::compute, &Efficiency::communication,
        &Efficiency::launch_s, &Efficiency::fixed_s}) {
    at.*r = only((e.*r).mid);
  }
  for (int k = 0; k < kPoints; k += 3) {  // three points in one call
    at.*share = {share_at(k), share_at(k + 1), share_at(k + 2)};
    const Range t = expected_seconds(s, at);
    const auto i = static_cast<std::size_t>(k);
    seconds_[i] = t.high;
    seconds_[i + 1] = t.mid;
    seconds_[i + 2] = t.low;
  }
}

double ShareCurve::seconds_at(double share) const {
  const double x = std::clamp(std::log(share / kLeastShare) / std::log(1 / kLeastShare), 0.0, 1.0) *
                   (kPoints - 1);
  const int k = std::min(kPoints - 2, static_cast<int>(x));
  const auto i = static_cast<std::size_t>(k);
  return seconds_[i] * std::pow(seconds_[i + 1] / seconds_[i], x - k);
}

double ShareCurve::share_for(double seconds) const {
  if (!(seconds < seconds_.front())) return kLeastShare;
  if (seconds <= seconds_.back()) return 1;
  // The first that is not longer.
  const auto after =
      std::partition_point(seconds_.begin(), seconds_.end(), [&](double t) { return t > seconds; });
  const auto i = static_cast<std::size_t>(after - seconds_.begin()) - 1;
  const double within = std::log(seconds / seconds_[i]) / std::log(seconds_[i + 1] / seconds_[i]);
  return share_at(static_cast<double>(i) + within);
}

}  // namespace rooflens
