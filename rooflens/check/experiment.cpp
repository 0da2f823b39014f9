#include "rooflens/check/experiment.h"

#include <algorithm>

namespace rooflens {
namespace {

using P = MeasuredPhase;

// Causes of a figure above its roof: in a few words, and what shows them.
struct Known {
  const char* tag;
  const char* words;
  const char* experiment;
};
constexpr Known kKnown[] = {
    {"above_clock", "the maximum clock",
     "Read the clock while it runs (nvidia-smi --query-gpu=clocks.sm), and hold it against the "
     "roof "
     "at that clock"},
    {"aggregate", "the rate of all sequences together",
     "Divide the tokens by the time and by the sequences, and say which of the two it is"},
    {"in_cache", "the last-level cache", "Repeat with a model several times as large as the cache"},
    {"prompt_counted", "counting prompt tokens",
     "Count generated tokens only: repeat with one prompt token, or take them from the usage of "
     "the reply"},
    {"more_streams", "more sequences at once",
     "Repeat with one sequence, and count generated tokens only"},
    {"speculation", "speculative decoding",
     "Repeat without drafts, or tell the tokens that a pass yields"},
    {"cached_prefix", "a cached prompt",
     "Repeat with prefix caching off and prompts never seen, and count computed tokens only"},
    {"prompts_together", "several prompts in one step", "Repeat with one prompt at a time"},
    {"fp16_accumulate", "accumulation in FP16",
     "Profile the largest GEMM for its accumulator, and hold the figure against the peak with FP16 "
     "accumulation"},
    {"narrower_arithmetic", "narrower arithmetic",
     "Profile the largest GEMM for its type, and give it with --gemm-input"},
    {"sparse_peak", "a sparse peak", "Ask whether the weights are 2:4 sparse, or the peak was"},
    {"lighter_weights", "lighter weights", "Check the model file: rooflens model FILE"},
    {"more_devices", "more devices", "Look which devices are busy while it runs"},
    {"short_generation", "a tool that divides by one step fewer",
     "Repeat with 128 generated tokens or more"},
    {"early_stop", "outputs shorter than asked for",
     "Count the tokens that were generated, or make the engine ignore the end of the text"},
};

const Known* known(const std::string& tag) {
  const auto at = std::find_if(std::begin(kKnown), std::end(kKnown),
                               [&](const Known& k) { return tag == k.tag; });
  return at == std::end(kKnown) ? nullptr : at;
}

}  // namespace

Sentence experiment_below(const Diagnosis& d) {
  const Observation& o = d.observation;
  const bool open = o.figure == Figure::tokens_per_s && o.counting == Counting::unknown;
  if (open && d.phase != P::mixed && d.batch > 1 && d.standing != Standing::good) {
    return {
        "Measure the phases apart and say what is counted: once with one output token "
        "(prefill), then TPOT at this concurrency (decode = concurrency / TPOT)",
        {}};
  }
  switch (d.verdict) {
    case Bound::fixed:
      return {
          "Repeat at half and at twice the batch: a step time that stays is fixed time. Then "
          "CUDA graphs, a smaller host loop, a profile of the gaps",
          {}};
    case Bound::queue:
      return {"Measure the time to first token at concurrency 1, and below the sustainable rate",
              {}};
    case Bound::capacity:
      return {"Look at memory in use and at preemptions or page faults; repeat with what fits", {}};
    case Bound::network:
      return {"Time the all-reduce alone, and repeat on fewer devices", {}};
    case Bound::vector:
      return {
          "Profile norms, activations, sampling and the recurrent state: which of them is not "
          "fused",
          {}};
    case Bound::compute:
      return {"Profile the largest GEMM: its TFLOP/s, its type of arithmetic and the clock", {}};
    default:
      return {"Measure this machine's read bandwidth, then what the largest kernels reach of it",
              {}};
  }
}

Sentence experiment_above(const Diagnosis& d) {
  if (const Known* k = known(d.explained_by)) return {k->experiment, {}};
  return {
      "Time it again with a wait for the device before the clock starts and before it stops, "
      "at batch 1, with prompts never seen and without drafts",
      {}};
}

std::string named_cause(const Diagnosis& d) {
  const Known* k = known(d.explained_by);
  return k == nullptr ? "" : std::string("; ") + k->words + " would explain it";
}

}  // namespace rooflens
