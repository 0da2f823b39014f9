#include <cmath>
#include <cstdint>

#include "rooflens/core/analyze.h"
#include "rooflens/core/layer_visit.h"

namespace rooflens {
namespace {

constexpr double kExact = 9007199254740992.0;  // 2^53: counts are whole below it

// Whole numbers as such, others with three digits: messages show what was typed.
std::string said(double v) {
  if (std::isnan(v)) return "not a number";
  if (std::isinf(v)) return v > 0 ? "infinite" : "minus infinity";
  if (v == std::floor(v) && std::abs(v) < kExact) return std::to_string(static_cast<long long>(v));
  std::string text = std::to_string(v);
  while (text.back() == '0' && text[text.size() - 2] != '.') text.pop_back();
  return text;
}

Result<void> in_range(double value, double least, double most, const char* option,
                      const char* what) {
  if (std::isfinite(value) && value >= least && value <= most) return {};
  std::string bounds = "give a value from " + said(least) + " to " + said(most);
  return fail(std::isfinite(value) && value > most ? ErrorCode::out_of_range : ErrorCode::invalid,
              std::string(what) + " cannot be " + said(value), option, bounds);
}

Result<void> check_workload(const Workload& w) {
  constexpr double kTokens = 1e9, kBatch = 1e8;
  for (const auto& [value, least, most, option, what] :
       {std::tuple{w.batch, 1.0, kBatch, "--batch", "the batch"},
        std::tuple{w.prompt, 1.0, kTokens, "--prompt", "the prompt length"},
        std::tuple{w.output, 0.0, kTokens, "--output-tokens", "the output length"},
        std::tuple{w.context == -1 ? decode_context(w) : w.context, 0.0, kTokens, "--context",
                   "the context"},
        std::tuple{w.cached_prefix, 0.0, kTokens, "--cached-prefix", "the cached prefix"},
        std::tuple{w.prefill_batch, 1.0, kBatch, "--prefill-batch", "the prefill batch"},
        std::tuple{w.chunk, 0.0, kTokens, "--chunk", "the chunk"},
        std::tuple{w.drafts, 0.0, 1024.0, "--drafts", "the number of drafts"},
        std::tuple{w.acceptance, 0.0, 1.0, "--acceptance", "the acceptance"}}) {
    if (auto r = in_range(value, least, most, option, what); !r) return r;
  }
  if (w.cached_prefix >= w.prompt) {
    return fail(ErrorCode::invalid, "the cached prefix covers the whole prompt", "--cached-prefix",
                "at least one prompt token has to be computed: give a smaller prefix");
  }
  if (w.chunk > 0 && (w.prompt - w.cached_prefix) / w.chunk > 1e5) {
    return fail(ErrorCode::out_of_range, "more than a hundred thousand chunks", "--chunk",
                "give a larger chunk");
  }
  return {};
}

// The dimensions that tensor parallelism cuts, and that must divide.
Result<void> check_tensor(const Model& m, int tensor) {
  const auto divides = [&](double n, const char* what) -> Result<void> {
    if (n <= 0 || std::fmod(n, tensor) == 0) return {};
    return fail(ErrorCode::invalid,
                std::to_string(tensor) + " tensor-parallel ranks do not divide " +
                    std::to_string(static_cast<long long>(n)) + " " + what,
                "--tp", "choose a divisor of " + std::to_string(static_cast<long long>(n)));
  };
  for (const Layer& layer : m.layers) {
    Result<void> r;
    if (const auto* a = std::get_if<Attention>(&layer.mixer)) {
      r = divides(a->query_heads, "query heads");
    } else if (const auto* l = std::get_if<LatentAttention>(&layer.mixer)) {
      r = divides(l->heads, "heads");
    } else if (const auto* g = std::get_if<GatedDeltaNet>(&layer.mixer)) {
      r = divides(g->value_heads, "value heads");
      if (r) r = divides(g->key_heads, "key heads");
    } else if (const auto* k = std::get_if<KimiDelta>(&layer.mixer)) {
      r = divides(k->heads, "heads");
    } else if (const auto* n = std::get_if<LightningAttention>(&layer.mixer)) {
      r = divides(n->heads, "heads");
    } else if (const auto* s = std::get_if<Mamba2>(&layer.mixer)) {
      r = divides(s->inner / s->head_dim, "heads");
    } else if (const auto* s1 = std::get_if<Mamba1>(&layer.mixer)) {
      r = divides(s1->inner, "inner channels");
    }
    if (!r) return r;
    if (const auto* f = std::get_if<Dense>(&layer.ffn)) {
      if (r = divides(f->width, "feed-forward channels"); !r) return r;
    }
  }
  return {};
}

Result<void> check_ranks(const Scenario& s) {
  const Deployment& d = s.deployment;
  for (const auto& [value, option] :
       {std::pair{d.tensor, "--tp"}, std::pair{d.pipeline, "--pp"}, std::pair{d.data, "--dp"},
        std::pair{d.expert, "--ep"}, std::pair{s.system.count, "--gpus"}}) {
    if (value < 1 || value > 65536) {
      return fail(ErrorCode::invalid, "the number of ranks cannot be " + std::to_string(value),
                  option, "give a value from 1 to 65536");
    }
  }
  const std::int64_t ranks = std::int64_t{d.tensor} * d.pipeline * d.data;  // up to 2^48
  if (ranks != s.system.count) {
    return fail(ErrorCode::invalid,
                "tp " + std::to_string(d.tensor) + " x pp " + std::to_string(d.pipeline) +
                    " x dp " + std::to_string(d.data) + " uses " + std::to_string(ranks) +
                    " devices, the system has " + std::to_string(s.system.count),
                "--gpus", "make the product equal to the number of devices");
  }
  double layers = 0, experts = 0;
  for (const Layer& layer : s.model.layers) {
    layers += layer.count;
    if (const auto* moe = std::get_if<MixtureOfExperts>(&layer.ffn)) {
      experts = experts > 0 ? std::min(experts, moe->experts) : moe->experts;
    }
  }
  if (d.pipeline > layers) {
    return fail(ErrorCode::invalid, "more pipeline stages than layers", "--pp",
                "the model has " + std::to_string(static_cast<int>(layers)) + " layers");
  }
  if (d.expert > 1 && experts == 0) {
    return fail(ErrorCode::invalid, "expert parallelism on a model without experts", "--ep",
                "leave --ep out");
  }
  if (d.expert > 1 && (d.expert > experts || (d.tensor * d.data) % d.expert != 0)) {
    return fail(ErrorCode::invalid,
                std::to_string(d.expert) + " expert-parallel ranks cannot share " +
                    std::to_string(static_cast<int>(experts)) + " experts over tp x dp = " +
                    std::to_string(d.tensor * d.data) + " devices",
                "--ep", "give a divisor of tp x dp, at most the number of experts");
  }
  if (s.workload.batch < d.data) {
    return fail(ErrorCode::invalid, "fewer sequences than data-parallel replicas", "--batch",
                "give at least one sequence a replica: --batch " + std::to_string(d.data));
  }
  return check_tensor(s.model, d.tensor);
}

Result<void> check_device(const Scenario& s) {
  const Device& v = s.system.device;
  if (!(v.bytes_per_s > 0)) {
    return fail(ErrorCode::invalid, "the device has no memory bandwidth", v.name,
                "give it, e.g. bw=3.35TB/s");
  }
  // Figures no machine of this century has; what is meant is mostly another unit.
  double fastest = v.vector_flops_per_s;
  for (double p : v.peak) fastest = std::max(fastest, p);
  if (v.bytes_per_s > 1e18 || v.capacity_bytes > 1e18 || fastest > 1e21 || v.launch_s > 1) {
    return fail(ErrorCode::out_of_range,
                "a figure of the device is beyond 1 EB/s, 1 EB, 1 ZFLOP/s or 1 s a launch", v.name,
                "check the units");
  }
  for (const Link& link : v.links) {
    const bool none = link.bytes_per_s == 0;
    if (!none && !(link.bytes_per_s >= 1e6 && link.bytes_per_s <= 1e18)) {
      return fail(ErrorCode::invalid,
                  "the link " + link.name + " cannot move " + said(link.bytes_per_s) + " B/s",
                  "--link", "give it with a unit, e.g. 64GB/s (one direction, per device)");
    }
    if (!(link.latency_s >= 0 && link.latency_s <= 1)) {
      return fail(ErrorCode::out_of_range, "a step of a collective cannot take " +
                  said(link.latency_s) + " s", "--link-latency", "e.g. 2us");
    }
  }
  const bool any = v.peak_of(Compute::fp32) > 0 || v.peak_of(Compute::fp16) > 0 ||
                   v.peak_of(Compute::bf16) > 0;
  if (!any) {
    return fail(ErrorCode::invalid, "the device has no peak that 16-bit arithmetic could use",
                v.name, "give one, e.g. bf16=989T or fp32=3T");
  }
  const int ranks = s.system.count;
  if (ranks > 1) {
    bool reaches = false;
    for (const Link& link : v.links) {
      reaches = reaches || (link.bytes_per_s > 0 && (link.size == 0 || link.size >= ranks));
    }
    const Deployment& d = s.deployment;
    if (!reaches && (d.tensor > 1 || d.pipeline > 1 || d.expert > 1)) {
      return fail(ErrorCode::invalid,
                  "no link is known that joins " + std::to_string(ranks) + " of this device",
                  v.name, "give one, e.g. --link 64GB/s (one direction, per device)");
    }
  }
  return {};
}

}  // namespace

Result<void> validate(const Scenario& s) {
  if (s.model.layers.empty() || !(s.model.hidden > 0) || !(s.model.vocabulary > 0)) {
    return fail(ErrorCode::invalid, "the model has no layers, hidden size or vocabulary",
                s.model.name);
  }
  if (auto r = check_workload(s.workload); !r) return r;
  if (auto r = check_device(s); !r) return r;
  if (auto r = check_ranks(s); !r) return r;
  const Deployment& d = s.deployment;
  if (!(d.utilisation > 0 && d.utilisation <= 1)) {
    return fail(ErrorCode::invalid, "the memory share must be above 0 and at most 1",
                "--utilisation", "vLLM's default is 0.9");
  }
  if (!(d.zipf >= 0 && d.zipf <= 100) || !(d.imbalance >= 1 && d.imbalance <= 1e6)) {
    return fail(ErrorCode::invalid, "the router's skew must be 0 to 100, the imbalance at least 1",
                "--zipf, --imbalance", "0 and 1 are an even router");
  }
  if (!(d.state_copies >= 1 && d.state_copies <= 1025)) {
    return fail(ErrorCode::invalid, "a sequence keeps at least one copy of its state, at most 1025",
                "--drafts");
  }
  if (!(d.page_tokens >= 1)) {
    return fail(ErrorCode::invalid, "a page holds at least one token", "--page",
                "vLLM's default is 16");
  }
  if (!(d.batched_tokens >= 0)) {
    return fail(ErrorCode::invalid, "the largest step cannot hold fewer than 0 tokens",
                "--max-num-batched-tokens");
  }
  if (!(d.overhead_bytes >= 0)) {
    return fail(ErrorCode::invalid, "the overhead cannot be negative", "--overhead");
  }
  return {};
}

}  // namespace rooflens
