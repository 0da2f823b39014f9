#include "cli/idle_options.h"

#include <algorithm>

#include "rooflens/core/kv_pool.h"
#include "rooflens/core/serving.h"
#include "rooflens/core/traits.h"

namespace rooflens::cli {
namespace {

using O = Options;
using S = const Scenario&;

bool no_experts(S s) { return !has_experts(s.model); }
bool one_expert_rank(S s) { return s.deployment.expert <= 1; }
bool no_drafts(S s) { return s.workload.drafts <= 0; }
bool no_state(S s) { return !has_recurrent_state(s.model); }
bool no_latent(S s) { return !has_latent_attention(s.model); }
bool no_attention(S s) { return !has_attention(s.model); }
bool latent_only(S s) {
  return has_attention(s.model) && !caches_values(s.model) &&
         s.deployment.latent_cache != LatentCache::expanded;
}
bool nothing_quantised(S s) { return !has_quantised_weights(s.model); }
bool no_machine(S s) { return s.system.device.bytes_per_s <= 0; }
bool nothing_sent(S s) { return !communicates(s.deployment); }
bool latent_cached_expanded(S s) { return s.deployment.latent_cache == LatentCache::expanded; }
bool no_hybrid(S s) {
  return s.deployment.hybrid_pages && has_attention(s.model) &&
         hybrid_page(s.model, s.deployment) <= 0;
}
bool no_window(S s) { return !has_windows(s.model); }
bool naive_scores(S s) { return s.deployment.attention_io == AttentionIo::naive; }
bool one_chunk(S s) {
  const Workload& w = s.workload;
  return w.chunk > 0 && w.chunk >= w.prompt - w.cached_prefix;
}
bool whole_on_device(S s) {
  return s.deployment.layers_on_device * s.model.layers_per_block >=
         static_cast<double>(s.model.order.size());
}
bool unknown_memory(S s) { return s.system.device.capacity_bytes <= 0; }
bool same_accumulators(S s) {
  const Device& d = s.system.device;
  return d.peak_fp16_acc16 <= 0 && d.peak_fp8_acc16 <= 0;
}

constexpr const char* kNoExperts = "the model has no experts";
constexpr const char* kNoCache = "the model has no attention, so it caches no tokens";
constexpr const char* kNoAttention = "the model has no attention";
constexpr const char* kNothingSent = "the ranks exchange nothing";
constexpr const char* kUnknownMemory = "how much memory the device has is not known";

constexpr IdleRule kRules[] = {
    {&O::experts, no_experts, kNoExperts},
    {&O::ep, no_experts, kNoExperts},
    {&O::expert_parallel, no_experts, kNoExperts},
    {&O::expert_parallel, one_expert_rank, "there is one expert rank, as tp x dp is 1"},
    {&O::zipf, no_experts, kNoExperts},
    {&O::imbalance, no_experts, kNoExperts},
    {&O::imbalance, one_expert_rank, "there is one expert rank (--ep)"},
    {&O::acceptance, no_drafts, "no drafts are made (--drafts)"},
    {&O::state_bytes, no_state, "the model has no recurrent state"},
    {&O::mla, no_latent, "the model has no latent attention"},
    {&O::mla, latent_cached_expanded, "--mla-cache expanded leaves nothing to absorb"},
    {&O::mla_cache, no_latent, "the model has no latent attention"},
    {&O::window_cells, no_window, "no layer of the model has a window"},
    {&O::attention, no_attention, kNoAttention},
    {&O::causal, no_attention, kNoAttention},
    {&O::causal, naive_scores, "--attention naive computes the whole square"},
    {&O::kv, no_attention, kNoCache},
    {&O::cache_type_k, no_attention, kNoCache},
    {&O::cache_type_v, no_attention, kNoCache},
    {&O::cache_type_v, latent_only, "latent attention caches one vector, --cache-type-k stores it"},
    {&O::context, no_attention, kNoCache},
    {&O::page, no_attention, kNoCache},
    {&O::page, no_hybrid, "no layer has a state to share its pages with"},
    {&O::gemm_input, no_machine, "it is how a machine computes, and none is given"},
    {&O::gemm_input, nothing_quantised, "no weights of the layers are quantised"},
    {&O::chunk, one_chunk, "the whole prompt is one chunk"},
    {&O::link, nothing_sent, kNothingSent},
    {&O::link_latency, nothing_sent, kNothingSent},
    {&O::utilisation, unknown_memory, kUnknownMemory},
    {&O::overhead, unknown_memory, kUnknownMemory},
    {&O::gpu_layers, whole_on_device, "the model has no more layers"},
    {&O::fp16_accumulate, same_accumulators, "no peak with FP16 accumulation is known"},
};

// The spelling it was given with; empty when it was not.
std::string given(const Options& o, const IdleRule& rule) {
  if (const auto* value = std::get_if<Maybe O::*>(&rule.option)) {
    const Maybe& given = o.*(*value);
    return given ? given->option : "";
  }
  const auto flag = std::get<bool O::*>(rule.option);
  if (!(o.*flag)) return "";
  for (const OptionSpec& spec : option_table()) {
    const auto* field = std::get_if<bool O::*>(&spec.field);
    if (field != nullptr && *field == flag) return std::string(spec.name());
  }
  return "";
}

// Why the option is idle in this scenario; null when it is not.
const char* reason_of(const IdleRule& asked, S s) {
  for (const IdleRule& rule : kRules) {
    if (rule.option == asked.option && rule.idle(s)) return rule.reason;
  }
  return nullptr;
}

}  // namespace

std::span<const IdleRule> idle_rules() { return kRules; }

void say_idle_options(const Options& o, std::span<const Scenario* const> all, Context& c) {
  if (all.empty()) return;
  for (const IdleRule& rule : kRules) {
    const std::string option = given(o, rule);
    if (option.empty()) continue;
    const auto idle = [&](const Scenario* s) { return reason_of(rule, *s) != nullptr; };
    if (!std::all_of(all.begin(), all.end(), idle)) continue;
    c.warn(option + " has no effect: " + reason_of(rule, *all.front()));  // once for its rules
  }
}

}  // namespace rooflens::cli
