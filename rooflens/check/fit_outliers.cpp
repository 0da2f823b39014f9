#include "rooflens/check/fit_outliers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rooflens {
namespace {

constexpr std::size_t kFewest = 5;  // below them no step can be told from the others
constexpr std::size_t kStarts = 120;
constexpr int kConcentrations = 3;
constexpr double kScatters = 3.5;  // of the others' scatter, beside kApart

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

bool too_slow(const StepTime& s, const StepTime& than) {
  const double work = std::max({1.0, ratio(s.memory, than.memory), ratio(s.compute, than.compute),
                                ratio(s.network, than.network)});
  return s.seconds > kCliff * work * than.seconds;
}

void find_cliffs(std::span<const StepTime> steps, std::vector<Apart>& out) {
  std::vector<std::size_t> order(steps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return steps[a].compute + steps[a].memory < steps[b].compute + steps[b].memory;
  });
  std::vector<std::size_t> good;
  for (const std::size_t i : order) {
    const std::size_t n = good.size();
    const bool cliff =
        n >= 2 && too_slow(steps[i], steps[good[n - 1]]) && too_slow(steps[i], steps[good[n - 2]]);
    if (cliff) {
      out[i] = Apart::cliff;
    } else {
      good.push_back(i);
    }
  }
}

// ln(measured / predicted)
double log_error(const StepTime& s, const Unknowns& u, Overlap o) {
  return std::log(s.seconds / predicted_seconds(s, u, o));
}

struct Trimmed {
  Unknowns unknowns{};
  double score = HUGE_VAL;  // sum of the smallest squared errors
};

// The fit of `start`, improved on the steps it fits best.
Trimmed concentrate(std::span<const StepTime> steps, std::vector<StepTime> start, std::size_t keep,
                    const Unknowns& least, Overlap o) {
  Trimmed out;
  std::vector<std::size_t> order(steps.size());
  for (int round = 0; round < kConcentrations; ++round) {
    const FitSolution fit = solve_fit(start, least, o);
    std::vector<double> error(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      error[i] = std::fabs(log_error(steps[i], fit.unknowns, o));
    }
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return error[a] < error[b]; });
    double score = 0;
    start.clear();
    for (std::size_t n = 0; n < keep; ++n) {
      score += error[order[n]] * error[order[n]];
      start.push_back(steps[order[n]]);
    }
    if (score < out.score) out = {fit.unknowns, score};
  }
  return out;
}

Trimmed least_trimmed(std::span<const StepTime> steps, const Unknowns& least, Overlap o) {
  const std::size_t n = steps.size();
  const std::size_t keep = (n + kUnknowns + 1) / 2;
  Trimmed best =
      concentrate(steps, std::vector<StepTime>(steps.begin(), steps.end()), keep, least, o);
  const std::size_t all = n * (n - 1) * (n - 2) / 6;
  const std::size_t stride = std::max<std::size_t>(1, all / kStarts);
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      for (std::size_t k = j + 1; k < n; ++k) {
        if (count++ % stride != 0) continue;
        Trimmed t = concentrate(steps, {steps[i], steps[j], steps[k]}, keep, least, o);
        if (t.score < best.score) best = t;
      }
    }
  }
  return best;
}

}  // namespace

const char* name_of(Apart a) {
  switch (a) {
    case Apart::cliff:
      return "cliff";
    case Apart::slow:
      return "slow";
    case Apart::fast:
      return "fast";
    case Apart::no:
      break;
  }
  return "";
}

std::vector<Apart> steps_apart(std::span<const StepTime> steps, const Unknowns& least, Overlap o) {
  std::vector<Apart> out(steps.size(), Apart::no);
  find_cliffs(steps, out);
  std::vector<StepTime> rest;
  std::vector<std::size_t> index;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (out[i] != Apart::no) continue;
    rest.push_back(steps[i]);
    index.push_back(i);
  }
  if (rest.size() < kFewest) return out;
  const Unknowns u = least_trimmed(rest, least, o).unknowns;
  std::vector<double> errors;
  errors.reserve(rest.size());
  for (const StepTime& s : rest) errors.push_back(log_error(s, u, o));
  std::vector<double> sizes;
  sizes.reserve(errors.size());
  for (const double e : errors) sizes.push_back(std::fabs(e));
  std::nth_element(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2),
                   sizes.end());
  const double scatter = 1.4826 * sizes[sizes.size() / 2];  // of normal errors: their deviation
  const double limit = std::max(kApart, kScatters * scatter);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (std::fabs(errors[i]) > limit) out[index[i]] = errors[i] > 0 ? Apart::slow : Apart::fast;
  }
  return out;
}

}  // namespace rooflens
