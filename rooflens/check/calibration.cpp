#include "rooflens/check/calibration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "rooflens/check/quantile.h"

namespace rooflens {
namespace {

// Shares that are tried: 0.02 .. 1 in equal ratios; between them times are interpolated.
constexpr int kGrid = 48;
constexpr double kLeastShare = 0.02;

// Launch and fixed times that are tried, in seconds.
constexpr std::array kLaunches{0.5e-6, 1e-6, 1.5e-6, 2e-6,  3e-6,  4e-6,  5e-6,
                               6e-6,   8e-6, 10e-6,  12e-6, 16e-6, 20e-6, 30e-6};
constexpr std::array kFixed{50e-6, 100e-6, 200e-6, 400e-6, 800e-6, 1600e-6, 3200e-6};

// The range holds this share of the weight on each side of it, before it is widened.
constexpr double kTail = 0.05;
// Another source differs by more than those that were seen: the range is widened by this.
constexpr double kWider = 1.1;

double share_at(int k) { return kLeastShare * std::pow(1 / kLeastShare, k / (kGrid - 1.0)); }

// Seconds of a sample over the share of one ceiling, the other given; without launches and fixed
// time when `bare`.
struct Curve {
  std::array<double, kGrid> seconds{};

  // Falls with the share.
  [[nodiscard]] double at(double share) const {
    const double x =
        std::clamp(std::log(share / kLeastShare) / std::log(1 / kLeastShare) * (kGrid - 1), 0.0,
                   kGrid - 1.0);
    const int k = std::min(kGrid - 2, static_cast<int>(x));
    const auto i = static_cast<std::size_t>(k);
    return seconds[i] * std::pow(seconds[i + 1] / seconds[i], x - k);
  }

