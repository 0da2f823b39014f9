// The documented contract, schema 1: docs/json.md. SI units in key names, null for unknown.
#include <cmath>

#include "rooflens/core/requantise.h"
#include "rooflens/views/analysis_views.h"

namespace rooflens {
namespace {

void optional_member(JsonWriter& out, const char* key, const std::optional<double>& v) {
  out.key(key);
  if (v) {
    out.value(*v);
  } else {
    out.null();
  }
}

void range(JsonWriter& out, const char* key, const Range& r, const std::string* origin) {
  out.key(key).begin_object();
  out.member("low", r.low).member("mid", r.mid).member("high", r.high);
  if (origin != nullptr) out.member("origin", *origin);
  out.end();
}

void operators(JsonWriter& out, const Phase& p) {
  out.key("operators").begin_array();
  for (std::size_t i = 0; i < p.operators.size(); ++i) {
    const Operator& op = p.operators[i];
    const Placed& at = p.placed[i];
    out.begin_object();
    out.member("name", op.name).member("group", name_of(op.group)).member("count", op.count);
    out.key("compute_type");
    if (op.matrix) {
      out.value(name_of(op.compute));
    } else {
      out.null();
    }
    out.member("flops", op.flops)
        .member("vector_flops", op.vector_flops)
        .member("weight_bytes", op.weight_bytes)
        .member("activation_bytes", at.bytes - op.ideal_bytes())
        .member("kv_read_bytes", op.kv_read_bytes)
        .member("kv_write_bytes", op.kv_write_bytes)
        .member("state_bytes", op.state_bytes)
        .member("network_bytes", at.network_bytes)
        .member("intensity", at.intensity)
        .member("bound", name_of(at.bound))
        .member("attainable_flops_per_s", at.attainable_flops_per_s)
        .member("seconds", at.seconds);
    out.end();
  }
  out.end();
}

void phase(JsonWriter& out, const char* key, const Phase& p, const Analysis& a) {
  const StepTotals& t = p.totals;
  out.key(key).begin_object();
  out.member("flops", t.flops)
      .member("vector_flops", t.vector_flops)
      .member("roof_bytes", t.ideal_bytes)
      .member("operator_bytes",
              a.scenario.deployment.fusion == Fusion::ideal ? t.ideal_bytes : t.bytes)
      .member("network_bytes", t.network_bytes)
      .member("intensity", t.intensity)
      .member("ridge", t.ridge)
      .member("bound", name_of(t.bound))
      .member("fraction_of_ridge", t.fraction_of_ridge)
      .member("attainable_flops_per_s", t.attainable_flops_per_s)
      .member("roof_seconds", t.roof_seconds)
      .member("operator_seconds", t.step_seconds)
      .member("serial_seconds", t.serial_seconds)
      .member("network_seconds", t.network_seconds);
  range(out, "expected_seconds", p.expected_seconds, &a.efficiency.origin);
  out.member("tokens", p.emitted_tokens)
      .member("roof_tokens_per_s", p.roof_tokens_per_s)
      .member("operator_tokens_per_s", p.operator_tokens_per_s);
  range(out, "expected_tokens_per_s", p.expected_tokens_per_s, &a.efficiency.origin);
  operators(out, p);
  out.end();
}

}  // namespace

void analysis_json(const Analysis& a, JsonWriter& out) {
  const Device& d = a.scenario.system.device;
  out.begin_object();
  out.key("ridge").begin_object().key("flop_per_byte").begin_object();
  for (int i = 0; i < kComputes; ++i) {
    const auto c = static_cast<Compute>(i);
    if (d.peak_of(c) > 0) out.member(name_of(c), ridge(d, c));
  }
  out.end().end();
  out.key("phases");
  if (a.memory.fits) {
    out.begin_object();
    phase(out, "prefill", a.prefill, a);
    phase(out, "decode", a.decode, a);
    out.end();
  } else {
    out.null();  // what does not fit has no speed
  }
  const Capacity& m = a.memory;
  out.key("memory").begin_object();
  out.member("weight_bytes", m.weight_bytes)
      .member("kv_bytes_per_token", m.kv_bytes_per_token)
      .member("state_bytes_per_sequence", m.state_bytes_per_sequence)
      .member("activation_bytes", m.activation_bytes)
      .member("overhead_bytes", m.overhead_bytes)
      .member("capacity_bytes", m.capacity_bytes)
      .member("usable_bytes", m.usable_bytes)
      .member("free_bytes", m.free_bytes)
      .member("bytes_per_sequence", m.bytes_per_sequence)
      .member("fits", m.fits)
      .member("max_batch", m.max_batch)
      .member("max_context", m.max_context);
  out.end();
  out.key("crossing").begin_object();
  optional_member(out, "fc_tokens", a.crossing.fc_tokens);
  optional_member(out, "experts_tokens", a.crossing.experts_tokens);
  optional_member(out, "step_batch", a.crossing.step_batch);
  optional_member(out, "step_context_limit", a.crossing.step_context_limit);
  out.member("memory_batch", m.max_batch).member("intensity_limit", a.crossing.intensity_limit);
  out.member("operator_intensity_limit", a.crossing.operator_intensity_limit);
  out.end();
  out.end();
}

void inputs_json(const Scenario& s, JsonWriter& out) {
  const Device& v = s.system.device;
  const Deployment& d = s.deployment;
  const Workload& w = s.workload;
  out.begin_object();
  out.key("model").begin_object();
  out.member("name", s.model.name).member("architecture", s.model.architecture);
  out.member("weights", storage_name(storage_of(s.model, Role::linear)));
  out.member("experts", storage_name(storage_of(s.model, Role::experts)));
  out.member("head", storage_name(storage_of(s.model, Role::head)));
  out.key("changes").begin_array();
  for (const std::string& change : s.model.changes) out.value(change);
  out.end();
  out.end();
  out.key("system").begin_object();
  out.member("device", v.name).member("id", v.id).member("count", s.system.count);
  out.member("bytes_per_s", v.bytes_per_s).member("capacity_bytes", v.capacity_bytes);
  out.member("vector_flops_per_s", v.vector_flops_per_s);
  out.member("memory_origin", name_of(v.memory_origin))
      .member("peak_origin", name_of(v.peak_origin));
  out.key("peak_flops_per_s").begin_object();
  for (int i = 0; i < kComputes; ++i) {
    const auto c = static_cast<Compute>(i);
    if (v.peak_of(c) > 0) out.member(name_of(c), v.peak_of(c));
  }
  out.end();
  out.key("links").begin_array();
  for (const Link& link : v.links) {
    out.begin_object();
    out.member("name", link.name).member("size", link.size);
    out.member("bytes_per_s", link.bytes_per_s).member("latency_s", link.latency_s);
    out.end();
  }
  out.end().end();
  out.key("deployment").begin_object();
  out.member("activation", name_of(d.activation)).member("gemm_input", name_of(d.gemm_input));
  out.member("attention", name_of(d.attention));
  out.member("key_cache", storage_name(d.key_cache));
  out.member("value_cache", storage_name(d.value_cache));
  out.member("tensor", d.tensor).member("expert", d.expert);
  out.member("pipeline", d.pipeline).member("data", d.data);
  out.member("fusion", d.fusion == Fusion::ideal ? "ideal" : "standard");
  out.member("attention_io", d.attention_io == AttentionIo::naive ? "naive" : "flash");
  out.member("causal", d.causal == CausalMode::full ? "full" : "exact");
  out.member("latent", name_of(d.latent)).member("latent_cache", name_of(d.latent_cache));
  out.member("window_cells", name_of(d.window_cells));
  out.member("zipf", d.zipf).member("imbalance", d.imbalance);
  out.member("fp16_accumulate", d.fp16_accumulate);
  out.member("utilisation", d.utilisation).member("overhead_bytes", d.overhead_bytes);
  out.member("batched_tokens", d.batched_tokens).member("page_tokens", d.page_tokens);
  out.member("hybrid_pages", d.hybrid_pages);
  out.member("state_bytes", d.state_bytes).member("conv_state_bytes", d.conv_state_bytes);
  out.end();
  out.key("workload").begin_object();
  out.member("batch", w.batch).member("prompt_tokens", w.prompt).member("output_tokens", w.output);
  out.member("context_tokens", decode_context(w)).member("cached_prefix_tokens", w.cached_prefix);
  out.member("prefill_batch", w.prefill_batch).member("chunk_tokens", w.chunk);
  out.member("drafts", w.drafts).member("acceptance", w.acceptance);
  out.end().end();
}

}  // namespace rooflens
