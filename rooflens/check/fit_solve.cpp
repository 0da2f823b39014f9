#include "rooflens/check/fit_solve.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace rooflens {
namespace {

constexpr std::size_t kN = kUnknowns;
constexpr double kMostSlowdown = 1e6;  // past it a ceiling is as good as unknown

using Row = std::array<double, kN>;  // coefficients of the unknowns

// Sums of the normal equations: of products of coefficients, and of coefficients with the target.
struct Normal {
  std::array<Row, kN> products{};
  Row targets{};

  void add(const Row& row, double target) {
    for (std::size_t i = 0; i < kN; ++i) {
      targets[i] += row[i] * target;
      for (std::size_t k = 0; k < kN; ++k) products[i][k] += row[i] * row[k];
    }
  }
  [[nodiscard]] Normal plus(const Normal& o) const {
    Normal sum = *this;
    for (std::size_t i = 0; i < kN; ++i) {
      sum.targets[i] += o.targets[i];
      for (std::size_t k = 0; k < kN; ++k) sum.products[i][k] += o.products[i][k];
    }
    return sum;
  }
};

// The unknowns whose bit is set in `free` solved for, the others as `u` has them; false where the
// steps leave them open.
bool solve_free(const Normal& n, unsigned free, Unknowns& u) {
  std::array<std::size_t, kN> index{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < kN; ++i) {
    if ((free >> i & 1U) != 0) index[count++] = i;
  }
  std::array<std::array<double, kN + 1>, kN> a{};
  std::array<double, kN> scale{};
  for (std::size_t r = 0; r < count; ++r) {
    scale[r] = n.products[index[r]][index[r]];
    if (scale[r] <= 0) return false;
    for (std::size_t c = 0; c < count; ++c) a[r][c] = n.products[index[r]][index[c]];
    a[r][kN] = n.targets[index[r]];
    for (std::size_t i = 0; i < kN; ++i) {
      if ((free >> i & 1U) == 0) a[r][kN] -= n.products[index[r]][i] * u[i];
    }
  }
  // Cholesky-like elimination: the matrix is symmetric and not negative.
  for (std::size_t p = 0; p < count; ++p) {
    if (a[p][p] <= 1e-11 * scale[p]) return false;
    for (std::size_t r = p + 1; r < count; ++r) {
      const double f = a[r][p] / a[p][p];
      for (std::size_t c = p; c < count; ++c) a[r][c] -= f * a[p][c];
      a[r][kN] -= f * a[p][kN];
    }
  }
  for (std::size_t p = count; p-- > 0;) {
    double v = a[p][kN];
    for (std::size_t c = p + 1; c < count; ++c) v -= a[p][c] * u[index[c]];
    u[index[p]] = v / a[p][p];
  }
  return true;
}

double cost_of(std::span<const StepTime> steps, const Unknowns& u, Overlap o) {
  double cost = 0;
  for (const StepTime& s : steps) {
    const double e = predicted_seconds(s, u, o) / s.seconds - 1;
    cost += e * e;
  }
  return cost;
}

double slowness(const Unknowns& u) {
  return value_of(u, Unknown::memory_slowdown) + value_of(u, Unknown::compute_slowdown);
}

// Every set of unknowns at their bounds; the least cost is kept.
void try_bounds(std::span<const StepTime> steps, const Normal& n, const Unknowns& least, Overlap o,
                std::optional<HeldUnknown> held, FitSolution& best) {
  const unsigned pinned = held ? 1U << static_cast<unsigned>(held->which) : 0;
  for (unsigned free = 0; free < 1U << kN; ++free) {
    if ((free & pinned) != 0) continue;
    Unknowns u = least;
    if (held) u[static_cast<std::size_t>(held->which)] = held->value;
    if (!solve_free(n, free, u)) continue;
    bool inside = true;
    for (std::size_t i = 0; i < kN; ++i) {
      if ((free >> i & 1U) == 0) continue;
      inside = inside && u[i] >= least[i] && std::isfinite(u[i]);
    }
    if (!inside) continue;
    const double cost = cost_of(steps, u, o);
    // Where several do equally well, the one nearest to the nominal ceilings.
    const double equal = 1e-12 * static_cast<double>(steps.size());
    if (cost < best.cost - equal ||
        (cost <= best.cost + equal && slowness(u) < slowness(best.unknowns))) {
      best = {u, cost};
    }
  }
}

Row row_of(const StepTime& s, bool memory, bool compute) {
  return {1 / s.seconds, memory ? s.memory / s.seconds : 0, compute ? s.compute / s.seconds : 0};
}

double target_of(const StepTime& s) { return 1 - s.network / s.seconds; }

}  // namespace