  // The share that takes so long, within the grid.
  [[nodiscard]] double share_for(double target) const {
    if (target >= seconds.front()) return kLeastShare;
    if (target <= seconds.back()) return 1;
    std::size_t i = 0;
    while (seconds[i + 1] > target) ++i;
    const double within = std::log(target / seconds[i]) / std::log(seconds[i + 1] / seconds[i]);
    return share_at(static_cast<int>(i)) *
           std::pow(share_at(static_cast<int>(i) + 1) / share_at(static_cast<int>(i)), within);
  }
};

// Three points of the grid in one call.
Curve curve_of(const CalibrationSample& s, Efficiency e, Range Efficiency::*share) {
  Curve c;
  for (int k = 0; k < kGrid; k += 3) {
    e.*share = {share_at(k), share_at(k + 1), share_at(k + 2)};
    const Range t = expected_seconds(s, e);
    c.seconds[static_cast<std::size_t>(k)] = t.high;
    c.seconds[static_cast<std::size_t>(k) + 1] = t.mid;
    c.seconds[static_cast<std::size_t>(k) + 2] = t.low;
  }
  return c;
}
static_assert(kGrid % 3 == 0);

Range only(double v) { return {v, v, v}; }

struct Fitted {
  const CalibrationSample* sample = nullptr;
  Curve curve;
  double launches = 0, steps = 0;
  double weight = 1;
  bool compute = false;
};

using Members = std::vector<const Fitted*>;

double median_share(const Members& all, double launch, double fixed) {
  std::vector<std::pair<double, double>> shares;
  shares.reserve(all.size());
  for (const Fitted* f : all) {
    const double left = f->sample->seconds - f->launches * launch - f->steps * fixed;
    shares.emplace_back(f->curve.share_for(left), f->weight);
  }
  return weighted_quantile(std::move(shares), 0.5);
}

struct Times {
  double share = 0, launch = 0, fixed = 0;
};

double predicted(const Fitted& f, const Times& t) {
  return f.curve.at(t.share) + f.launches * t.launch + f.steps * t.fixed;
}

// Mean absolute error of the logarithm; what moves far from the prior for nothing costs a little.
double cost(const Members& all, const Times& t, const Efficiency& prior) {
  double sum = 0, weight = 0;
  for (const Fitted* f : all) {
    sum += f->weight * std::abs(std::log(f->sample->seconds / predicted(*f, t)));
    weight += f->weight;
  }
  return sum / weight + 0.003 * std::abs(std::log(t.launch / prior.launch_s.mid)) +
         0.003 * std::abs(std::log(t.fixed / prior.fixed_s.mid));
}

Times fit_times(const Members& all, const Efficiency& prior) {
  Times best;
  double least = HUGE_VAL;
  for (const double launch : kLaunches) {
    for (const double fixed : kFixed) {
      const Times t{median_share(all, launch, fixed), launch, fixed};
      const double c = cost(all, t, prior);
      if (c < least) {
        least = c;
        best = t;
      }
    }
  }
  return best;
}

// Measured over predicted: above 1 = slower.
struct Spread {
  double fast = 1, slow = 1;
};
Spread spread_of(const Members& all, const Times& t) {
  std::vector<std::pair<double, double>> ratios;
  ratios.reserve(all.size());
  for (const Fitted* f : all) {
    ratios.emplace_back(f->sample->seconds / predicted(*f, t), f->weight);
  }
  return {std::min(1.0, weighted_quantile(ratios, kTail)) / kWider,
          std::max(1.0, weighted_quantile(ratios, 1 - kTail)) * kWider};
}

Range share_range(double mid, const Spread& s) {
  return {mid / s.slow, mid, std::min(1.0, mid / s.fast)};
}

Range time_range(double mid, const Spread& s) { return {mid * s.fast, mid, mid * s.slow}; }

void count(const Members& all, int& points, std::map<std::string, int>& groups,
           std::string& youngest) {
  points = static_cast<int>(all.size());
  for (const Fitted* f : all) {
    ++groups[f->sample->group];
    youngest = std::max(youngest, f->sample->date.substr(0, 10));
  }
}

void weigh(Members& all, std::vector<Fitted>& store) {
  std::map<std::string, double> points;
  for (const Fitted* f : all) points[f->sample->group] += 1;
  for (Fitted& f : store) {
    const auto found = points.find(f.sample->group);
    if (found != points.end()) f.weight = 1 / std::sqrt(found->second);
  }
}

// All rows of one class of devices.
class ClassFit {
 public:
  explicit ClassFit(std::vector<const CalibrationSample*> samples) : prior_(samples[0]->prior) {
    for (const CalibrationSample* s : samples) {
      Fitted f;
      f.sample = s;
      f.compute = compute_dominates(*s);
      for (const LoadPart& p : s->parts) {
        f.steps += p.passes * p.phase.steps;
        for (const Operator& op : p.phase.operators) {
          f.launches += p.passes * p.phase.steps * op.count;
        }
      }
      fitted_.push_back(std::move(f));
    }
    Efficiency bare = prior_;
    bare.launch_s = bare.fixed_s = only(0);
    bare.compute = only(prior_.compute.mid);
    for (Fitted& f : fitted_) {
      if (!f.compute) f.curve = curve_of(*f.sample, bare, &Efficiency::memory);
    }
  }

  std::vector<FittedEfficiency> rows() {
    std::map<std::pair<std::string, std::string>, int> keys{{{"", ""}, 0}};
    for (const Fitted& f : fitted_) {
      const ServedClass& of = f.sample->served;
      keys[{of.engine, ""}] = keys[{"", of.format}] = keys[{of.engine, of.format}] = 0;
    }
    Members memory = members(false, {});
    whole_ = {prior_.memory.mid, prior_.launch_s.mid, prior_.fixed_s.mid};
    if (memory.size() >= kLeastPoints) {
      weigh(memory, fitted_);
      whole_ = fit_times(memory, prior_);
    }
    Efficiency with = prior_;
    with.memory = only(whole_.share);
    with.launch_s = only(whole_.launch);
    with.fixed_s = only(whole_.fixed);
    for (Fitted& f : fitted_) {
      if (!f.compute) continue;
      f.curve = curve_of(*f.sample, with, &Efficiency::compute);
      f.launches = f.steps = 0;  // in the curve
    }
    std::vector<FittedEfficiency> all;
    for (const auto& [key, unused] : keys) {
      FittedEfficiency row = fit_row({key.first, key.second});
      if (row.memory || row.compute) all.push_back(std::move(row));
    }
    return all;
  }

