#include "rooflens/check/difference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "rooflens/check/hold.h"

namespace rooflens {
namespace {

using M = Measure;
using P = MeasuredPhase;

constexpr double kSmall = 0.02;  // of the time before: what is not worth a remark

// Passes of one phase that a figure's time holds, and the seconds of one at the nominal ceilings.
struct Passes {
  double count = 0, network = 0, memory = 0, compute = 0;
};
using StepWork = std::array<Passes, 2>;  // a phase alone has one, a request both

Passes passes_of(const Phase& p, double count) {
  const StepTotals& t = p.totals;
  return {count, t.network_seconds, t.memory_seconds, t.compute_seconds};
}

StepWork work_of(const Basis& b, bool per_request) {
  const Analysis& a = b.analysis;
  if (!per_request) return {passes_of(*phase_of(a, b.phase), 1), {}};
  return {passes_of(a.prefill, b.fresh / a.prefill.emitted_tokens),
          b.output > 0 ? passes_of(a.decode, b.output / a.decode.emitted_tokens) : Passes{}};
}

// A figure without a step of its own: of whole requests, or of both phases on one clock.
bool of_requests(const Diagnosis& d) { return d.gap.measured <= 0; }

// Of the ceilings and the fixed time; nominal where a fit of both does not tell.
struct Rates {
  double fixed = 0, memory_slowdown = 1, compute_slowdown = 1;
};

double longest(const Passes& p, double memory_slowdown, double compute_slowdown, Overlap o) {
  const double memory = p.memory * memory_slowdown, compute = p.compute * compute_slowdown;
  return p.count * (o == Overlap::full ? std::max(memory, compute) : memory + compute);
}

double seconds_of(const StepWork& w, const Rates& r, Overlap o) {
  double sum = r.fixed;
  for (const Passes& p : w) {
    sum += p.count * p.network + longest(p, r.memory_slowdown, r.compute_slowdown, o);
  }
  return sum;
}

double network_of(const StepWork& w) {
  double sum = 0;
  for (const Passes& p : w) sum += p.count * p.network;
  return sum;
}

// What bytes and FLOPs each add where both change: the mean of changing the one first and the other
// first (Shapley's shares). They add up to the change.
struct Shares {
  double bytes = 0, flops = 0;
};
template <class F>  // F(bool new_bytes, bool new_flops) -> seconds
Shares shares_of(const F& seconds) {
  const double none = seconds(false, false), both = seconds(true, true);
  const double bytes = seconds(true, false), flops = seconds(false, true);
  return {((bytes - none) + (both - flops)) / 2, ((flops - none) + (both - bytes)) / 2};
}

// Sizes of `like`, whatever the observation of `a` tells.
Basis at_sizes_of(const Basis& like, const Analysis& a) {
  Observation o;
  o.phase = like.phase;
  o.batch = like.batch;
  o.prompt = like.prompt;
  o.output = like.output;
  o.context = like.context;
  o.cached_prefix = like.prompt - like.fresh;
  return basis_of(o, a);
}

// Rates that the fits of both sides tell.
struct BothRates {
  Rates before, after;
  Overlap overlap = Overlap::full;
  bool bandwidth = false, compute = false, fixed = false;
};

BothRates rates_of(const Fit* before, const Fit* after) {
  BothRates r;
  if (before == nullptr || after == nullptr || before->overlap != after->overlap) return r;
  r.overlap = before->overlap;
  const std::optional<double>&bytes_before = before->bytes_per_s.value,
        &bytes_after = after->bytes_per_s.value, &flops_before = before->flops_per_s.value,
        &flops_after = after->flops_per_s.value, &fixed_before = before->fixed_s.value,
        &fixed_after = after->fixed_s.value;
  if (bytes_before && bytes_after) {
    r.bandwidth = true;
    r.before.memory_slowdown = before->nominal_bytes_per_s / *bytes_before;
    r.after.memory_slowdown = after->nominal_bytes_per_s / *bytes_after;
  }
  if (flops_before && flops_after) {
    r.compute = true;
    r.before.compute_slowdown = before->nominal_flops_per_s / *flops_before;
    r.after.compute_slowdown = after->nominal_flops_per_s / *flops_after;
  }
  if (fixed_before && fixed_after) {
    r.fixed = true;
    r.before.fixed = *fixed_before;
    r.after.fixed = *fixed_after;
  }
  return r;
}

void set_remarks(const MeasuredStep& before, const MeasuredStep& after, bool fitted,
                 Difference& d) {
  for (const MeasuredStep* side : {&before, &after}) {
    if (side->diagnosis->verdict != Bound::above_roof) continue;
    d.remarks.push_back({side == &before
                             ? "The first is above its roof: what explains that explains "
                               "part of the difference"
                             : "The second is above its roof: what explains that "
                               "explains part of the difference",
                         {}});
  }
  const double large = kSmall * d.before_s;
  if (!fitted && (d.unexplained > large || d.unexplained < -large)) {
    d.remarks.push_back(
        {"{} follow from neither sizes, bytes nor FLOPs: fixed time, kernels or waits. Figures at "
         "several batches and contexts of both runs part them",
         {{d.unexplained, M::seconds}}});
  }
}

// Smaller is nearer; infinite for what cannot be compared.
double distance(const Diagnosis& a, const Diagnosis& b) {
  if (a.phase != b.phase || of_requests(a) != of_requests(b)) return HUGE_VAL;
  const auto apart = [](double x, double y) { return std::fabs(std::log((x + 1) / (y + 1))); };
  double sum = a.observation.figure == b.observation.figure ? 0 : 0.5;
  if (a.observation.counting != b.observation.counting) sum += 0.25;
  if (a.phase != P::prefill || of_requests(a)) sum += apart(a.batch, b.batch);
  if (a.phase != P::decode || of_requests(a)) sum += apart(a.prompt, b.prompt);
  if (a.phase == P::decode) sum += apart(a.context, b.context);
  return sum;
}

std::string kinds_of(std::span<const MeasuredStep> side) {
  std::vector<std::string> names;
  for (const MeasuredStep& s : side) {
    std::string name = name_of(s.diagnosis->phase);
    if (of_requests(*s.diagnosis)) name += " (whole requests)";
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "" : ", ") + n;
  return out.empty() ? "no figure" : out;
}

}  // namespace

Difference difference_of(const MeasuredStep& before, const MeasuredStep& after) {
  const Diagnosis& first = *before.diagnosis;
  const Diagnosis& second = *after.diagnosis;
  Difference d;
  d.per_request = of_requests(first);
  d.before_s = first.step_seconds;
  d.after_s = second.step_seconds;
  const Basis from = basis_of(first.observation, *before.analysis);
  const Basis to = basis_of(second.observation, *after.analysis);
  Basis between = at_sizes_of(to, *before.analysis);
  if (!between.notes.empty()) {
    d.remarks.push_back(
        {"The first model cannot run with the sizes of the second: their part is not told apart",
         {}});
    between = from;
  }
  const BothRates r = d.per_request ? BothRates{} : rates_of(before.fit, after.fit);
  const StepWork a = work_of(from, d.per_request), sized = work_of(between, d.per_request),
                 b = work_of(to, d.per_request);
  d.batch = seconds_of(sized, r.before, r.overlap) - seconds_of(a, r.before, r.overlap);
  d.network = network_of(b) - network_of(sized);
  // First other work at the rates of the first, then other rates at the work of the second.
  Shares work, rates;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const auto mixed = [&](bool bytes, bool flops) {
      Passes p{1, 0, sized[i].count * sized[i].memory, sized[i].count * sized[i].compute};
      if (bytes) p.memory = b[i].count * b[i].memory;
      if (flops) p.compute = b[i].count * b[i].compute;
      return longest(p, r.before.memory_slowdown, r.before.compute_slowdown, r.overlap);
    };
    const auto reached = [&](bool bytes, bool flops) {
      return longest(b[i], bytes ? r.after.memory_slowdown : r.before.memory_slowdown,
                     flops ? r.after.compute_slowdown : r.before.compute_slowdown, r.overlap);
    };
    const Shares w = shares_of(mixed), s = shares_of(reached);
    work = {work.bytes + w.bytes, work.flops + w.flops};
    rates = {rates.bytes + s.bytes, rates.flops + s.flops};
  }
  d.bytes = work.bytes;
  d.compute = work.flops;
  if (r.bandwidth) d.bandwidth_reached = rates.bytes;
  if (r.compute) d.compute_reached = rates.flops;
  if (r.fixed) d.fixed = r.after.fixed - r.before.fixed;
  d.unexplained = d.total() - d.batch - d.bytes - d.compute - d.network -
                  d.bandwidth_reached.value_or(0) - d.compute_reached.value_or(0) -
                  d.fixed.value_or(0);
  // The last digits of the others are no time of their own.
  if (std::fabs(d.unexplained) < 1e-12 * std::max(d.before_s, d.after_s)) d.unexplained = 0;
  set_remarks(before, after, r.bandwidth || r.compute || r.fixed, d);
  return d;
}

