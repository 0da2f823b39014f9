#include "rooflens/check/fit.h"

#include <algorithm>
#include <cmath>

#include "rooflens/check/fit_words.h"

namespace rooflens {
namespace {

using M = Measure;
using P = MeasuredPhase;

constexpr double kSameSize = 1e-3;      // relative, of bytes and of FLOPs
constexpr double kNarrow = 1.5;         // a ceiling is known when its range is narrower
constexpr double kNarrowFixed = 0.2;    // of the shortest step
constexpr double kLost = 0.2;           // root mean square error past which nothing is told
constexpr double kSoftGain = 0.25;      // of the cost, for the sum to be preferred
constexpr std::size_t kMostSizes = 48;  // that are fitted
constexpr std::size_t kSumSizes = 5;    // that the sum needs

// Student's t, two-sided 95 %, by degrees of freedom.
double student(std::size_t freedom) {
  constexpr double kTable[] = {12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23};
  return freedom > std::size(kTable) ? 2.0 : freedom == 0 ? HUGE_VAL : kTable[freedom - 1];
}

// Steps of one size; `seconds` is their median.
struct Size {
  StepTime step;
  std::vector<std::size_t> members;  // indices of diagnoses
};

StepTime step_of(const Diagnosis& d) {
  return {d.gap.measured, d.fraction_of_bandwidth * d.step_seconds,
          d.fraction_of_peak * d.step_seconds, d.gap.network};
}

bool alike(double a, double b) { return std::fabs(a - b) <= kSameSize * std::max(a, b); }

std::vector<Size> sizes_of(std::span<const Diagnosis> all, const std::vector<std::size_t>& used) {
  std::vector<Size> out;
  for (const std::size_t i : used) {
    const StepTime s = step_of(all[i]);
    auto at = std::find_if(out.begin(), out.end(), [&](const Size& o) {
      return alike(o.step.memory, s.memory) && alike(o.step.compute, s.compute) &&
             alike(o.step.network, s.network);
    });
    if (at == out.end()) at = out.insert(out.end(), {s, {}});
    at->members.push_back(i);
  }
  for (Size& size : out) {
    std::sort(size.members.begin(), size.members.end(), [&](std::size_t a, std::size_t b) {
      return all[a].gap.measured < all[b].gap.measured;
    });
    const std::size_t n = size.members.size();
    size.step.seconds =
        (all[size.members[(n - 1) / 2]].gap.measured + all[size.members[n / 2]].gap.measured) / 2;
  }
  return out;
}

bool smaller(const Size& a, const Size& b) {
  return a.step.compute + a.step.memory < b.step.compute + b.step.memory;
}

// Where there are too many, some over the whole range of sizes.
void thin_out(std::vector<Size>& sizes, Fit& fit) {
  if (sizes.size() <= kMostSizes) return;
  std::stable_sort(sizes.begin(), sizes.end(), smaller);
  std::vector<Size> kept;
  kept.reserve(kMostSizes);
  for (std::size_t i = 0; i < kMostSizes; ++i) {
    kept.push_back(std::move(sizes[i * (sizes.size() - 1) / (kMostSizes - 1)]));
  }
  fit.notes.push_back({"Of {} sizes {}, spread over all of them, are fitted",
                       {{static_cast<double>(fit.sizes), M::number},
                        {static_cast<double>(kMostSizes), M::number}}});
  sizes = std::move(kept);
}

// What the steps of both models of overlap come to.
struct Outcome {
  Overlap overlap = Overlap::full;
  std::vector<Apart> apart;
  std::vector<StepTime> kept;
  FitSolution solution;
  double miss = 0;  // sum over all but cliffs of the squared errors, none above kApart
};

// FLOPs that hardly differ, and are bound by bytes at the peak, say nothing of the compute that is
// reached: whatever they leave unexplained is not theirs.
std::vector<StepTime> without_flops(const std::vector<StepTime>& steps, const Unknowns& least) {
  double low = HUGE_VAL, high = 0;
  bool bytes = true;
  for (const StepTime& s : steps) {
    low = std::min(low, s.compute);
    high = std::max(high, s.compute);
    bytes = bytes && s.compute * value_of(least, Unknown::compute_slowdown) <= s.memory;
  }
  std::vector<StepTime> out = steps;
  if (!bytes || high >= Sides::kSlope * low) return out;
  for (StepTime& s : out) s.compute = 0;
  return out;
}

Outcome outcome_of(const std::vector<StepTime>& steps, const Unknowns& least, Overlap o) {
  const std::vector<StepTime> told = without_flops(steps, least);
  Outcome out{o, steps_apart(told, least, o), {}, {}, 0};
  std::vector<StepTime> fitted;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (out.apart[i] != Apart::no) continue;
    out.kept.push_back(steps[i]);
    fitted.push_back(told[i]);
  }
  out.solution = solve_fit(fitted, least, o);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (out.apart[i] == Apart::cliff) continue;
    const double e =
        std::min(kApart, std::fabs(relative_error(steps[i], out.solution.unknowns, o)));
    out.miss += e * e;
  }
  return out;
}

