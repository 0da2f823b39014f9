#include "rooflens/core/analyze.h"

#include <algorithm>
#include <cmath>

#include "rooflens/core/formulas.h"
#include "rooflens/core/groups.h"
#include "rooflens/core/place.h"

namespace rooflens {
namespace {

void add(Operator& sum, const Operator& more) {
  sum.flops += more.flops;
  sum.vector_flops += more.vector_flops;
  sum.weight_bytes += more.weight_bytes;
  sum.read_bytes += more.read_bytes;
  sum.write_bytes += more.write_bytes;
  sum.kv_read_bytes += more.kv_read_bytes;
  sum.kv_write_bytes += more.kv_write_bytes;
  sum.state_bytes += more.state_bytes;
  sum.score_bytes += more.score_bytes;
  sum.payload_bytes += more.payload_bytes;
}

void add(StepTotals& sum, const StepTotals& more) {
  const auto plus = [](double& a, double b) { a += b; };
  plus(sum.tokens, more.tokens);
  plus(sum.flops, more.flops);
  plus(sum.vector_flops, more.vector_flops);
  for (std::size_t i = 0; i < sum.flops_by.size(); ++i) sum.flops_by[i] += more.flops_by[i];
  plus(sum.weight_bytes, more.weight_bytes);
  plus(sum.activation_bytes, more.activation_bytes);
  plus(sum.kv_read_bytes, more.kv_read_bytes);
  plus(sum.kv_write_bytes, more.kv_write_bytes);
  plus(sum.state_bytes, more.state_bytes);
  plus(sum.score_bytes, more.score_bytes);
  plus(sum.bytes, more.bytes);
  plus(sum.ideal_bytes, more.ideal_bytes);
  plus(sum.network_bytes, more.network_bytes);
  plus(sum.network_steps, more.network_steps);
  plus(sum.compute_seconds, more.compute_seconds);
  plus(sum.memory_seconds, more.memory_seconds);
  plus(sum.traffic_seconds, more.traffic_seconds);
  plus(sum.network_roof_seconds, more.network_roof_seconds);
  plus(sum.network_seconds, more.network_seconds);
  plus(sum.roof_seconds, more.roof_seconds);
  plus(sum.operator_seconds, more.operator_seconds);
  plus(sum.serial_seconds, more.serial_seconds);
  plus(sum.step_seconds, more.step_seconds);
}

Range plus(const Range& a, const Range& b) {
  return {a.low + b.low, a.mid + b.mid, a.high + b.high};
}

// Position and bound of several steps together; each keeps its own roof in the sum.
void settle(Phase& p, const Ceilings& c) {
  StepTotals& t = p.totals;
  t.peak_flops_per_s = t.compute_seconds > 0 ? t.flops / t.compute_seconds : 0;
  const Position at = position_of(t, c, t.ideal_bytes);
  t.intensity = at.intensity;
  t.ridge = at.ridge;
  t.fraction_of_ridge = at.fraction_of_ridge;
  t.attainable_flops_per_s = at.attainable_flops_per_s;
  t.bound = at.bound;
}

// `share` of the seconds pass on the clock, where stages of a pipeline work at the same time.
void rates(Phase& p, double share = 1) {
  p.roof_tokens_per_s = p.emitted_tokens / (p.totals.roof_seconds * share);
  p.operator_tokens_per_s = p.emitted_tokens / (p.totals.step_seconds * share);
  p.expected_seconds = {p.expected_seconds.low * share, p.expected_seconds.mid * share,
                        p.expected_seconds.high * share};
  const Range& s = p.expected_seconds;
  p.expected_tokens_per_s = {p.emitted_tokens / s.high, p.emitted_tokens / s.mid,
                             p.emitted_tokens / s.low};
}

Phase decode_phase(const Scenario& s, const Ceilings& c, const Efficiency& e, const Workload& w) {
  // One replica holds its share of the sequences; a pipeline splits them into microbatches.
  // An average batch, which is no whole number, is what a step has on average.
  const double share = w.batch / s.deployment.data;
  const double replica = w.batch == std::floor(w.batch) ? std::ceil(share) : share;  // the fullest
  const double micro = std::min<double>(s.deployment.pipeline, std::max(1.0, replica));
  Group g = decode_step(w);
  g.sequences = replica / micro;
  const double each = w.drafts > 0 ? expected_tokens(w.acceptance, w.drafts) : 1;
  // Decode never drains: with m microbatches in flight a step of the whole batch takes one pass.
  Phase p = run_phase(s, c, e, {g}, w.batch * each);
  p.sequences = w.batch;
  if (s.deployment.pipeline > 1) p.bubble = 1 - micro / s.deployment.pipeline;
  rates(p);
  return p;
}

Phase prefill_phase(const Scenario& s, const Ceilings& c, const Efficiency& e, const Workload& w) {
  const std::vector<Group> steps = prefill_steps(w);
  const double fresh = w.prompt - w.cached_prefix;
  Phase p = run_phase(s, c, e, steps, fresh * w.prefill_batch * s.deployment.data);
  p.sequences = w.prefill_batch * s.deployment.data;
  // A prompt in one step fills one stage at a time; its chunks follow each other through them.
  const Pipeline line = pipeline(1, s.deployment.pipeline, p.steps);
  p.bubble = line.bubble;
  rates(p, line.seconds / (p.steps * s.deployment.pipeline));
  return p;
}

}  // namespace

double decode_context(const Workload& w) {
  return w.context >= 0 ? w.context : w.prompt + std::floor(w.output / 2);
}

double longest_tokens(const Workload& w) {
  return std::max(w.prompt + w.output, decode_context(w) + w.drafts + 1);
}

std::vector<Group> prefill_steps(const Workload& w) {
  const double fresh = w.prompt - w.cached_prefix;
  if (w.chunk <= 0 || w.chunk >= fresh) {
    return {{w.prefill_batch, fresh, w.cached_prefix, 1}};
  }
  std::vector<Group> steps;
  for (double done = 0; done < fresh; done += w.chunk) {
    const double now = std::min(w.chunk, fresh - done);
    const bool last = done + now >= fresh;
    steps.push_back({w.prefill_batch, now, w.cached_prefix + done, last ? 1.0 : 0.0});
  }
  return steps;
}

Group decode_step(const Workload& w) {
  return {w.batch, w.drafts + 1, decode_context(w), w.drafts + 1};
}

Phase run_phase(const Scenario& s, const Ceilings& c, const Efficiency& e,
                const std::vector<Group>& steps, double emitted_tokens) {
  Phase p;
  p.emitted_tokens = emitted_tokens;
  p.steps = static_cast<double>(steps.size());
  std::vector<Operator> ops(operator_capacity(s.model));
  std::vector<Placed> placed(ops.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::span<const Group> step(&steps[i], 1);
    const std::size_t n = lower(s.model, s.deployment, c, step, ops);
    const std::span<const Operator> used(ops.data(), n);
    const StepTotals t = place(s.deployment, c, step, used, {placed.data(), n});
    const Expectation x = expect(t, used, {placed.data(), n}, c, e);
    if (i == 0) {
      p.totals = t;
      p.expected_seconds = x.seconds;
      p.operators.assign(used.begin(), used.end());
      p.placed.assign(placed.begin(), placed.begin() + static_cast<std::ptrdiff_t>(n));
      continue;
    }
    add(p.totals, t);
    p.expected_seconds = plus(p.expected_seconds, x.seconds);
    // Steps list the same operators in the same order; only the last one has a head.
    for (std::size_t k = 0; k < n; ++k) {
      if (k < p.operators.size()) {
        add(p.operators[k], ops[k]);
        p.placed[k].seconds += placed[k].seconds;
        p.placed[k].bytes += placed[k].bytes;
        p.placed[k].network_bytes += placed[k].network_bytes;
      } else {
        p.operators.push_back(ops[k]);
        p.placed.push_back(placed[k]);
      }
    }
  }
  if (steps.size() > 1) {
    settle(p, c);
    for (std::size_t k = 0; k < p.operators.size(); ++k) {
      // The sum is one operator at its own place; its time stays that of the chunks.
      const Operator& op = p.operators[k];
      Placed& at = p.placed[k];
      const Placed sum = place_operator(op, c, bytes_under(op, s.deployment.fusion));
      at.intensity = sum.intensity;
      at.attainable_flops_per_s = sum.attainable_flops_per_s;
      at.bound = sum.bound;
    }
  }
  return p;
}

Analysis analyze(const Scenario& s, const Efficiency& e) {
  Analysis a;
  a.scenario = s;
  a.ceilings = ceilings(s.system, s.deployment);
  a.efficiency = e;
  const Workload& w = s.workload;
  a.prefill = prefill_phase(s, a.ceilings, e, w);
  a.decode = decode_phase(s, a.ceilings, e, w);
  a.memory = capacity(s.model, s.deployment, s.system.device.capacity_bytes,
                      std::max(w.batch, w.prefill_batch * s.deployment.data), longest_tokens(w));
  a.memory.max_context -= std::min(a.memory.max_context, w.drafts);  // drafts need room too
  const double context = decode_context(w);
  Crossing& x = a.crossing;
  const GroupTotals fc = group_totals(a.decode, a.ceilings, Fusion::ideal, OperatorGroup::fc);
  if (fc.intensity > 0) {
    x.textbook_fc_tokens = a.decode.totals.tokens / s.deployment.data / fc.fraction_of_ridge;
  }
  x.fc_tokens = crossing_batch(s.model, s.deployment, a.ceilings, context, Part::fc);
  x.experts_tokens = crossing_batch(s.model, s.deployment, a.ceilings, context, Part::experts);
  x.step_batch = crossing_batch(s.model, s.deployment, a.ceilings, context, Part::whole_step);
  // All replicas together; experts spread over them see everybody's tokens.
  if (x.step_batch) *x.step_batch *= s.deployment.data;
  if (x.experts_tokens && s.deployment.expert > 1) *x.experts_tokens *= s.deployment.data;
  x.step_context_limit = never_above_context(s.model, s.deployment, a.ceilings);
  x.intensity_limit = intensity_limit(s.model, s.deployment, a.ceilings, context, Fusion::ideal);
  x.operator_intensity_limit =
      intensity_limit(s.model, s.deployment, a.ceilings, context, s.deployment.fusion);
  return a;
}

Phase decode_at(const Analysis& a, double batch, double context) {
  Workload w = a.scenario.workload;
  w.batch = batch;
  w.context = context;
  return decode_phase(a.scenario, a.ceilings, a.efficiency, w);
}

}  // namespace rooflens