 private:
  Members members(bool compute, const ServedClass& served) {
    Members all;
    for (const Fitted& f : fitted_) {
      const ServedClass& of = f.sample->served;
      if (f.compute == compute && (served.engine.empty() || of.engine == served.engine) &&
          (served.format.empty() || of.format == served.format)) {
        all.push_back(&f);
      }
    }
    return all;
  }

  FittedEfficiency fit_row(const ServedClass& served) {
    FittedEfficiency row;
    row.device = fitted_[0].sample->device;
    row.served = served;
    const bool whole = served.engine.empty() && served.format.empty();
    const std::size_t least = whole ? kLeastPoints : kLeastFinePoints;
    std::map<std::string, int> groups;
    if (Members m = members(false, served); m.size() >= least) {
      weigh(m, fitted_);
      // Launches and fixed time are of the class: one format's points lie too close together.
      const Times t{median_share(m, whole_.launch, whole_.fixed), whole_.launch, whole_.fixed};
      const Spread s = spread_of(m, t);
      row.memory = share_range(t.share, s);
      row.launch_s = time_range(t.launch, s);
      row.fixed_s = time_range(t.fixed, s);
      count(m, row.memory_points, groups, row.date);
    }
    if (Members m = members(true, served); m.size() >= least) {
      weigh(m, fitted_);
      const Times t{median_share(m, 0, 0), 0, 0};
      row.compute = share_range(t.share, spread_of(m, t));
      count(m, row.compute_points, groups, row.date);
    }
    row.sources = static_cast<int>(groups.size());
    return row;
  }

  Efficiency prior_;
  std::vector<Fitted> fitted_;
  Times whole_;
};

}  // namespace

std::vector<LoadPart> load_of(const Analysis& a, bool prefill, bool decode) {
  std::vector<LoadPart> parts;
  const Workload& w = a.scenario.workload;
  const bool both = prefill && decode;
  const auto add = [&](const Phase& p, double tokens) {
    // Stages of a pipeline that work at the same time: less than the sum of their times passes.
    const double share = p.emitted_tokens / p.roof_tokens_per_s / p.totals.roof_seconds;
    parts.push_back({p, share * (both ? tokens / p.emitted_tokens : 1)});
  };
  if (prefill) add(a.prefill, w.prompt - w.cached_prefix);
  if (decode) add(a.decode, w.output);
  return parts;
}

bool compute_dominates(const CalibrationSample& s) {
  double compute = 0, memory = 0;
  for (const LoadPart& p : s.parts) {
    compute += p.passes * p.phase.totals.compute_seconds;
    memory += p.passes * p.phase.totals.memory_seconds;
  }
  return compute > memory;
}

Range expected_seconds(const CalibrationSample& s, const Efficiency& e) {
  Range sum;
  for (const LoadPart& p : s.parts) {
    // The operators hold the sums of several steps; each step launches them anew.
    Efficiency each = e;
    const auto times = [&](Range r) {
      return Range{r.low * p.phase.steps, r.mid * p.phase.steps, r.high * p.phase.steps};
    };
    each.launch_s = times(e.launch_s);
    each.fixed_s = times(e.fixed_s);
    const Range t =
        expect(p.phase.totals, p.phase.operators, p.phase.placed, s.ceilings, each).seconds;
    sum.low += p.passes * t.low;
    sum.mid += p.passes * t.mid;
    sum.high += p.passes * t.high;
  }
  return sum;
}

std::vector<FittedEfficiency> calibrate(std::span<const CalibrationSample> samples,
                                        const std::string& without) {
  std::map<std::pair<std::string, std::string>, std::vector<const CalibrationSample*>> classes;
  for (const CalibrationSample& s : samples) {
    if (without.empty() || s.group != without) {
      classes[{s.device.memory, s.device.who}].push_back(&s);
    }
  }
  std::vector<FittedEfficiency> all;
  for (auto& [name, of_class] : classes) {
    std::vector<FittedEfficiency> rows = ClassFit(std::move(of_class)).rows();
    std::move(rows.begin(), rows.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace rooflens