double root_mean_square(const Outcome& o) {
  double sum = 0;
  for (const StepTime& s : o.kept) {
    const double e = relative_error(s, o.solution.unknowns, o.overlap);
    sum += e * e;
  }
  return o.kept.empty() ? 0 : std::sqrt(sum / static_cast<double>(o.kept.size()));
}

// The sum of bytes and FLOPs only where the longer of them misses by much more.
Outcome best_outcome(const std::vector<StepTime>& steps, const Unknowns& least) {
  Outcome full = outcome_of(steps, least, Overlap::full);
  if (full.kept.size() < kSumSizes || root_mean_square(full) < kFigureError) return full;
  Outcome sum = outcome_of(steps, least, Overlap::none);
  return sum.miss < kSoftGain * full.miss ? sum : full;
}

// The cost within which a fit still agrees with the measurements.
double most_cost(const Outcome& o, const Sides& sides) {
  const double floor = 1.96 * 1.96 * kFigureError * kFigureError;
  const std::size_t n = o.kept.size();
  const std::size_t p = 1 + std::size_t{sides.bytes > 0} + std::size_t{sides.flops > 0};
  if (n <= p) return o.solution.cost + floor;
  const double t = student(n - p);
  return o.solution.cost + std::max(floor, t * t * o.solution.cost / static_cast<double>(n - p));
}

void set_ranges(const Outcome& o, const Unknowns& least, Fit& fit) {
  const Sides sides = sides_of(o.kept, o.solution.unknowns, o.overlap);
  const double most = most_cost(o, sides);
  const auto range = [&](Unknown which) {
    return profile(o.kept, least, o.overlap, which, o.solution, most);
  };
  const bool told = fit.residual <= kLost && fit.used >= 2;
  const auto ceiling = [&](Unknown which, double nominal, bool slope, Fitted& out) {
    const Interval slow = range(which);
    out.low = std::isfinite(slow.high) ? nominal / slow.high : 0;
    out.high = nominal / slow.low;
    if (told && slope && out.low > 0 && out.high <= kNarrow * out.low) {
      out.value = nominal / value_of(o.solution.unknowns, which);
    }
  };
  ceiling(Unknown::memory_slowdown, fit.nominal_bytes_per_s, sides.bytes_slope(), fit.bytes_per_s);
  ceiling(Unknown::compute_slowdown, fit.nominal_flops_per_s, sides.flops_slope(), fit.flops_per_s);
  double shortest = HUGE_VAL;
  for (const StepTime& s : o.kept) shortest = std::min(shortest, s.seconds);
  const Interval fixed = range(Unknown::fixed);
  fit.fixed_s.low = fixed.low;
  fit.fixed_s.high = std::min(fixed.high, shortest);
  // Where the two add up, FLOPs alone leave open what of the rest is fixed.
  const bool slope = sides.bytes_slope() || (sides.flops_slope() && o.overlap == Overlap::full);
  if (told && slope && fit.fixed_s.high - fit.fixed_s.low <= kNarrowFixed * shortest) {
    fit.fixed_s.value = value_of(o.solution.unknowns, Unknown::fixed);
  }
  explain_unknown(sides, shortest, fit);
  note_growth(o.kept, fit);
}

void set_off(std::span<const Diagnosis> all, const std::vector<Size>& sizes, const Outcome& o,
             Fit& fit) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (o.apart[i] == Apart::no) continue;
    const StepTime& s = sizes[i].step;
    OffFit off{sizes[i].members.front(),
               o.apart[i],
               s.seconds / predicted_seconds(s, o.solution.unknowns, o.overlap),
               {}};
    off.text = text_of_off(all[off.index], off, s.seconds);
    fit.off.push_back(std::move(off));
  }
}

void set_spreads(std::span<const Diagnosis> all, const std::vector<Size>& sizes, const Outcome& o,
                 Fit& fit) {
  bool first = true;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (o.apart[i] != Apart::no) continue;
    const Diagnosis& d = all[sizes[i].members.front()];
    const auto add = [&](Spread& s, double v) {
      s = first ? Spread{v, v} : Spread{std::min(s.low, v), std::max(s.high, v)};
    };
    add(fit.batch, d.batch);
    add(fit.prompt, d.prompt);
    add(fit.context, d.context);
    first = false;
  }
}

