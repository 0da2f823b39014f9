#include "rooflens/check/validation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "rooflens/check/quantile.h"

namespace rooflens {
namespace {

// Bars: docs/accuracy.md.
constexpr std::size_t kBarPoints = 20;  // of a class of devices
constexpr double kBarCovered = 0.8, kBarError = 0.15;

// A usable point with what is expected of it, as the program does and without its own source.
struct Tested {
  const JudgedPoint* judged = nullptr;
  Range seconds, seconds_unseen;
};

using Key = std::tuple<std::string, std::string, std::string, std::string, std::string>;

bool within(double seconds, const Range& r) { return seconds >= r.low && seconds <= r.high; }

double error_of(double seconds, const Range& r) {
  // Of the rate: expected over measured.
  return std::abs(seconds / r.mid - 1);
}

bool one_stream(const MeasuredPoint& p) {
  const Observation& o = p.run.figures.front();
  return p.phase == MeasuredPhase::decode && o.batch.value_or(1) == 1;
}

ClassFigures figures_of(PointClass of, const std::vector<const Tested*>& members) {
  ClassFigures c;
  c.of = std::move(of);
  c.points = members.size();
  std::set<std::string> sources;
  std::vector<double> fractions, errors, unseen, widths, widths_unseen;
  for (const Tested* t : members) {
    const JudgedPoint& j = *t->judged;
    const double seconds = j.sample.seconds;
    sources.insert(j.point->group);
    fractions.push_back(j.diagnosis.fraction_of_roof);
    errors.push_back(error_of(seconds, t->seconds));
    unseen.push_back(error_of(seconds, t->seconds_unseen));
    widths.push_back(t->seconds.high / t->seconds.low);
    widths_unseen.push_back(t->seconds_unseen.high / t->seconds_unseen.low);
    c.covered += within(seconds, t->seconds) ? 1 : 0;
    c.covered_unseen += within(seconds, t->seconds_unseen) ? 1 : 0;
  }
  const auto n = static_cast<double>(members.size());
  c.sources = sources.size();
  c.low = quantile(fractions, 0.1);
  c.median = quantile(fractions, 0.5);
  c.high = quantile(fractions, 0.9);
  c.covered /= n;
  c.covered_unseen /= n;
  c.error = quantile(errors, 0.5);
  c.error_unseen = quantile(unseen, 0.5);
  c.width = quantile(widths, 0.5);
  c.width_unseen = quantile(widths_unseen, 0.5);
  return c;
}

// Members by what `key` makes of them, in the order of the keys.
template <class F>
std::vector<ClassFigures> grouped_by(const std::vector<Tested>& all, F key) {
  std::map<Key, std::vector<const Tested*>> groups;
  for (const Tested& t : all) {
    if (const auto k = key(*t.judged)) groups[*k].push_back(&t);
  }
  std::vector<ClassFigures> out;
  out.reserve(groups.size());
  for (const auto& [k, members] : groups) {
    const auto& [memory, who, engine, format, phase] = k;
    out.push_back(figures_of({{memory, who}, engine, format, phase}, members));
  }
  return out;
}

std::vector<Tested> test_all(const std::vector<const JudgedPoint*>& usable) {
  std::vector<CalibrationSample> samples;
  std::set<std::string> groups;
  samples.reserve(usable.size());
  for (const JudgedPoint* j : usable) {
    samples.push_back(j->sample);
    groups.insert(j->point->group);
  }
  std::vector<Tested> tested;
  tested.reserve(usable.size());
  const Calibration calibration(samples);
  for (const std::string& group : groups) {
    const std::vector<FittedEfficiency> rows = calibration.rows_without(group);
    for (const JudgedPoint* j : usable) {
      if (j->point->group != group) continue;
      const CalibrationSample& s = j->sample;
      tested.push_back({j, expected_seconds(s, j->efficiency),
                        expected_seconds(s, with_fitted(s.prior, rows, s.device, s.served))});
    }
  }
  return tested;
}

void count_uses(std::span<const JudgedPoint> all, Validation& v) {
  std::map<std::string, std::size_t> reasons;
  for (const JudgedPoint& j : all) {
    ++v.points;
    if (j.reason.empty()) {
      ++v.held;
    } else {
      ++reasons[j.reason];
    }
    switch (use_of(j)) {
      case PointUse::usable:
        ++v.usable;
        v.above += above_roof(j) ? 1 : 0;
        break;
      case PointUse::rejected:
        ++v.rejected;
        v.rejected_flagged += flagged(j).empty() ? 0 : 1;
        break;
      case PointUse::speculative:
        ++v.speculative;
        v.speculative_explained += speculation_explains(j) ? 1 : 0;
        break;
      case PointUse::coarse:
        ++v.coarse;
        v.above_coarse += above_roof(j) ? 1 : 0;
        break;
      case PointUse::doubtful:
        ++v.doubtful;
        break;
      case PointUse::left_out:
        break;
    }
  }
  v.reasons.assign(reasons.begin(), reasons.end());
  // Most first; equal ones by their words.
  std::sort(v.reasons.begin(), v.reasons.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
}

void set_bars(Validation& v) {
  const auto count = [](std::size_t n) { return static_cast<double>(n); };
  v.bars.push_back(
      {"above_roof", "honest points of a known model above the roof", count(v.above), 0, false});
  v.bars.push_back({"rejected", "points that must be rejected, flagged", count(v.rejected_flagged),
                    count(v.rejected), true});
  v.bars.push_back({"speculative", "speculative points, explained", count(v.speculative_explained),
                    count(v.speculative), true});
  for (const ClassFigures& c : v.devices) {
    if (c.points < kBarPoints) continue;
    v.bars.push_back({"coverage", name_of(c.of.device) + ": within the range, source left out",
                      c.covered_unseen, kBarCovered, true});
  }
  for (const ClassFigures& c : v.streams) {
    const std::string name = name_of(c.of.device);
    if (c.points < kBarPoints ||
        (name != "GDDR6X, NVIDIA" && name != "GDDR7, NVIDIA" && name != "LPDDR, AMD")) {
      continue;
    }
    v.bars.push_back({"error", name + ": median error, one stream", c.error, kBarError, false});
    v.bars.push_back(
        {"error_unseen", name + ": the same, source left out", c.error_unseen, kBarError, false});
  }
}

}  // namespace

Validation validate_points(std::span<const JudgedPoint> all) {
  Validation v;
  count_uses(all, v);
  std::vector<const JudgedPoint*> usable;
  for (const JudgedPoint& j : all) {
    if (use_of(j) == PointUse::usable) usable.push_back(&j);
  }
  const std::vector<Tested> tested = test_all(usable);
  const auto key = [](const JudgedPoint& j, bool fine, bool phase) -> std::optional<Key> {
    const CalibrationSample& s = j.sample;
    return Key{s.device.memory, s.device.who, fine ? s.served.engine : "",
               fine ? s.served.format : "", phase ? name_of(j.point->phase) : ""};
  };
  v.devices = grouped_by(tested, [&](const JudgedPoint& j) { return key(j, false, false); });
  v.classes = grouped_by(tested, [&](const JudgedPoint& j) { return key(j, true, true); });
  v.streams = grouped_by(tested, [&](const JudgedPoint& j) {
    return one_stream(*j.point) ? key(j, false, true) : std::nullopt;
  });
  set_bars(v);
  return v;
}

}  // namespace rooflens