Differences differences(std::span<const MeasuredStep> before, std::span<const MeasuredStep> after) {
  struct Pair {
    double distance;
    std::size_t before, after;
  };
  Differences out;
  for (std::span<const MeasuredStep>* side : {&before, &after}) {
    if (side->size() <= kMostCompared) continue;
    out.left += side->size() - kMostCompared;
    *side = side->first(kMostCompared);
  }
  std::vector<Pair> candidates;
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (std::size_t k = 0; k < after.size(); ++k) {
      const double far = distance(*before[i].diagnosis, *after[k].diagnosis);
      if (std::isfinite(far)) candidates.push_back({far, i, k});
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Pair& a, const Pair& b) { return a.distance < b.distance; });
  std::vector<bool> used_before(before.size()), used_after(after.size());
  for (const Pair& p : candidates) {
    if (used_before[p.before] || used_after[p.after]) continue;
    used_before[p.before] = used_after[p.after] = true;
    Difference d = difference_of(before[p.before], after[p.after]);
    d.before = p.before;
    d.after = p.after;
    out.pairs.push_back(std::move(d));
  }
  std::stable_sort(out.pairs.begin(), out.pairs.end(),
                   [](const Difference& a, const Difference& b) { return a.before < b.before; });
  if (out.pairs.empty()) {
    out.nothing = {"Nothing can be told against each other: the first has " + kinds_of(before) +
                       ", the second " + kinds_of(after),
                   {}};
  }
  return out;
}

}  // namespace rooflens
