#include "rooflens/check/above_roof.h"

#include <algorithm>
#include <cmath>

#include "rooflens/check/above_requests.h"
#include "rooflens/core/formulas.h"
#include "rooflens/core/parameters.h"

namespace rooflens {
namespace {

using M = Measure;

// A cause and how much has to be assumed for it: small is named first.
struct Tried {
  Cause cause;
  double assumed = 0;
};

class Trials {
 public:
  Trials(const Basis& b, const Observation& o, MeasuredPhase phase, Counting counting,
         const Held& h)
      : b_(b),
        o_(o),
        counting_(counting),
        h_(h),
        decode_(phase == MeasuredPhase::decode),
        p_(*phase_of(b.analysis, phase)),
        t_(p_.totals),
        excess_(h.fraction) {}

  std::vector<Cause> run() {
    clock();
    reversed();
    fits_in_cache();
    if (decode_) {
      few_tokens();
      prompt_tokens();
      more_streams();
      drafts();
    } else {
      cached_prompt();
      prompts_together();
      accumulate();
    }
    if (compute_bound()) {
      narrower_arithmetic();
      sparse_peak();
    }
    lighter_weights();
    more_devices();
    timer();
    std::stable_sort(tried_.begin(), tried_.end(), [](const Tried& x, const Tried& y) {
      if (x.cause.explains != y.cause.explains) return x.cause.explains;
      return x.cause.explains && x.assumed < y.assumed;
    });
    std::vector<Cause> causes;
    causes.reserve(tried_.size());
    for (Tried& t : tried_) causes.push_back(std::move(t.cause));
    return causes;
  }

 private:
  [[nodiscard]] bool compute_bound() const { return t_.bound == Bound::compute; }
  [[nodiscard]] const Device& device() const { return b_.analysis.scenario.system.device; }
  [[nodiscard]] bool enough(double factor) const { return excess_ <= factor * kRounding; }

  void add(std::string tag, double factor, bool explains, double assumed, Sentence text) {
    tried_.push_back({{std::move(tag), std::move(text), factor, explains}, assumed});
  }

  // A factor of known size. What it leaves of the roof should be what machines reach.
  void known(std::string tag, double factor, Sentence text) {
    const double left = excess_ / factor;
    text.text += enough(factor) ? "; then it is {} of the roof" : "; that leaves {} of the roof";
    text.amounts.push_back({left, enough(factor) ? M::fraction : M::ratio});
    add(std::move(tag), factor, enough(factor), left > 0.3 ? 1.0 : 4.0, std::move(text));
  }

  void clock() {
    const double most = device().max_clock_factor;
    if (!compute_bound() || most <= 1) return;
    if (h_.fraction_at_max_clock > kRounding) return;
    add("above_clock", most, true, 0,
        {"The roof is at the sheet's clock; at the maximum clock it is {} as high, and this {} of "
         "it",
         {{h_.fraction / h_.fraction_at_max_clock, M::ratio},
          {h_.fraction_at_max_clock, M::fraction}}});
  }

  void reversed() {
    if (o_.figure != Figure::tokens_per_s || counting_ != Counting::per_stream ||
        h_.tokens_per_s <= o_.value) {
      return;
    }
    known("aggregate", h_.tokens_per_s / o_.value,
          {"It is the rate of all {} sequences together, not of one",
           {{h_.tokens_per_s / o_.value, M::number}}});
  }

  void fits_in_cache() {
    if (!fits_last_level_cache(b_, p_)) return;
    add("in_cache", 1, true, 0,
        {"The {} of a step fit the {} of last-level cache: memory bandwidth is no bound then",
         {{t_.ideal_bytes, M::bytes}, {device().cache_bytes, M::bytes}}});
  }

  // Tools that divide N tokens by N - 1 steps, and the start of a run.
  void few_tokens() {
    const double n = o_.output.value_or(0);
    if (n < 2 || n >= kShortGeneration) return;
    known("short_generation", n / (n - 1),
          {"Only {} tokens were generated: a tool that divides them by one step fewer gives {} as "
           "much",
           {{n, M::number}, {n / (n - 1), M::ratio}}});
  }

  void prompt_tokens() {
    const double most = b_.output > 0 ? (b_.prompt + b_.output) / b_.output : HUGE_VAL;
    add("prompt_counted", most, enough(most), 2,
        {"Prompt tokens were counted: {} prompt tokens for each token generated are enough, and "
         "this workload has {}",
         {{excess_ - 1, M::number}, {most - 1, M::number}}});
  }

  // How many sequences the rate would need.
  void more_streams() {
    const double most = 65536;
    double low = b_.batch, high = b_.batch;
    while (high < most && decode_at(b_.analysis, high, b_.context).roof_tokens_per_s * kRounding <
                              h_.tokens_per_s) {
      low = high;
      high *= 2;
    }
    const bool found = high < most;
    while (found && high - low > 1) {
      const double middle = std::floor((low + high) / 2);
      const double roof = decode_at(b_.analysis, middle, b_.context).roof_tokens_per_s;
      (roof * kRounding < h_.tokens_per_s ? low : high) = middle;
    }
    add("more_streams", excess_, found, high <= 4 * b_.batch ? 2.2 : 3,
        found ? Sentence{"More sequences were counted than {}: {} at once allow it",
                         {{b_.batch, M::number}, {high, M::number}}}
              : Sentence{"No number of sequences at once allows it", {}});
  }

