#include "rooflens/views/check_marks.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "rooflens/render/format.h"

namespace rooflens {
namespace {

constexpr std::size_t kMostMeasured = 60;  // marks; more are thinned out
constexpr std::size_t kAllWords = 3;       // marks that are named in full
constexpr std::size_t kAllNamed = 8;       // marks that are named by their size
constexpr double kElsewhere = 0.02;        // of the intensity: the figure tells other sizes
constexpr double kTogether = 0.015;        // decades: marks that are one

PointPhase phase_of_point(MeasuredPhase p) {
  return p == MeasuredPhase::prefill ? PointPhase::prefill : PointPhase::decode;
}

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (const std::string_view part : parts) out += part;
  return out;
}

// Figures of one phase that fall on one place; the first stands for them.
struct At {
  const Diagnosis* d = nullptr;
  std::string who;
  std::size_t count = 1;
  bool named = false;
};

bool near(double a, double b) { return std::fabs(std::log10(a / b)) < kTogether; }

std::vector<At> places(std::span<const Marked> all) {
  std::vector<At> out;
  for (const Marked& m : all) {
    const Diagnosis& d = *m.figure;
    // A figure of both phases has no step and no place of its own.
    if (!drawable(d.intensity, d.achieved_flops_per_s)) continue;
    const auto same = [&](const At& a) {
      return a.who == m.who && a.d->phase == d.phase && near(a.d->intensity, d.intensity) &&
             near(a.d->achieved_flops_per_s, d.achieved_flops_per_s);
    };
    const auto at = std::find_if(out.begin(), out.end(), same);
    if (at != out.end()) {
      ++at->count;
    } else {
      out.push_back({&d, m.who});
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const At& a, const At& b) { return a.d->intensity < b.d->intensity; });
  if (out.size() <= kMostMeasured) return out;
  std::vector<At> kept;
  kept.reserve(kMostMeasured);
  for (std::size_t i = 0; i < kMostMeasured; ++i) {
    kept.push_back(out[i * (out.size() - 1) / (kMostMeasured - 1)]);
  }
  return kept;
}

// Where there are many: the ends of each phase, its best and its worst.
void choose_names(std::vector<At>& at) {
  if (at.size() <= kAllNamed) {
    for (At& a : at) a.named = true;
    return;
  }
  for (const MeasuredPhase phase : {MeasuredPhase::prefill, MeasuredPhase::decode}) {
    At *first = nullptr, *last = nullptr, *best = nullptr, *worst = nullptr;
    for (At& a : at) {
      if (a.d->phase != phase) continue;
      if (first == nullptr) first = &a;
      last = &a;
      if (best == nullptr || a.d->fraction_of_roof > best->d->fraction_of_roof) best = &a;
      if (worst == nullptr || a.d->fraction_of_roof < worst->d->fraction_of_roof) worst = &a;
    }
    for (At* a : {first, last, best, worst}) {
      if (a != nullptr) a->named = true;
    }
  }
}

// The sizes that matter to the phase, those of decode as far as they differ between the marks.
struct SizeWords {
  bool batch = true, context = false;
  explicit SizeWords(const std::vector<At>& at) {
    const Diagnosis* first = nullptr;
    bool same_batch = true;
    for (const At& a : at) {
      if (a.d->phase == MeasuredPhase::prefill) continue;
      if (first == nullptr) first = a.d;
      same_batch = same_batch && a.d->batch == first->batch;
      context = context || a.d->context != first->context;
    }
    batch = !context || !same_batch;
  }
  [[nodiscard]] std::string operator()(const Diagnosis& d) const {
    if (d.phase == MeasuredPhase::prefill) return "prompt " + grouped(d.prompt);
    std::string out = batch ? "batch " + grouped(d.batch) : "";
    if (context) out += (out.empty() ? "" : ", ") + ("context " + grouped(d.context));
    return out;
  }
};

ChartPoint at_rate(const Diagnosis& d, double tokens_per_s) {
  ChartPoint p;
  p.phase = phase_of_point(d.phase);
  p.intensity = d.intensity;
  p.flops_per_s = d.achieved_flops_per_s * tokens_per_s / d.tokens_per_s;
  return p;
}

// Computed at other sizes, its own place under the roof is not on the chart yet.
bool lies_elsewhere(const Diagnosis& d, const Analysis& a) {
  const Phase& p = d.phase == MeasuredPhase::prefill ? a.prefill : a.decode;
  return std::fabs(d.intensity / p.totals.intensity - 1) > kElsewhere && d.roof_seconds > 0;
}

void add(const std::vector<At>& at, const Analysis* a, RooflineChart& chart) {
  const SizeWords sizes(at);
  const bool words = at.size() <= kAllWords;
  for (const At& place : at) {
    const Diagnosis& d = *place.d;
    const std::string phase = place.who + name_of(d.phase);
    const std::string at_sizes = sizes(d);
    const std::string more =
        place.count > 1 ? " and " + std::to_string(place.count - 1) + " more" : "";
    const std::string share = format(d.fraction_of_roof, Unit::fraction);
    const bool elsewhere = a != nullptr && lies_elsewhere(d, *a);

    ChartPoint roof = at_rate(d, d.roof_tokens_per_s);
    roof.kind = PointKind::step;
    roof.label = joined({phase, " roof at ", at_sizes});
    roof.short_label = at_sizes;
    roof.tip = joined({roof.label, ": attainable ", format(roof.flops_per_s, Unit::flops_per_s)});
    if (elsewhere && words) chart.points.push_back(std::move(roof));

    ChartPoint expected = at_rate(d, d.expected_tokens_per_s.mid);
    expected.kind = PointKind::expected;
    const std::string said =
        "expected, " + format(d.expected_tokens_per_s.mid / d.roof_tokens_per_s, Unit::fraction) +
        " of roof";
    expected.tip = joined({phase, " at ", at_sizes, ": ", said});
    if (words) {
      expected.label = joined({phase, " ", said});
      expected.short_label = "expected";
    }
    if (drawable(expected.intensity, expected.flops_per_s)) {
      chart.points.push_back(std::move(expected));
    }

    ChartPoint measured = at_rate(d, d.tokens_per_s);
    measured.kind = PointKind::step;
    measured.measured = true;
    const std::string full = joined(
        {phase, words ? "" : " ", words ? "" : at_sizes, " measured, ", share, " of roof", more});
    measured.tip = joined({full, ": ", format(d.intensity, Unit::flop_per_byte), ", ",
                           format(d.achieved_flops_per_s, Unit::flops_per_s)});
    if (place.named) {
      measured.label = words ? full : joined({place.who, at_sizes, ": ", share});
      measured.short_label = words ? "measured" : share;
    }
    chart.points.push_back(std::move(measured));
  }
}

}  // namespace

void add_marks(std::span<const Marked> figures, const Analysis* a, RooflineChart& chart) {
  std::vector<At> at = places(figures);
  choose_names(at);
  add(at, a, chart);
}

}  // namespace rooflens
