#include "rooflens/check/hold.h"

#include <algorithm>
#include <cmath>

#include "rooflens/core/formulas.h"

namespace rooflens {
namespace {

MeasuredPhase likely_phase(const Observation& o) {
  if (o.phase != MeasuredPhase::unknown) return o.phase;
  switch (o.figure) {
    case Figure::time_to_first_token_s:
    case Figure::flops_per_s:
    case Figure::peak_share:
      return MeasuredPhase::prefill;
    case Figure::requests_per_s:
    case Figure::request_s:
      return MeasuredPhase::mixed;
    default:
      return MeasuredPhase::decode;
  }
}

// Drafts of a run whose passes yield so many tokens: as few as can, so that the roof stays one.
void speculate(double tokens_per_pass, Workload& w, Basis& b) {
  if (tokens_per_pass <= 1) return;
  w.drafts = std::max(w.drafts, std::ceil(tokens_per_pass * (1 - 1e-9)) - 1);
  double low = 0, high = 1;  // expected_tokens() grows with the acceptance
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (expected_tokens(middle, w.drafts) < tokens_per_pass ? low : high) = middle;
  }
  w.acceptance = high;
  b.notes.push_back(
      {"Speculation: a pass yields {} tokens of a sequence, {} drafts checked in it: the rate is "
       "that of passes times as many. The draft's own bytes and time are not in the roof",
       {{tokens_per_pass, Measure::number}, {w.drafts, Measure::number}}});
}

// Devices that hold layers each are stages of a pipeline, not shares of every layer.
void split_layers(Deployment& d, Basis& b) {
  if (d.tensor <= 1 || d.pipeline > 1) return;
  d.pipeline = d.tensor;
  d.tensor = d.expert = 1;
  b.notes.push_back(
      {"The layers are split over {} devices: one stream passes them one after the "
       "other, and their bandwidths do not add up",
       {{static_cast<double>(d.pipeline), Measure::number}}});
}

// Seconds the machine needs for the prompt and the output of one request.
struct RequestSeconds {
  double roof = 0, max_clock = 0, overlapped = 0, operators = 0;
  Range expected;
};

RequestSeconds request_seconds(const Basis& b) {
  RequestSeconds r;
  double compute = 0, memory = 0;
  const auto add = [&](const Phase& p, double tokens, bool weights) {
    const double passes = tokens / p.emitted_tokens;
    r.roof += passes * p.totals.roof_seconds;
    r.max_clock += passes * roof_seconds_at_max_clock(b.analysis, p);
    r.operators += passes * p.totals.step_seconds;
    r.expected.low += tokens / p.expected_tokens_per_s.low;
    r.expected.mid += tokens / p.expected_tokens_per_s.mid;
    r.expected.high += tokens / p.expected_tokens_per_s.high;
    compute += passes * p.totals.compute_seconds;
    const double shared = weights ? 0 : p.totals.weight_bytes / b.analysis.ceilings.bytes_per_s;
    memory += passes * std::max(0.0, p.totals.memory_seconds - shared);
  };
  add(b.analysis.prefill, b.fresh, b.output <= 0);
  if (b.output > 0) add(b.analysis.decode, b.output, true);
  r.overlapped = std::max(compute, memory);
  return r;
}

// Requests per second of a figure that covers both phases.
Held hold_mixed(const Basis& b, const Observation& o, MeasuredPhase phase, Counting counting) {
  const RequestSeconds need = request_seconds(b);
  const double all = b.fresh + b.output;
  double tokens = all;  // of a request that the figure counts
  if (o.figure == Figure::tokens_per_s && phase == MeasuredPhase::prefill) tokens = b.fresh;
  if (o.figure == Figure::tokens_per_s && phase == MeasuredPhase::decode) tokens = b.output;
  double requests_per_s = 0;
  if (o.figure == Figure::requests_per_s) {
    requests_per_s = o.value;
  } else if (o.figure == Figure::request_s || o.figure == Figure::step_s) {
    requests_per_s = b.batch / o.value;  // as many are under way at once
  } else if (tokens > 0) {
    requests_per_s = o.value / tokens;
  }
  const bool rate = o.figure == Figure::tokens_per_s || o.figure == Figure::requests_per_s;
  if (rate && counting == Counting::per_stream) requests_per_s *= b.batch;
  if (rate && counting == Counting::per_device) requests_per_s *= b.devices;
  Held h;
  h.tokens_per_s = requests_per_s * tokens;
  h.roof_tokens_per_s = tokens / need.roof;
  h.operator_tokens_per_s = tokens / need.operators;
  h.expected_tokens_per_s = {tokens / need.expected.low, tokens / need.expected.mid,
                             tokens / need.expected.high};
  h.fraction = requests_per_s * need.roof;
  h.fraction_at_max_clock = requests_per_s * need.max_clock;
  h.fraction_overlapped = requests_per_s * need.overlapped;
  return h;
}

double aggregate_rate(const Basis& b, const Observation& o, const Phase& p, Counting counting) {
  const StepTotals& t = p.totals;
  const double shares = counting == Counting::aggregate || counting == Counting::same_wall
                            ? b.devices
                            : 1;  // FLOPs and bytes are of one device unless told
  const double by_bytes = t.ideal_bytes > 0 ? p.emitted_tokens / t.ideal_bytes : 0;
  const double by_flops = t.flops > 0 ? p.emitted_tokens / t.flops : 0;
  switch (o.figure) {
    case Figure::time_to_first_token_s:
    case Figure::step_s:
      return p.emitted_tokens / o.value;
    case Figure::time_per_token_s:
      return b.batch / o.value;
    case Figure::bytes_per_s:
      return o.value / shares * by_bytes;
    case Figure::bandwidth_share:
      return o.value * b.analysis.ceilings.bytes_per_s * by_bytes;
    case Figure::flops_per_s:
      return o.value / shares * by_flops;
    case Figure::peak_share:
      return o.value * t.peak_flops_per_s * by_flops;
    default:
      break;
  }
  double rate = o.value;
  if (counting == Counting::per_stream) rate *= &p == &b.analysis.prefill ? p.sequences : b.batch;
  if (counting == Counting::per_device) rate *= b.devices;
  return rate;
}

// Of a window with prompts and outputs on one clock the ratio of their lengths is that of the
// rates; a context that is told is the prompt and half of the output.
void take_ratio(const Observation& o, Workload& w, Basis& b) {
  const double ratio = o.output_per_prompt.value_or(0);
  if (o.output || !(ratio > 0)) return;
  if (!o.prompt && o.context) w.prompt = std::max(1.0, std::round(*o.context / (1 + ratio / 2)));
  w.output = std::max(1.0, std::round(w.prompt * ratio));
  b.notes.push_back(
      {"Lengths are not told: prompts of {} and outputs of {} tokens are taken, in "
       "the ratio of the two rates",
       {{w.prompt, Measure::number}, {w.output, Measure::number}}});
}

}  // namespace