  void drafts() {
    const Workload& w = b_.analysis.scenario.workload;
    const double now = w.drafts > 0 ? expected_tokens(w.acceptance, w.drafts) : 1;
    const double per_pass = now * excess_;
    add("speculation", excess_, per_pass <= kMostTokensPerPass * kRounding, 2.6,
        {w.drafts > 0 ? "More drafts were accepted than assumed: {} tokens a pass would do"
                      : "Speculative decoding: {} tokens a pass would do",
         {{per_pass, M::number}}});
  }

  void cached_prompt() {
    const double hit = 1 - 1 / excess_;
    add("cached_prefix", excess_, true, excess_ > 1.5 ? 1.5 : 2.5,
        {"Prompt tokens that were cached are counted as computed: {} of the prompt would do",
         {{hit, M::fraction}}});
  }

  // Weights read once for several prompts.
  void prompts_together() {
    if (compute_bound() || b_.batch <= 1) return;
    Scenario s = b_.analysis.scenario;
    s.workload.prefill_batch *= b_.batch;
    const double factor =
        analyze(s, b_.analysis.efficiency).prefill.roof_tokens_per_s / p_.roof_tokens_per_s;
    known("prompts_together", factor,
          {"{} prompts were prefilled in one step and read the weights once",
           {{s.workload.prefill_batch, M::number}}});
  }

  void accumulate() {
    const double now = device().peak_of(Compute::fp16);
    const double fast = device().peak_fp16_acc16;
    const bool half = t_.flops_by[static_cast<std::size_t>(Compute::fp16)] > 0 ||
                      t_.flops_by[static_cast<std::size_t>(Compute::bf16)] > 0;
    if (!compute_bound() || fast <= now || b_.analysis.scenario.deployment.fp16_accumulate ||
        !half) {
      return;
    }
    known("fp16_accumulate", fast / now,
          {"The kernels accumulate in FP16, which this device does {} as fast",
           {{fast / now, M::ratio}}});
  }

  void narrower_arithmetic() {
    for (const Compute c : {Compute::fp8, Compute::int8, Compute::fp4}) {
      const double factor = device().peak_of(c) / t_.peak_flops_per_s;
      if (factor <= 1.2) continue;
      known("narrower_arithmetic", factor,
            {std::string("The arithmetic was ") + name_of(c) + ", with a peak {} as high",
             {{factor, M::ratio}}});
      if (enough(factor)) return;
    }
  }

  void sparse_peak() {
    const bool of_peak = o_.figure == Figure::flops_per_s || o_.figure == Figure::peak_share;
    known("sparse_peak", 2, {"A 2:4 sparse peak is twice the dense one", {}});
    if (!of_peak) tried_.back().assumed = 3.5;  // weights of this shape are rarely pruned
  }

  void lighter_weights() {
    if (compute_bound() || t_.weight_bytes <= 0) return;
    const double share = (t_.weight_bytes - t_.ideal_bytes * (1 - 1 / excess_)) / t_.weight_bytes;
    // All weights alike: 16-bit ones can shrink to about 2 bits, narrower ones by less.
    const Model& m = b_.analysis.scenario.model;
    const double told = 8 * weight_bytes(m, Deployment{}) / count_parameters(m).total;
    const double bits = share * told;
    if (bits < 2) {
      add("lighter_weights", excess_, false, 3,
          {"No weight format is small enough: {} of the step's {} are weights",
           {{t_.weight_bytes, M::bytes}, {t_.ideal_bytes, M::bytes}}});
      return;
    }
    add("lighter_weights", excess_, true, 2.4,
        {"The weights were smaller than told: {} bits each would do, not {}",
         {{bits, M::number}, {told, M::number}}});
  }

  void more_devices() {
    const double needed = std::ceil(b_.devices * excess_ / kRounding);
    add("more_devices", excess_, needed <= std::max(8.0, 2 * b_.devices), 3.2,
        {"More devices served it: {} at least, where {} counted",
         {{needed, M::number}, {b_.devices, M::number}}});
  }

  void timer() {
    add("timer", excess_, false, 9,
        {"The clock missed work: no wait for the device, or only the last batch timed", {}});
  }

  const Basis& b_;
  const Observation& o_;
  Counting counting_;
  const Held& h_;
  bool decode_;
  const Phase& p_;
  const StepTotals& t_;
  double excess_;
  std::vector<Tried> tried_;
};

}  // namespace

bool fits_last_level_cache(const Basis& b, const Phase& p) {
  const double cache = b.analysis.scenario.system.device.cache_bytes;
  return p.totals.bound == Bound::memory && cache > 0 && p.totals.ideal_bytes <= cache;
}

std::vector<Cause> causes_above_roof(const Basis& b, const Observation& o, MeasuredPhase phase,
                                     Counting counting, const Held& h) {
  if (phase == MeasuredPhase::mixed) return causes_of_requests(b, h);
  return Trials(b, o, phase, counting, h).run();
}

Needs needs_of(const Basis& b, const Phase& p, double tokens_per_s) {
  const double seconds = p.emitted_tokens / tokens_per_s;
  const StepTotals& t = p.totals;
  return {t.ideal_bytes / seconds, t.flops / seconds, b.analysis.ceilings.bytes_per_s * seconds};
}

}  // namespace rooflens