// Ceilings of the roof, the compute one of the step with the most FLOPs; what no step may beat.
Unknowns set_nominals(std::span<const Diagnosis> all, const std::vector<std::size_t>& used,
                      Fit& fit) {
  Unknowns least{0, 1, 1};
  double most = 0;
  for (const std::size_t i : used) {
    const Diagnosis& d = all[i];
    if (d.fraction_of_bandwidth > 0) {
      fit.nominal_bytes_per_s = d.achieved_bytes_per_s / d.fraction_of_bandwidth;
    }
    if (d.fraction_of_peak > 0 && d.achieved_flops_per_s * d.step_seconds > most) {
      most = d.achieved_flops_per_s * d.step_seconds;
      fit.nominal_flops_per_s = d.achieved_flops_per_s / d.fraction_of_peak;
    }
    least[1] = std::min(least[1], 1 / d.fraction_of_bandwidth);
    least[2] = std::min(least[2], 1 / d.fraction_of_peak);
  }
  return least;
}

bool usable(const Diagnosis& d) {
  if (d.gap.measured <= 0 || d.fraction_of_bandwidth <= 0 || d.fraction_of_peak <= 0) return false;
  if (d.verdict == Bound::above_roof) return d.standing == Standing::above_clock;
  return d.verdict != Bound::queue && d.verdict != Bound::capacity;
}

std::optional<Fit> fit_of(std::span<const Diagnosis> all, P phase) {
  std::vector<std::size_t> used;
  std::size_t left = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].phase != phase) continue;
    if (usable(all[i])) {
      used.push_back(i);
    } else {
      ++left;
    }
  }
  if (used.size() < 2) return std::nullopt;
  Fit fit;
  fit.phase = phase;
  fit.points = used.size();
  if (left > 0) {
    fit.notes.push_back(
        {"{} more are left out: above the roof, of both phases at once, with a "
         "wait, or of what does not fit",
         {{static_cast<double>(left), M::number}}});
  }
  const Unknowns least = set_nominals(all, used, fit);
  std::vector<Size> sizes = sizes_of(all, used);
  fit.sizes = sizes.size();
  thin_out(sizes, fit);
  std::stable_sort(sizes.begin(), sizes.end(), smaller);
  std::vector<StepTime> steps;
  steps.reserve(sizes.size());
  for (const Size& s : sizes) steps.push_back(s.step);
  const Outcome o = best_outcome(steps, least);
  fit.overlap = o.overlap;
  fit.used = o.kept.size();
  fit.residual = root_mean_square(o);
  set_off(all, sizes, o, fit);
  set_spreads(all, sizes, o, fit);
  set_ranges(o, least, fit);
  if (fit.used == 2) {
    fit.notes.push_back(
        {"Two sizes leave no residual: the ranges rest on an error of {} a figure, "
         "which is assumed",
         {{kFigureError, M::fraction}}});
  }
  double spread = 1;
  for (const Size& s : sizes) {
    spread =
        std::max(spread, all[s.members.back()].gap.measured / all[s.members.front()].gap.measured);
  }
  if (spread > 1 + 2 * kFigureError) {
    fit.notes.push_back({"Measurements of one size differ by up to {}: their median is taken",
                         {{spread, M::ratio}}});
  }
  return fit;
}

}  // namespace

std::vector<Fit> fits_of(std::span<const Diagnosis> all) {
  std::vector<Fit> out;
  for (const P phase : {P::prefill, P::decode}) {
    if (auto fit = fit_of(all, phase)) out.push_back(std::move(*fit));
  }
  return out;
}

std::vector<Fit> fits_by_label(std::span<const Diagnosis> all,
                               std::span<const std::string> labels) {
  std::vector<std::string> known;
  for (const std::string& l : labels) {
    if (std::find(known.begin(), known.end(), l) == known.end()) known.push_back(l);
  }
  std::vector<Fit> out;
  for (const std::string& label : known) {
    std::vector<Diagnosis> of_label;
    std::vector<std::size_t> index;
    for (std::size_t i = 0; i < all.size() && i < labels.size(); ++i) {
      if (labels[i] != label) continue;
      of_label.push_back(all[i]);
      index.push_back(i);
    }
    for (Fit& fit : fits_of(of_label)) {
      fit.label = label;
      for (OffFit& off : fit.off) off.index = index[off.index];
      out.push_back(std::move(fit));
    }
  }
  return out;
}

}  // namespace rooflens