const Phase* phase_of(const Analysis& a, MeasuredPhase p) {
  if (p == MeasuredPhase::prefill) return &a.prefill;
  return p == MeasuredPhase::decode ? &a.decode : nullptr;
}

double roof_seconds_at_max_clock(const Analysis& a, const Phase& p) {
  const double factor = std::max(1.0, a.scenario.system.device.max_clock_factor);
  const StepTotals& t = p.totals;
  const double now = std::max({t.compute_seconds, t.memory_seconds, t.network_roof_seconds});
  const double then =
      std::max({t.compute_seconds / factor, t.memory_seconds, t.network_roof_seconds});
  return now > 0 ? t.roof_seconds * then / now : t.roof_seconds;
}

Basis basis_of(const Observation& o, const Analysis& a) {
  Basis b;
  b.phase = likely_phase(o);
  Scenario s = a.scenario;
  Workload& w = s.workload;
  if (o.batch) w.batch = *o.batch;
  if (o.prompt) w.prompt = *o.prompt;
  if (o.output) w.output = *o.output;
  if (o.context) w.context = *o.context;
  if (o.cached_prefix) w.cached_prefix = *o.cached_prefix;
  if (o.prompts_together) w.prefill_batch = *o.prompts_together;
  if (o.output_per_prompt) take_ratio(o, w, b);
  // A prompt that is told moves a context that is not.
  if (o.prompt && !o.context) w.context = -1;
  if (o.tokens_per_pass) speculate(*o.tokens_per_pass, w, b);
  if (o.layers_split) split_layers(s.deployment, b);
  const bool told = o.batch || o.prompt || o.output || o.context || o.cached_prefix ||
                    o.tokens_per_pass || o.layers_split || o.prompts_together ||
                    o.output_per_prompt;
  if (told && !validate(s)) {
    b.notes.push_back(
        {"The sizes it tells are none this model can run with: those of the scenario "
         "are used.",
         {}});
    s = a.scenario;
    b.analysis = a;
  } else {
    b.analysis = told ? analyze(s, a.efficiency) : a;
  }
  const Workload& used = s.workload;
  b.batch = used.batch;
  b.prompt = used.prompt;
  b.fresh = used.prompt - used.cached_prefix;
  b.output = used.output;
  b.context = decode_context(used);
  const Deployment& d = s.deployment;
  b.devices = static_cast<double>(d.tensor) * d.pipeline * d.data;
  return b;
}

Held hold(const Basis& b, const Observation& o, MeasuredPhase phase, Counting counting) {
  const Phase* p = phase_of(b.analysis, phase);
  const bool whole_request =
      o.figure == Figure::requests_per_s || o.figure == Figure::request_s || p == nullptr;
  if (whole_request || counting == Counting::same_wall) {
    return hold_mixed(b, o, phase, counting);
  }
  Held h;
  h.tokens_per_s = aggregate_rate(b, o, *p, counting);
  h.roof_tokens_per_s = p->roof_tokens_per_s;
  h.operator_tokens_per_s = p->operator_tokens_per_s;
  h.expected_tokens_per_s = p->expected_tokens_per_s;
  h.fraction = h.tokens_per_s / p->roof_tokens_per_s;
  h.fraction_at_max_clock =
      h.fraction * roof_seconds_at_max_clock(b.analysis, *p) / p->totals.roof_seconds;
  h.fraction_overlapped = h.fraction;
  return h;
}

}  // namespace rooflens
