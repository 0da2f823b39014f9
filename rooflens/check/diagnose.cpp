#include "rooflens/check/diagnose.h"

#include <algorithm>
#include <utility>

#include "rooflens/check/above_roof.h"
#include "rooflens/check/below_roof.h"
#include "rooflens/check/evidence.h"
#include "rooflens/check/experiment.h"
#include "rooflens/check/hold.h"
#include "rooflens/check/readings.h"

namespace rooflens {
namespace {

using M = Measure;

// The parts of `d` that follow from holding the figure as its first reading says.
void measure(const Basis& b, const Held& h, Diagnosis& d) {
  d.tokens_per_s = h.tokens_per_s;
  d.roof_tokens_per_s = h.roof_tokens_per_s;
  d.operator_tokens_per_s = h.operator_tokens_per_s;
  d.expected_tokens_per_s = h.expected_tokens_per_s;
  d.fraction_of_roof = h.fraction;
  d.fraction_of_operators = h.tokens_per_s / h.operator_tokens_per_s;
  d.headroom_tokens_per_s = h.roof_tokens_per_s - h.tokens_per_s;
  const Phase* p = phase_of(b.analysis, d.phase);
  const bool alone = p != nullptr && d.observation.counting != Counting::same_wall;
  // Two phases: seconds of one request's share of the machine, bound by the longer of them.
  const double tokens = alone                               ? p->emitted_tokens
                        : d.phase == MeasuredPhase::prefill ? b.fresh
                        : d.phase == MeasuredPhase::decode  ? b.output
                                                            : b.fresh + b.output;
  d.step_seconds = tokens / h.tokens_per_s;
  d.roof_seconds = tokens / h.roof_tokens_per_s;
  d.operator_seconds = tokens / h.operator_tokens_per_s;
  d.headroom_seconds = d.step_seconds - d.roof_seconds;
  if (!alone) {
    const Analysis& a = b.analysis;
    const bool prefill_longer =
        b.fresh / a.prefill.roof_tokens_per_s > b.output / a.decode.roof_tokens_per_s;
    d.roof_bound = (prefill_longer ? a.prefill : a.decode).totals.bound;
    return;
  }
  const StepTotals& t = p->totals;
  d.roof_bound = t.bound;
  d.achieved_flops_per_s = t.flops / d.step_seconds;
  d.achieved_bytes_per_s = t.ideal_bytes / d.step_seconds;
  d.achieved_traffic_bytes_per_s = t.bytes / d.step_seconds;
  d.fraction_of_peak = t.peak_flops_per_s > 0 ? d.achieved_flops_per_s / t.peak_flops_per_s : 0;
  d.fraction_of_bandwidth = d.achieved_bytes_per_s / b.analysis.ceilings.bytes_per_s;
  d.fraction_of_ridge = t.fraction_of_ridge;
  d.intensity = t.intensity;
  d.gap = gap_of(*p, d.step_seconds);
}

Standing standing_of(const Basis& b, const Diagnosis& d, const Held& h) {
  if (h.fraction > kRounding) {
    if (h.fraction_at_max_clock <= kRounding) return Standing::above_clock;
    if (h.fraction_overlapped > kRounding) {
      const bool open = std::any_of(d.readings.begin(), d.readings.end(),
                                    [](const Reading& r) { return r.plausible; });
      const Phase* p = phase_of(b.analysis, d.phase);
      // A file that does not tell how many sequences ran leaves the roof open.
      const Observation& o = d.observation;
      const bool batch_open = !o.source.file.empty() && !o.batch && p != &b.analysis.prefill;
      return open || batch_open || (p != nullptr && fits_last_level_cache(b, *p))
                 ? Standing::above_roof
                 : Standing::unreachable;
    }
  }
  if (d.fraction_of_operators >= kGoodShare) return Standing::good;
  return d.fraction_of_operators >= kFarShare ? Standing::partial : Standing::far;
}

void judge_above_roof(const Basis& b, const Held& h, Diagnosis& d) {
  d.verdict = Bound::above_roof;
  const Observation& o = d.observation;
  const bool alone = d.phase != MeasuredPhase::mixed && o.counting != Counting::same_wall;
  const MeasuredPhase phase = alone ? d.phase : MeasuredPhase::mixed;
  d.causes = causes_above_roof(b, o, phase, o.counting, h);
  if (alone) d.needs = needs_of(b, *phase_of(b.analysis, d.phase), d.tokens_per_s);
  if (!d.causes.empty() && d.causes.front().explains) d.explained_by = d.causes.front().tag;
  d.next_experiment = experiment_above(d);
}

const char* noun(const Diagnosis& d) {
  switch (d.phase) {
    case MeasuredPhase::prefill:
      return "Prefill";
    case MeasuredPhase::decode:
      return "Decode";
    default:
      return "The run";
  }
}

Sentence verdict_sentence(const Diagnosis& d) {
  const std::string who = noun(d);
  const Amount rate{d.tokens_per_s, M::tokens_per_s}, roof{d.roof_tokens_per_s, M::tokens_per_s};
  const Amount share{d.fraction_of_roof, M::fraction}, times{d.fraction_of_roof, M::ratio};
  switch (d.standing) {
    case Standing::unreachable:
      return {"UNREACHABLE: " + who + " at {} is {} its roof of {}, under every reading" +
                  named_cause(d),
              {rate, times, roof}};
    case Standing::above_roof:
      if (!d.causes.empty() && d.causes.front().tag == "in_cache") {
        return {who +
                    " at {} is {} the roof of the memory, {}; its step lies in the cache, where "
                    "that is no bound",
                {rate, times, roof}};
      }
      return {"ABOVE THE ROOF: " + who + " at {} is {} its roof of {}; impossible as described" +
                  named_cause(d),
              {rate, times, roof}};
    case Standing::above_clock:
      return {who +
                  " at {} is above the sheet clock: {} the roof of {} at the stated clock, below "
                  "it at the maximum clock",
              {rate, times, roof}};
    case Standing::good:
      if (d.fraction_of_roof > kRounding) {
        return {who +
                    " reaches {} of the roof of its phases one after the other ({} of {}): good, "
                    "they overlap; bound by " +
                    name_of(d.verdict),
                {share, rate, roof}};
      }
      return {who + " reaches {} of its roof ({} of {}): good, bound by " + name_of(d.verdict),
              {share, rate, roof}};
    case Standing::partial:
      return {who + " reaches {} of its roof ({} of {}): kernels or overlap, {} of headroom a " +
                  (d.phase == MeasuredPhase::mixed || d.observation.counting == Counting::same_wall
                       ? "request"
                       : "step"),
              {share, rate, roof, {d.headroom_seconds, M::seconds}}};
    case Standing::far:
      break;
  }
  Sentence s{who + " reaches {} of its roof ({} of {})", {share, rate, roof}};
  if (d.verdict == Bound::fixed && d.gap.measured > 0) {
    s.text +=
        ": {} of the {} step lie above its roof, which is " + std::string(name_of(d.roof_bound));
    s.amounts.push_back({d.gap.fixed, M::seconds});
    s.amounts.push_back({d.gap.measured, M::seconds});
  } else {
    s.text += std::string(": ") + name_of(d.verdict);
  }
  if (!d.causes.empty() && d.causes.front().tag == "per_stream") {
    s.text += " - unless it is the rate of one sequence, which is {} of the roof";
    s.amounts.push_back({d.fraction_of_roof * d.causes.front().factor, M::fraction});
  }
  return s;
}

void note_reached(Diagnosis& d) {
  if (d.gap.measured <= 0) return;
  d.notes.push_back({std::string(noun(d)) + " reaches {} and {} per device: {} of the matrix peak, "
                                            "{} of the bandwidth",
                     {{d.achieved_flops_per_s, M::flops_per_s},
                      {d.achieved_bytes_per_s, M::bytes_per_s},
                      {d.fraction_of_peak, M::fraction},
                      {d.fraction_of_bandwidth, M::fraction}}});
}

// The x axis is no utilisation.
void note_ridge(Diagnosis& d) {
  if (d.fraction_of_ridge <= 0) return;
  d.notes.push_back({std::string(noun(d)) +
                         " sits at {} of the ridge (x axis: {}); that is where the step lies, "
                         "not how well it runs, which is {} of the roof",
                     {{d.fraction_of_ridge, d.fraction_of_ridge < 1 ? M::fraction : M::ratio},
                      {d.intensity, M::flop_per_byte},
                      {d.fraction_of_roof, M::fraction}}});
}

// Whether the speed is normal: where it lies in the range that is expected.
Sentence expectation_of(const Diagnosis& d) {
  const Range& x = d.expected_tokens_per_s;
  const char* where = d.tokens_per_s < x.low    ? "That is less than expected here"
                      : d.tokens_per_s > x.high ? "That is more than expected here"
                                                : "That is as expected here";
  return {std::string(where) + ": {} to {}", {{x.low, M::tokens_per_s}, {x.high, M::tokens_per_s}}};
}

// What a figure this low, or of so few tokens, can be worth.
void note_evidence(Diagnosis& d) {
  const double n = d.observation.output.value_or(0);
  if (d.phase == MeasuredPhase::decode && n > 0 && n < kShortGeneration) {
    d.notes.push_back(
        {"{} generated tokens are no evidence of a roof: measure 32 or more", {{n, M::number}}});
  }
  if (d.fraction_of_roof < kVeryLow) {
    d.notes.push_back(
        {std::string(noun(d)) +
             " below {} of its roof: look at the figure itself (unit, row, prompt or output, one "
             "sequence or all), at the device (another one of the name, its clock and power limit) "
             "and at whether it ran there at all",
         {{kVeryLow, M::fraction}}});
  }
}

struct Work {
  Basis basis;
  Held held;
};

void judge(const Work& w, Diagnosis& d) {
  d.causes.clear();
  d.standing = standing_of(w.basis, d, w.held);
  const bool above = d.standing == Standing::above_clock || d.standing == Standing::above_roof ||
                     d.standing == Standing::unreachable;
  if (above) {
    judge_above_roof(w.basis, w.held, d);
  } else {
    judge_below_roof(w.basis, d);
  }
  d.sentence = verdict_sentence(d);
  d.evidence = evidence_of(d);
  if (d.verdict != Bound::memory && d.verdict != Bound::compute) note_reached(d);  // else there
}

Work begin(const Observation& o, const Analysis& a, Diagnosis& d) {
  Work w{basis_of(o, a), {}};
  const Basis& b = w.basis;
  d.observation = o;
  Observation& seen = d.observation;
  d.phase = b.phase;
  d.batch = b.batch;
  d.prompt = b.prompt;
  d.context = b.context;
  d.devices = b.devices;
  d.notes = b.notes;
  if (seen.counting == Counting::same_wall && b.output <= 0) {
    seen.counting = Counting::aggregate;
    d.notes.push_back({"Without output tokens the run is prefill alone", {}});
  }
  if (o.devices && *o.devices != b.devices) {
    d.notes.push_back({"It tells of {} devices; it is held against {}",
                       {{*o.devices, M::number}, {b.devices, M::number}}});
  }
  const Counting counting = seen.counting != Counting::unknown ? seen.counting
                            : o.figure == Figure::bytes_per_s || o.figure == Figure::flops_per_s
                                ? Counting::per_device
                                : Counting::aggregate;
  w.held = hold(b, seen, b.phase, counting);
  d.readings = readings_of(b, seen);
  measure(b, w.held, d);
  if (o.phase == MeasuredPhase::unknown && o.figure == Figure::tokens_per_s) {
    d.notes.push_back({"It does not say which phase: taken as decode", {}});
  }
  if (a.efficiency.origin != "none") {
    d.expectation = expectation_of(d);
    d.notes.push_back({"What is expected here: " + a.efficiency.origin, {}});
  }
  note_evidence(d);
  note_ridge(d);
  return w;
}

}  // namespace

const char* name_of(Standing s) {
  switch (s) {
    case Standing::good:
      return "good";
    case Standing::partial:
      return "partial";
    case Standing::far:
      return "far";
    case Standing::above_clock:
      return "above-sheet-clock";
    case Standing::above_roof:
      return "above-roof";
    case Standing::unreachable:
      return "unreachable";
  }
  return "";
}

Diagnosis diagnose(const Observation& o, const Analysis& a) {
  Diagnosis d;
  judge(begin(o, a, d), d);
  return d;
}

std::vector<Diagnosis> diagnose_all(std::span<const Observation> all, const Analysis& a) {
  std::vector<Diagnosis> out(all.size());
  std::vector<Work> work;
  work.reserve(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) work.push_back(begin(all[i], a, out[i]));
  // A prefill and a decode rate of unknown kind may be one run seen twice.
  const auto open = [&](MeasuredPhase phase) {
    return std::find_if(out.begin(), out.end(), [&](const Diagnosis& d) {
      return d.phase == phase && d.observation.phase == phase &&
             d.observation.figure == Figure::tokens_per_s &&
             d.observation.counting == Counting::unknown;
    });
  };
  const auto prefill = open(MeasuredPhase::prefill), decode = open(MeasuredPhase::decode);
  if (prefill != out.end() && decode != out.end()) {
    const Basis& b = work[static_cast<std::size_t>(decode - out.begin())].basis;
    const Reading shared = shared_clock(prefill->fraction_of_roof, decode->fraction_of_roof,
                                        prefill->tokens_per_s / decode->tokens_per_s,
                                        b.output > 0 ? b.fresh / b.output : 0,
                                        prefill->tokens_per_s + decode->tokens_per_s);
    for (const auto& d : {prefill, decode}) {
      std::erase_if(d->readings, [](const Reading& r) { return r.tag == "same_wall"; });
      d->readings.push_back(shared);
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) judge(work[i], out[i]);
  return out;
}

Analysis at_sizes_of(std::span<const Diagnosis> all, const Analysis& a) {
  Scenario s = a.scenario;
  bool prefill = false, decode = false;
  for (const Diagnosis& d : all) {
    if (d.gap.measured <= 0) continue;  // of both phases: no step of its own
    if (d.phase == MeasuredPhase::prefill && !std::exchange(prefill, true)) {
      s.workload.prompt = d.prompt;
    } else if (d.phase == MeasuredPhase::decode && !std::exchange(decode, true)) {
      s.workload.batch = d.batch;
      s.workload.context = d.context;
    }
  }
  return validate(s) ? analyze(s, a.efficiency) : a;
}

}  // namespace rooflens
