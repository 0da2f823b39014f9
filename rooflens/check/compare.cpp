#include "rooflens/check/compare.h"

#include <algorithm>
#include <cmath>

#include "rooflens/core/formulas.h"

namespace rooflens {
namespace {

using M = Measure;

const Diagnosis* first(std::span<const Diagnosis> all, MeasuredPhase phase) {
  for (const Diagnosis& d : all) {
    const bool rate = d.observation.figure == Figure::tokens_per_s;
    if (rate && d.phase == phase && d.observation.phase == phase &&
        d.observation.counting != Counting::same_wall) {
      return &d;
    }
  }
  return nullptr;
}

bool within(double a, double b, double share) {
  return a > 0 && b > 0 && std::abs(std::log(a / b)) <= std::log1p(share);
}

}  // namespace

std::optional<Comparison> compare(std::span<const Diagnosis> all, const Analysis& a) {
  const Diagnosis* p = first(all, MeasuredPhase::prefill);
  const Diagnosis* d = first(all, MeasuredPhase::decode);
  if (p == nullptr || d == nullptr) return std::nullopt;
  Comparison c;
  c.ratio_of_rates = p->tokens_per_s / d->tokens_per_s;
  c.ratio_of_roofs = p->roof_tokens_per_s / d->roof_tokens_per_s;
  c.same_wall_fraction =
      mixed_fraction(p->tokens_per_s, p->roof_tokens_per_s, d->tokens_per_s, d->roof_tokens_per_s);
  const double high = std::max(p->fraction_of_roof, d->fraction_of_roof);
  if (within(p->fraction_of_roof, d->fraction_of_roof, 0.3) && high < kGoodShare) {
    c.remarks.push_back(
        {"Both phases reach a like share of their own roofs ({} and {}): what holds "
         "them back is common to both",
         {{p->fraction_of_roof, M::fraction}, {d->fraction_of_roof, M::fraction}}});
  }
  if (within(c.ratio_of_rates, c.ratio_of_roofs, 0.15) && high < kGoodShare) {
    c.remarks.push_back(
        {"Prefill is {} decode, and their roofs are {} apart: the gap is the ratio "
         "of the two roofs. That agrees with the roofline; it does not show that "
         "prefill is near its roof",
         {{c.ratio_of_rates, M::ratio}, {c.ratio_of_roofs, M::ratio}}});
  }
  if (p->fraction_of_ridge > 1 && p->fraction_of_roof < 0.5) {
    c.remarks.push_back(
        {"Prefill lies right of the ridge ({} of it), where arithmetic limits; at "
         "{} of the roof it is not near the ceiling",
         {{p->fraction_of_ridge, M::ratio}, {p->fraction_of_roof, M::fraction}}});
  }
  const Workload& w = a.scenario.workload;
  const double lengths = w.output > 0 ? (w.prompt - w.cached_prefix) / w.output : 0;
  const bool unknown =
      p->observation.counting == Counting::unknown && d->observation.counting == Counting::unknown;
  if (unknown && within(c.ratio_of_rates, lengths, 0.03)) {
    c.remarks.push_back(
        {"The ratio of the rates is the ratio of prompt to output ({}): one run, "
         "seen twice, and neither is the rate of a phase",
         {{lengths, M::number}}});
  } else if (unknown) {
    c.remarks.push_back(
        {"A serving or throughput benchmark counts both over its whole run; then "
         "neither is the rate of a phase, the run is at {} of its roof, and its "
         "prompts are {} as long as its outputs (the workload says {})",
         {{c.same_wall_fraction, M::fraction}, {c.ratio_of_rates, M::ratio}, {lengths, M::ratio}}});
  }
  return c;
}

}  // namespace rooflens
