// One scenario, answered: both phases operator by operator, memory and crossings. Every face of the
// program shows what these functions return and computes nothing of its own.
#pragma once

#include <optional>
#include <vector>

#include "rooflens/core/analysis.h"
#include "rooflens/core/capacity.h"
#include "rooflens/core/crossing.h"
#include "rooflens/core/efficiency.h"
#include "rooflens/core/result.h"

namespace rooflens {

// Checks everything the arithmetic trusts: positive sizes, ranks that divide, peaks and bandwidth
// that exist, numbers within 2^53. Errors name the option.
[[nodiscard]] Result<void> validate(const Scenario& s);

// The steps a workload asks for. Prefill is one step, or one per chunk; decode is one step (a
// verification when drafts are used).
[[nodiscard]] std::vector<Group> prefill_steps(const Workload& w);
[[nodiscard]] Group decode_step(const Workload& w);
[[nodiscard]] double decode_context(const Workload& w);  // cached tokens at the decode step
[[nodiscard]] double longest_tokens(const Workload& w);  // what the cache must hold of a sequence

struct Phase {
  StepTotals totals;              // summed over chunks
  std::vector<Operator> operators;  // per chunk sums when there are several
  std::vector<Placed> placed;
  Range expected_seconds;         // low = fastest
  double steps = 1;
  double emitted_tokens = 0;      // prompt tokens read, or tokens that leave (drafts: expected)
  double sequences = 1;
  double roof_tokens_per_s = 0, operator_tokens_per_s = 0;
  Range expected_tokens_per_s;    // low = slowest
  double bubble = 0;              // idle share of a pipeline
};

struct Crossing {
  std::optional<double> fc_tokens;           // in one step of a replica: FC layers reach their ridge
  double textbook_fc_tokens = 0;             // the same with activations free
  std::optional<double> experts_tokens;      // among the tokens that share them: routed experts
  std::optional<double> step_batch;          // the whole decode step, at this context, all replicas
  std::optional<double> step_context_limit;  // above it no batch does; empty = none
  // Of the whole step as the batch grows, FLOP/byte: of what must move, and with activations.
  double intensity_limit = 0, operator_intensity_limit = 0;
};

struct Analysis {
  Scenario scenario;
  Ceilings ceilings;
  Efficiency efficiency;
  Phase prefill, decode;
  Capacity memory;          // at prompt + output tokens
  Crossing crossing;
};

// One or several equal-shaped steps, placed and summed.
[[nodiscard]] Phase run_phase(const Scenario& s, const Ceilings& c, const Efficiency& e,
                              const std::vector<Group>& steps, double emitted_tokens);

[[nodiscard]] Analysis analyze(const Scenario& s, const Efficiency& e);

// The decode phase at another batch, for paths.
[[nodiscard]] Phase decode_at(const Analysis& a, double batch, double context);

}  // namespace rooflens