double predicted_seconds(const StepTime& s, const Unknowns& u, Overlap o) {
  const double memory = s.memory * value_of(u, Unknown::memory_slowdown);
  const double compute = s.compute * value_of(u, Unknown::compute_slowdown);
  return value_of(u, Unknown::fixed) + s.network +
         (o == Overlap::full ? std::max(memory, compute) : memory + compute);
}

double relative_error(const StepTime& s, const Unknowns& u, Overlap o) {
  return s.seconds / predicted_seconds(s, u, o) - 1;
}

FitSolution solve_fit(std::span<const StepTime> steps, const Unknowns& least, Overlap o,
                      std::optional<HeldUnknown> held) {
  FitSolution best;
  best.unknowns = least;
  if (held) best.unknowns[static_cast<std::size_t>(held->which)] = held->value;
  best.cost = cost_of(steps, best.unknowns, o);
  if (o == Overlap::none) {
    Normal n;
    for (const StepTime& s : steps) n.add(row_of(s, true, true), target_of(s));
    try_bounds(steps, n, least, o, held, best);
    return best;
  }
  std::vector<StepTime> order(steps.begin(), steps.end());
  std::stable_sort(order.begin(), order.end(), [](const StepTime& a, const StepTime& b) {
    return a.compute * b.memory < b.compute * a.memory;
  });
  // Bound by FLOPs from the split on.
  std::vector<Normal> after(order.size() + 1);
  for (std::size_t i = order.size(); i-- > 0;) {
    after[i] = after[i + 1];
    after[i].add(row_of(order[i], false, true), target_of(order[i]));
  }
  Normal before;
  for (std::size_t split = 0; split <= order.size(); ++split) {
    try_bounds(steps, before.plus(after[split]), least, o, held, best);
    if (split < order.size()) {
      before.add(row_of(order[split], true, false), target_of(order[split]));
    }
  }
  return best;
}

Interval profile(std::span<const StepTime> steps, const Unknowns& least, Overlap o, Unknown which,
                 const FitSolution& best, double most) {
  const double middle = value_of(best.unknowns, which), bound = value_of(least, which);
  const auto within = [&](double v) {
    return solve_fit(steps, least, o, HeldUnknown{which, v}).cost <= most;
  };
  const auto edge = [&](double inside, double outside) {
    for (int i = 0; i < 40 && std::fabs(outside - inside) > 1e-4 * std::fabs(inside); ++i) {
      const double v = (inside + outside) / 2;
      (within(v) ? inside : outside) = v;
    }
    return inside;
  };
  Interval out;
  out.low = within(bound) ? bound : edge(middle, bound);
  // Seconds are told in steps, slowdowns in numbers above 1.
  double reach = 1;
  if (which == Unknown::fixed) {
    reach = steps.empty() ? 1 : steps.front().seconds;
    for (const StepTime& s : steps) reach = std::min(reach, s.seconds);
  }
  double inside = middle, outside = middle + 0.01 * reach;
  const double far = kMostSlowdown * reach;
  while (outside < far && within(outside)) {
    inside = outside;
    outside = middle + 2 * (outside - middle);
  }
  out.high = outside < far ? edge(inside, outside) : std::numeric_limits<double>::infinity();
  return out;
}

}  // namespace rooflens
