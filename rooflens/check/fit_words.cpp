#include "rooflens/check/fit_words.h"

#include <algorithm>
#include <cmath>

namespace rooflens {
namespace {

using M = Measure;
using P = MeasuredPhase;

void set_scatter(const Fit& fit, Fitted& f) {
  f.doubt = Doubt::scatter;
  f.why = {"the measurements scatter too much for their number: {} around the fit, over {} sizes",
           {{fit.residual, M::fraction}, {static_cast<double>(fit.used), M::number}}};
  f.next = {"Repeat each size, and add sizes further apart", {}};
}

void explain_bandwidth(const Sides& sides, Fit& fit) {
  Fitted& f = fit.bytes_per_s;
  if (sides.bytes == 0) {
    f.doubt = Doubt::other_bound;
    f.why = {"no step is bound by its bytes: they arrive at {} at least",
             {{f.low, M::bytes_per_s}}};
    f.next = {"Measure decode at batch 1, at several contexts", {}};
    return;
  }
  if (sides.bytes_slope()) return set_scatter(fit, f);
  f.doubt = Doubt::no_slope;
  f.why = {
      "the bytes of a step hardly differ ({} from the least to the most): fixed time and "
      "bandwidth cannot be told apart, and one may stand for the other",
      {{sides.bytes_growth, M::ratio}}};
  if (fit.phase == P::prefill) {
    f.next = {
        "A prompt reads the same weights whatever its length: take the bandwidth from decode "
        "at several contexts",
        {}};
  } else {
    f.next = {
        fit.context.high > fit.context.low
            ? "Decode with far more context, or more sequences at a long one, so that the "
              "cache adds to the bytes of the weights"
            : "Repeat at two or more contexts, the longest so long that the cache adds to the "
              "bytes of the weights",
        {}};
  }
}

void explain_compute(const Sides& sides, Fit& fit) {
  Fitted& f = fit.flops_per_s;
  if (sides.flops == 0) {
    f.doubt = Doubt::other_bound;
    f.why = {"no step is bound by its FLOPs: {} at least are reached", {{f.low, M::flops_per_s}}};
    f.next = {fit.phase == P::prefill ? "Measure longer prompts, past the ridge"
                                      : "Measure prefill at several prompt lengths",
              {}};
    return;
  }
  if (sides.flops_slope()) return set_scatter(fit, f);
  f.doubt = Doubt::no_slope;
  f.why = {
      "only steps of about one number of FLOPs are bound by them: fixed time and compute "
      "cannot be told apart",
      {}};
  f.next = {fit.phase == P::prefill ? "Measure prompts of two and four times the length"
                                    : "Measure prefill at several prompt lengths",
            {}};
}

void explain_fixed(double shortest, Fit& fit) {
  Fitted& f = fit.fixed_s;
  for (const Fitted* other : {&fit.bytes_per_s, &fit.flops_per_s}) {
    if (other->doubt != Doubt::no_slope) continue;
    f.doubt = other->doubt;
    f.why = other->why;
    f.next = other->next;
    return;
  }
  f.doubt = Doubt::scatter;
  f.why = {"the shortest step is {}, and nothing shorter shows what remains when the work is small",
           {{shortest, M::seconds}}};
  f.next = {fit.phase == P::prefill ? "Add the shortest prompts, down to a few tokens"
                                    : "Add batch 1 at a short context",
            {}};
}

std::string size_words(const Diagnosis& d, std::vector<Amount>& amounts) {
  if (d.phase == P::prefill) {
    amounts.push_back({d.prompt, M::number});
    return "The prompt of {} tokens";
  }
  amounts.push_back({d.batch, M::number});
  amounts.push_back({d.context, M::number});
  return "Batch {} at {} cached tokens";
}

}  // namespace

const char* name_of(Doubt d) {
  switch (d) {
    case Doubt::none:
      return "";
    case Doubt::one_size:
      return "one_size";
    case Doubt::misfit:
      return "misfit";
    case Doubt::other_bound:
      return "other_bound";
    case Doubt::no_slope:
      return "no_slope";
    case Doubt::scatter:
      return "scatter";
  }
  return "";
}

Sides sides_of(std::span<const StepTime> kept, const Unknowns& found, Overlap o) {
  struct Extent {
    std::size_t count = 0;
    double low = HUGE_VAL, high = 0;
    void add(double v) {
      ++count;
      low = std::min(low, v);
      high = std::max(high, v);
    }
    [[nodiscard]] double growth() const { return count > 0 && low > 0 ? high / low : 1; }
  };
  Extent bytes, flops;
  for (const StepTime& s : kept) {
    const bool memory = s.memory * value_of(found, Unknown::memory_slowdown) >=
                        s.compute * value_of(found, Unknown::compute_slowdown);
    if (o == Overlap::none || memory) bytes.add(s.memory);
    if (o == Overlap::none || !memory) flops.add(s.compute);
  }
  return {bytes.count, flops.count, bytes.growth(), flops.growth()};
}

void explain_unknown(const Sides& sides, double shortest, Fit& fit) {
  Fitted* const all[] = {&fit.bytes_per_s, &fit.flops_per_s, &fit.fixed_s};
  if (fit.sizes < 2 || fit.used < 2) {
    for (Fitted* f : all) {
      f->doubt = Doubt::one_size;
      f->why = {"all measurements are of one size", {}};
      f->next = {fit.phase == P::prefill ? "Measure prompts of several lengths"
                                         : "Measure several batches, and several contexts",
                 {}};
    }
    return;
  }
  const bool any = std::any_of(std::begin(all), std::end(all),
                               [](const Fitted* f) { return f->value.has_value(); });
  if (!any && fit.residual > 0.1) {
    for (Fitted* f : all) {
      f->doubt = Doubt::misfit;
      f->why = {"the steps do not follow their bytes and FLOPs: the fit misses them by {}",
                {{fit.residual, M::fraction}}};
      f->next = {"Repeat each size several times on an idle machine, after a warm-up", {}};
    }
    return;
  }
  if (!fit.bytes_per_s.value) explain_bandwidth(sides, fit);
  if (!fit.flops_per_s.value) explain_compute(sides, fit);
  if (!fit.fixed_s.value) explain_fixed(shortest, fit);
}

void note_growth(std::span<const StepTime> kept, Fit& fit) {
  constexpr double kMore = 1.08;  // beyond what figures scatter
  if (kept.size() < 2) return;
  const StepTime &first = kept.front(), &last = kept.back();
  const double bytes = last.memory / first.memory, flops = last.compute / first.compute;
  const double seconds = last.seconds / first.seconds;
  if (seconds <= kMore * std::max({1.0, bytes, flops})) return;
  fit.notes.push_back(
      {"From the smallest to the largest the time grows {}, the bytes {} and the "
       "FLOPs {}: what grows, as a rule the reading of the cache, runs far below its "
       "roof",
       {{seconds, M::ratio}, {bytes, M::ratio}, {flops, M::ratio}}});
}

Sentence text_of_off(const Diagnosis& d, const OffFit& off, double seconds) {
  Sentence s;
  s.text = size_words(d, s.amounts);
  s.text += " takes {}, {} what the others lead to";
  s.amounts.push_back({seconds, M::seconds});
  s.amounts.push_back({off.ratio, M::ratio});
  switch (off.apart) {
    case Apart::cliff:
      s.text +=
          ": its time grew by more than its bytes and FLOPs, which is a cliff: another kernel, "
          "another path of the engine, or memory that ran out";
      break;
    case Apart::slow:
      s.text += ": slower than the others, and not in the fit";
      break;
    default:
      s.text += ": faster than the others, and not in the fit";
  }
  return s;
}

}  // namespace rooflens
