#include "rooflens/check/calibration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "rooflens/check/quantile.h"
#include "rooflens/check/share_curve.h"

namespace rooflens {
namespace {

// Launch and fixed times that are tried, in seconds.
constexpr std::array kLaunches{0.5e-6, 1e-6, 1.5e-6, 2e-6,  3e-6,  4e-6,  5e-6,
                               6e-6,   8e-6, 10e-6,  12e-6, 16e-6, 20e-6, 30e-6};
constexpr std::array kFixed{50e-6, 100e-6, 200e-6, 400e-6, 800e-6, 1600e-6, 3200e-6};

// Each end of a range leaves out this share of the weight, and is then widened: another source
// differs by more than those that were seen.
constexpr double kTail = 0.05, kWider = 1.1;
// Steps must differ so much in their bytes that launches and bandwidth can be told apart.
constexpr double kLeastSpread = 3;

// The larger part of the roof's time is arithmetic: the measured time tells a compute share. Else
// it tells a memory share, launches and fixed time.
bool compute_dominates(const CalibrationSample& s) {
  double compute = 0, memory = 0;
  for (const LoadPart& p : s.parts) {
    compute += p.passes * p.phase.totals.compute_seconds;
    memory += p.passes * p.phase.totals.memory_seconds;
  }
  return compute > memory;
}

struct Times {
  double share = 0, launch = 0, fixed = 0;
};

// Measured over predicted: above 1 = slower.
struct RateSpread {
  double fast = 1, slow = 1;
};

Range share_range(double mid, const RateSpread& s, double most) {
  return {mid / s.slow, mid, std::clamp(mid / s.fast, mid, std::max(mid, most))};
}

Range time_range(double mid, const RateSpread& s) { return {mid * s.fast, mid, mid * s.slow}; }

}  // namespace

struct Calibration::Fitted {
  const CalibrationSample* sample = nullptr;
  ShareCurve curve;
  double launches = 0, steps = 0;  // not in the curve
  double memory_seconds = 0;
  bool compute = false;
};

namespace {

// A sample and the weight it has among the others of its row.
template <class F>
struct Weighted {
  const F* fitted = nullptr;
  double weight = 1;
};
template <class F>
using Members = std::vector<Weighted<F>>;

template <class F>
double median_share(const Members<F>& all, double launch, double fixed) {
  std::vector<std::pair<double, double>> shares;
  shares.reserve(all.size());
  for (const auto& [f, weight] : all) {
    const double left = f->sample->seconds - f->launches * launch - f->steps * fixed;
    shares.emplace_back(f->curve.share_for(left), weight);
  }
  return weighted_quantile(std::move(shares), 0.5);
}

template <class F>
double ratio(const F& f, const Times& t) {
  return f.sample->seconds /
         (f.curve.seconds_at(t.share) + f.launches * t.launch + f.steps * t.fixed);
}

// Mean absolute error of the logarithm; what moves far from the prior for nothing costs a little.
template <class F>
double cost(const Members<F>& all, const Times& t, const Times& prior) {
  double sum = 0, weights = 0;
  for (const auto& [f, weight] : all) {
    sum += weight * std::abs(std::log(ratio(*f, t)));
    weights += weight;
  }
  return sum / weights + 0.003 * std::abs(std::log(t.launch / prior.launch)) +
         0.003 * std::abs(std::log(t.fixed / prior.fixed));
}

template <class F>
Times fit_times(const Members<F>& all, const Times& prior) {
  Times best = prior;
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

template <class F>
RateSpread spread_of(const Members<F>& all, const Times& t) {
  std::vector<std::pair<double, double>> ratios;
  ratios.reserve(all.size());
  for (const auto& [f, weight] : all) ratios.emplace_back(ratio(*f, t), weight);
  return {std::min(1.0, weighted_quantile(ratios, kTail)) / kWider,
          std::max(1.0, weighted_quantile(ratios, 1 - kTail)) * kWider};
}

// All rows of one class of devices.
template <class F>
class ClassFit {
 public:
  ClassFit(DeviceClass device, std::vector<const F*> all)
      : device_(std::move(device)), all_(std::move(all)) {
    const Efficiency& p = all_[0]->sample->prior;
    prior_ = {p.memory.mid, p.launch_s.mid, p.fixed_s.mid};
    most_ = p.memory.high;
  }

  std::vector<FittedEfficiency> rows() {
    std::set<std::string> engines{""}, formats{""};
    for (const F* f : all_) {
      engines.insert(f->sample->served.engine);
      formats.insert(f->sample->served.format);
    }
    if (device_.memory == kAnyMemory) {  // by engine; those of all makers, and CPUs, without
      if (device_.who == kAnyMaker) engines = {""};
      if (device_.who != kAnyMaker && device_.who != "cpu") engines.erase("");
    }
    std::vector<FittedEfficiency> out;
    for (const std::string& engine : engines) {
      const Times whole = times_of(engine);
      for (const std::string& format : formats) {
        FittedEfficiency row = fit_row({engine, format}, whole);
        if (row.memory || row.compute) out.push_back(std::move(row));
      }
    }
    return out;
  }

 private:
  Members<F> members(bool compute, const ServedClass& served) const {
    Members<F> out;
    std::map<std::string, double> points;
    for (const F* f : all_) {
      const CalibrationSample& s = *f->sample;
      if (f->compute != compute || (!compute && s.phase == MeasuredPhase::prefill) ||
          (!served.engine.empty() && s.served.engine != served.engine) ||
          (!served.format.empty() && s.served.format != served.format)) {
        continue;
      }
      out.push_back({f, 1});
      points[s.group] += 1;
    }
    for (auto& [f, weight] : out) weight = 1 / std::sqrt(points[f->sample->group]);
    const bool whole = served.engine.empty() && served.format.empty();
    const bool several = points.size() >= kLeastSources;
    const bool few = out.size() < (whole || several ? kLeastPoints : kLeastFinePoints) ||
                     (served.engine.empty() && !several);
    if (few) out.clear();
    return out;
  }

  // Launch and fixed time of an engine, from decode steps of one or more streams that differ enough
  // in their bytes; else the prior's. A format's points alone lie too close together.
  Times times_of(const std::string& engine) const {
    Members<F> steps;
    double least = HUGE_VAL, most = 0;
    for (const Weighted<F>& w : members(false, {engine, ""})) {
      if (w.fitted->sample->phase != MeasuredPhase::decode) continue;
      least = std::min(least, w.fitted->memory_seconds);
      most = std::max(most, w.fitted->memory_seconds);
      steps.push_back(w);
    }
    const bool tells = steps.size() >= kLeastPoints && most >= kLeastSpread * least;
    return tells ? fit_times(steps, prior_) : prior_;
  }

  FittedEfficiency fit_row(const ServedClass& served, const Times& whole) const {
    FittedEfficiency row;
    row.device = device_;
    row.served = served;
    std::set<std::string> groups;
    const auto count = [&](const Members<F>& m, int& points) {
      points = static_cast<int>(m.size());
      for (const auto& [f, weight] : m) {
        groups.insert(f->sample->group);
        row.date = std::max(row.date, f->sample->date.substr(0, 10));
      }
    };
    if (const Members<F> m = members(false, served); !m.empty()) {
      const Times t{median_share(m, whole.launch, whole.fixed), whole.launch, whole.fixed};
      const RateSpread s = spread_of(m, t);
      row.memory = share_range(t.share, s, most_);
      row.launch_s = time_range(t.launch, s);
      row.fixed_s = time_range(t.fixed, s);
      count(m, row.memory_points);
    }
    // Engines reach their arithmetic by kernels of different peaks: a share of all together means
    // nothing but how wide they lie.
    const bool one_engine = !served.engine.empty() || device_.memory == kAnyMemory;
    if (const Members<F> m = members(true, served); one_engine && !m.empty()) {
      const Times t{median_share(m, 0, 0), 0, 0};
      row.compute = share_range(t.share, spread_of(m, t), 1);
      count(m, row.compute_points);
    }
    row.sources = static_cast<int>(groups.size());
    return row;
  }

  DeviceClass device_;
  std::vector<const F*> all_;
  Times prior_;
  double most_ = 1;  // of a memory share: what reading alone reaches
};

}  // namespace

Calibration::Calibration(std::span<const CalibrationSample> samples) {
  fitted_.reserve(samples.size());
  for (const CalibrationSample& s : samples) {
    Fitted f;
    f.sample = &s;
    f.compute = compute_dominates(s);
    Efficiency e = s.prior;
    if (!f.compute) {
      for (const LoadPart& p : s.parts) {
        f.steps += p.passes * p.phase.steps;
        f.memory_seconds += p.passes * p.phase.totals.memory_seconds;
        for (const Operator& op : p.phase.operators) {
          f.launches += p.passes * p.phase.steps * op.count;
        }
      }
      e.launch_s = e.fixed_s = {};
    }
    f.curve = ShareCurve(s, e, f.compute ? &Efficiency::compute : &Efficiency::memory);
    fitted_.push_back(f);
  }
}

Calibration::~Calibration() = default;

std::vector<FittedEfficiency> Calibration::rows() const { return fit({}); }

std::vector<FittedEfficiency> Calibration::rows_without(const std::string& group) const {
  return fit(group);
}

std::vector<FittedEfficiency> Calibration::fit(const std::string& without) const {
  using Name = std::pair<std::string, std::string>;
  std::map<Name, std::vector<const Fitted*>> classes;
  std::set<Name> touched;
  for (const Fitted& f : fitted_) {
    const CalibrationSample& s = *f.sample;
    const bool left_out = !without.empty() && s.group == without;
    std::vector<Name> names{{s.device.memory, s.device.who}, {kAnyMemory, s.device.who}};
    if (s.device.who != "cpu") names.emplace_back(kAnyMemory, kAnyMaker);
    for (const Name& name : names) {
      if (left_out || without.empty()) touched.insert(name);
      if (!left_out) classes[name].push_back(&f);
    }
  }
  std::vector<FittedEfficiency> all;
  for (auto& [name, members] : classes) {
    if (touched.count(name) == 0) continue;
    std::vector<FittedEfficiency> rows =
        ClassFit<Fitted>({name.first, name.second}, std::move(members)).rows();
    std::move(rows.begin(), rows.end(), std::back_inserter(all));
  }
  return all;
}

std::vector<LoadPart> load_of(const Analysis& a, MeasuredPhase phase) {
  std::vector<LoadPart> parts;
  const Workload& w = a.scenario.workload;
  const bool both = phase == MeasuredPhase::mixed;
  const auto add = [&](const Phase& p, double tokens) {
    // Stages of a pipeline that work at the same time: less than the sum of their times passes.
    const double share = p.emitted_tokens / p.roof_tokens_per_s / p.totals.roof_seconds;
    parts.push_back({p, share * (both ? tokens / p.emitted_tokens : 1)});
  };
  if (phase != MeasuredPhase::decode) add(a.prefill, w.prompt - w.cached_prefix);
  if (phase != MeasuredPhase::prefill) add(a.decode, w.output);
  return parts;
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

}  // namespace rooflens
