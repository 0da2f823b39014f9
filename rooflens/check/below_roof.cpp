#include "rooflens/check/below_roof.h"

#include <algorithm>
#include <optional>

#include "rooflens/check/experiment.h"
#include "rooflens/check/two_memories.h"
#include "rooflens/core/capacity.h"

namespace rooflens {
namespace {

using M = Measure;
using P = MeasuredPhase;

// Longer than this no launch, host or scheduler takes for one step.
constexpr double kLongestFixed = 0.25;
constexpr double kNeverFixed = 1;  // where arithmetic binds: no launches take this long

void add(Diagnosis& d, std::string tag, bool explains, double factor, Sentence text) {
  d.causes.push_back({std::move(tag), std::move(text), factor, explains});
}

const Reading* reading(const Diagnosis& d, std::string_view tag) {
  for (const Reading& r : d.readings) {
    if (r.tag == tag) return &r;
  }
  return nullptr;
}

// ---- what the figure may count ------------------------------------------------------------------

void other_readings(Diagnosis& d) {
  if (d.observation.counting != Counting::unknown) return;
  if (const Reading* r = reading(d, "per_stream"); r != nullptr && r->plausible) {
    add(d, "per_stream", r->fraction >= 0.5, r->fraction / d.fraction_of_roof,
        {"If it is the rate of one of the {} sequences it is {} of the roof: say which",
         {{r->fraction / d.fraction_of_roof, M::number}, {r->fraction, M::fraction}}});
  }
  if (const Reading* r = reading(d, "same_wall"); r != nullptr && r->plausible) {
    add(d, "same_wall", r->fraction >= 0.5, r->fraction / d.fraction_of_roof,
        {"If one clock ran over both phases the run is at {} of its roof",
         {{r->fraction, M::fraction}}});
  }
}

// Engines use one device unless told.
void one_device(const Basis& b, Diagnosis& d) {
  if (b.devices <= 1 || d.observation.devices || d.phase == P::mixed) return;
  Scenario s = b.analysis.scenario;
  s.system.count = 1;
  Deployment& p = s.deployment;
  p.tensor = p.expert = p.pipeline = p.data = 1;
  if (!validate(s)) return;
  const Analysis one = analyze(s, b.analysis.efficiency);
  const double fraction = d.tokens_per_s / phase_of(one, d.phase)->roof_tokens_per_s;
  if (fraction > kRounding) return;
  add(d, "one_device", fraction >= 0.5, fraction / d.fraction_of_roof,
      {"Nothing told says that {} devices served it, and engines use one unless told "
       "(--tensor-parallel-size): of one device it is {} of the roof",
       {{b.devices, M::number}, {fraction, M::fraction}}});
}

// The limit of sequences is not how many ran.
void fewer_sequences(const Basis& b, Diagnosis& d) {
  if (d.phase != P::decode || b.batch < 2) return;
  const double roof = decode_at(b.analysis, 1, b.context).roof_tokens_per_s;
  const double fraction = d.tokens_per_s / roof;
  if (fraction > kRounding) return;
  add(d, "average_batch", fraction >= 0.5, 1,
      {"A limit of {} sequences is not how many ran: one at a time already allows {}",
       {{b.batch, M::number}, {roof, M::tokens_per_s}}});
}

// ---- where it ran -------------------------------------------------------------------------------

// A part of the weights comes from the host's memory: whether that is what binds. Empty where
// nothing says so.
std::optional<bool> partly_on_host(const Basis& b, Diagnosis& d) {
  const auto t = d.phase == P::decode ? two_memories(b, d.observation) : std::nullopt;
  if (!t) return std::nullopt;
  Sentence s{std::string(t->experts_only ? "The experts of" : "") +
                 (t->experts_only ? " {} of {} layers" : "{} of {} layers") +
                 " lie in host memory: {} of the {} of a step come from there",
             {{t->host_layers, M::number},
              {t->layers, M::number},
              {t->host_bytes, M::bytes},
              {t->host_bytes + t->device_bytes, M::bytes}}};
  if (t->seconds <= 0) {
    s.text +=
        "; the roof above is that of the device's memory alone, --host-memory RATE tells the time "
        "of both";
    add(d, "partial_offload", true, 1, std::move(s));
    return true;
  }
  const double share = t->seconds / d.step_seconds;
  s.text += "; from both memories, one after the other, a step takes {}, and this is {} of that";
  s.amounts.push_back({t->seconds, M::seconds});
  s.amounts.push_back({share, M::fraction});
  add(d, "partial_offload", share >= kFarShare, t->seconds / d.roof_seconds, std::move(s));
  return share >= kFarShare;
}

// Cores share the memory, and a few of them do not reach all of it.
void on_processor(const Basis& b, Diagnosis& d) {
  if (d.phase != P::decode || d.roof_bound != Bound::memory) return;
  const Device& v = b.analysis.scenario.system.device;
  if (v.kind == "cpu") {
    add(d, "cores", false, 1,
        {"Cores reach the bandwidth only when enough of them read, each from its own socket: try "
         "the thread count, and pages spread or bound with numactl",
         {}});
  } else if (d.observation.on_cpu) {
    add(d, "cpu_share", true, 1,
        {"It ran on the processor, and the roof is that of {} for the whole chip: a cluster of "
         "cores reaches a part of what its GPU does",
         {{b.analysis.ceilings.bytes_per_s, M::bytes_per_s}}});
  }
}

// A clock below the sheet's, where arithmetic binds.
void slower_clock(Diagnosis& d) {
  if (d.phase != P::prefill || d.roof_bound != Bound::compute) return;
  add(d, "clock", false, 1,
      {"A clock at {} of the sheet's would explain all of it: a power limit, a laptop part or "
       "heat; "
       "read clock and power while it runs",
       {{d.fraction_of_operators, M::fraction}}});
}

// ---- what the time went to ----------------------------------------------------------------------

// What the run says of its memory goes before what the arithmetic thinks of it.
bool over_capacity(const Basis& b, Diagnosis& d) {
  if (d.observation.preemptions > 0) {
    add(d, "preempted", true, 1,
        {"{} times a sequence was put out of the cache and its tokens computed again",
         {{d.observation.preemptions, M::number}}});
    return true;
  }
  const Capacity& m = b.analysis.memory;
  if (m.capacity_bytes <= 0 || m.fits) return false;
  if (m.free_bytes < 0) {
    add(d, "does_not_fit", true, 1,
        {"{} of weights do not fit the {} a device may use: part of them lies in slower memory",
         {{m.weight_bytes, M::bytes}, {m.usable_bytes, M::bytes}}});
  } else {
    add(d, "batch_does_not_fit", true, 1,
        {"Only {} of {} sequences fit at this length: the others wait or are preempted",
         {{m.max_batch, M::number}, {b.batch, M::number}}});
  }
  return true;
}

// Bytes that arrive as if from slower memory: pages on disk, weights left in host memory.
bool slower_memory(const Basis& b, Diagnosis& d) {
  const Capacity& m = b.analysis.memory;
  if (d.gap.fixed < kLongestFixed || d.roof_bound != Bound::memory || d.phase != P::decode) {
    return false;
  }
  const bool large = m.capacity_bytes > 0 && m.weight_bytes > 0.4 * m.capacity_bytes;
  add(d, "slower_memory", true, 1,
      {"The bytes arrive at {} of {}: as from a slower memory (paged out, not wired, left on the "
       "host), since no launch or scheduler takes {} a step",
       {{d.achieved_bytes_per_s, M::bytes_per_s},
        {b.analysis.ceilings.bytes_per_s, M::bytes_per_s},
        {d.gap.fixed, M::seconds}}});
  return large;
}

void fixed_time(const Basis& b, Diagnosis& d) {
  const double expected = d.expected_tokens_per_s.low;
  const bool as_expected = d.tokens_per_s >= expected * 0.995;
  add(d, "fixed", !as_expected || d.gap.fixed < kLongestFixed, 1,
      {"{} of the {} are neither bytes, FLOPs nor network: kernel launches, the host's loop, the "
       "scheduler, or kernels far from their roof",
       {{d.gap.fixed, M::seconds}, {d.gap.measured, M::seconds}}});
  if (as_expected) {
    add(d, "expected", true, 1,
        {"As expected of such engines here: {} or more, launches and fixed time included",
         {{expected, M::tokens_per_s}}});
  }
  const StepTotals& t = phase_of(b.analysis, d.phase)->totals;
  const double wide = b.analysis.ceilings.peak[static_cast<std::size_t>(Compute::bf16)];
  if (t.bound == Bound::compute && wide > 0 && t.peak_flops_per_s > 1.2 * wide) {
    add(d, "wider_arithmetic", false, t.peak_flops_per_s / wide,
        {"If the kernels compute in bf16 it is {} of that roof",
         {{d.fraction_of_roof * t.peak_flops_per_s / wide, M::fraction}}});
  }
}

// A time that holds the wait for others.
bool queued(const Basis& b, Diagnosis& d) {
  const bool first = d.observation.figure == Figure::time_to_first_token_s;
  if (first && b.batch > 1) {
    const double mean = (b.batch + 1) / 2;
    const double fraction = d.fraction_of_operators * mean;
    // More than that, and more than anything fixed takes: requests came faster than they are
    // served.
    const bool waited =
        fraction <= kRounding && (fraction >= kFarShare || d.gap.fixed >= kLongestFixed);
    add(d, "queue", waited, mean,
        {"It holds the wait behind other prompts: {} that arrive together wait for {} on average, "
         "and then prefill runs at {} of the per-operator rate",
         {{b.batch, M::number}, {mean, M::number}, {fraction, M::fraction}}});
    if (waited) return true;
  }
  if (!d.observation.waits) return false;
  add(d, "queue", true, 1,
      {"The time holds the wait for other requests, as it was told: {} of the {} at most are the "
       "work itself, one operator after another",
       {{d.operator_seconds, M::seconds}, {d.step_seconds, M::seconds}}});
  return true;
}

void mixed_verdict(const Basis& b, Diagnosis& d) {
  const double prefill = b.fresh / b.analysis.prefill.roof_tokens_per_s;
  const double decode = b.output > 0 ? b.output / b.analysis.decode.roof_tokens_per_s : 0;
  d.verdict = d.roof_bound;
  if (d.standing == Standing::far) d.verdict = Bound::fixed;
  if (d.standing != Standing::good && queued(b, d)) d.verdict = Bound::queue;
  if (d.standing != Standing::good && over_capacity(b, d)) d.verdict = Bound::capacity;
  if (d.standing != Standing::good) {
    add(d, "load", false, 1,
        {"A run is no faster than the requests that were offered, its start and its end", {}});
  }
  add(d, "share", d.standing == Standing::good, 1,
      {"Prefill needs {} of a request's time at the roof, decode {}",
       {{prefill / (prefill + decode), M::fraction}, {decode / (prefill + decode), M::fraction}}});
}

}  // namespace

void judge_below_roof(const Basis& b, Diagnosis& d) {
  other_readings(d);
  one_device(b, d);
  const Gap& g = d.gap;
  const double work = g.memory + g.compute + g.vector + g.network;
  const std::optional<bool> on_host =
      d.standing != Standing::good ? partly_on_host(b, d) : std::nullopt;
  const bool hosted = on_host.value_or(false);
  if (d.standing != Standing::good) on_processor(b, d);
  if (d.phase == P::mixed || d.observation.counting == Counting::same_wall) {
    mixed_verdict(b, d);
  } else if (d.standing != Standing::far) {
    d.verdict = g.network > 0.5 * work  ? Bound::network
                : g.vector > 0.5 * work ? Bound::vector
                                        : d.roof_bound;
    if (g.vector > 0.2 * work) {
      add(d, "vector", d.standing == Standing::partial, 1,
          {"Work outside the matrix units takes {} of the step, one operator after another",
           {{g.vector / work, M::fraction}}});
    }
    if (g.network > 0.2 * work) {
      add(d, "network", d.standing == Standing::partial, 1,
          {"Collectives take {} of the step when nothing overlaps them",
           {{g.network / work, M::fraction}}});
    }
    if (d.standing == Standing::good && !b.analysis.memory.fits) {
      d.notes.push_back(
          {"By its sizes it would not fit the memory, and yet it runs well: fewer or shorter "
           "sequences ran than told, or more memory is there",
           {}});
    }
    if (d.standing == Standing::partial) {
      fewer_sequences(b, d);
      if (!on_host && over_capacity(b, d)) d.verdict = Bound::capacity;
      add(d, "kernels", true, 1,
          {"{} of the {} are lost in kernels below their roof, gaps between them, or missing "
           "overlap",
           {{g.fixed, M::seconds}, {g.measured, M::seconds}}});
      slower_clock(d);
      if (queued(b, d)) d.verdict = Bound::queue;
      if (hosted) d.verdict = Bound::capacity;
    }
  } else {
    fewer_sequences(b, d);
    d.verdict = Bound::fixed;
    const bool waits = queued(b, d);
    // What is told to lie in slower memory need not be guessed.
    const bool full = !on_host && over_capacity(b, d);
    const bool slow = !on_host && slower_memory(b, d);
    // Nothing but kernels takes this long.
    const bool kernels = d.gap.fixed > kNeverFixed && d.roof_bound == Bound::compute;
    if (kernels) {
      d.verdict = Bound::compute;
      add(d, "kernels", true, 1,
          {"{} of the {} are lost in kernels far below their roof: no launch or scheduler takes so "
           "long",
           {{d.gap.fixed, M::seconds}, {d.gap.measured, M::seconds}}});
    } else {
      fixed_time(b, d);
    }
    if (waits) d.verdict = Bound::queue;
    if (full || slow || hosted) d.verdict = Bound::capacity;
  }
  std::stable_sort(d.causes.begin(), d.causes.end(), [](const Cause& x, const Cause& y) {
    if (x.explains != y.explains) return x.explains;
    return !x.explains && x.factor > y.factor;
  });
  d.next_experiment = experiment_below(d);
}

}  // namespace rooflens
