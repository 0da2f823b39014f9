// What vLLM and SGLang print of weights, pool and blocks.
#include <algorithm>
#include <cmath>

#include "rooflens/check/startup_rows.h"
#include "rooflens/core/kv_pool.h"

namespace rooflens {
namespace {

constexpr double kVllmBlock = 16;

bool holds(std::string_view s, std::string_view part) {
  return s.find(part) != std::string_view::npos;
}

// How the log says the model is served. The cache is of the model's type where "auto" is asked for.
Deployment deployment_of(const Startup& log, const Model& m) {
  Deployment d;
  const auto ranks = [&](const char* a, const char* b) {
    const double n = log.number(a, log.number(b, 1));
    return n >= 1 && n <= 4096 ? static_cast<int>(n) : 1;
  };
  d.tensor = ranks("tensor_parallel_size", "tp_size");
  d.pipeline = ranks("pipeline_parallel_size", "pp_size");
  if (log.text("enable_dp_attention") == "True") {  // attention is cut over fewer ranks
    d.tensor = std::max(1, d.tensor / ranks("dp_size", "dp_size"));
  }
  const std::string_view dtype = log.text("dtype"), cache = log.text("kv_cache_dtype");
  Storage s = m.kv;
  if (holds(dtype, "float32")) s = plain(Element::fp32);
  if (holds(dtype, "16")) s = plain(Element::bf16);
  if (holds(cache, "fp8")) s = find_storage("fp8")->storage;
  if (holds(cache, "16")) s = plain(Element::bf16);
  d.key_cache = d.value_cache = s;
  return d;
}

bool plain_cache(const Model& m) {
  const CacheLayers k = cache_layers(m);
  return k.recurrent == 0 && k.capped == 0;
}

void weights_row(const Startup& log, const Model* m, const Deployment& d,
                 std::vector<StartupRow>& rows) {
  const Printed* p = log.find("weights");
  if (p == nullptr) return;
  constexpr const char *kTag = "weights", *kWhat = "weights on a device";
  if (m == nullptr) return rows.push_back(unsaid(kTag, kWhat, *p, kUnknownModel));
  if (log.find("quantization") != nullptr && m->quantisation.empty()) {
    return rows.push_back(unsaid(kTag, kWhat, *p,
                                 "the engine quantises while it loads (quantization=" +
                                     std::string(log.text("quantization")) + ")"));
  }
  const double bytes = weight_bytes(*m, d);
  StartupRow row = compared(kTag, kWhat, *p, bytes);
  const double excess = p->value / bytes - 1;
  if (row.verdict == Agreement::differs && excess > 0 && excess < 0.03) {
    // The figure is memory taken, of which the weights are the greatest part and not the whole.
    row.verdict = Agreement::unknown;
    row.cause = "the figure is all memory taken while loading; the weights are " +
                written_like(*p, bytes) + " of it";
  }
  rows.push_back(std::move(row));
}

void pool_rows(const Startup& log, const Model* m, const Deployment& d, double block,
               std::vector<StartupRow>& rows) {
  Printed tokens;
  if (const Printed* p = log.find("tokens")) {
    tokens = *p;
  } else if (const Printed* b = log.find("gpu_blocks")) {
    tokens = *b;
    tokens.value = b->value * block;
    tokens.scale = block;
  }
  const Printed* available = log.find("available");
  if (tokens.is_number()) {
    constexpr const char *kTag = "tokens", *kWhat = "tokens in the cache";
    if (m == nullptr) {
      rows.push_back(unsaid(kTag, kWhat, tokens, kUnknownModel));
    } else if (!plain_cache(*m)) {
      rows.push_back(unsaid(kTag, kWhat, tokens,
                            "layers of several kinds share the pool: the engine prints the "
                            "concurrency times the longest request, no capacity"));
    } else if (available == nullptr) {
      rows.push_back(
          unsaid(kTag, kWhat, tokens, "the log does not say how much memory the cache has"));
    } else {
      // The memory is printed rounded: a range of pools.
      const double token = kv_bytes_per_token(*m, d);
      const double half = available->step() / 2;
      StartupRow row = compared(kTag, kWhat, tokens, pool_tokens(available->value, token, block));
      if (tokens.value >= pool_tokens(available->value - half, token, block) &&
          tokens.value <= pool_tokens(available->value + half, token, block)) {
        row.verdict = Agreement::agrees;
        row.cause = "within the rounding of " + available->text;
      }
      rows.push_back(std::move(row));
    }
  }
  const Printed* longest = log.find("concurrency_tokens");
  if (const Printed* p = log.find("concurrency"); p != nullptr && longest != nullptr) {
    if (tokens.is_number()) {
      rows.push_back(
          compared("concurrency", "requests at once", *p, tokens.value / longest->value));
    } else {
      rows.push_back(unsaid("concurrency", "requests at once", *p,
                            "the log does not say how many tokens fit"));
    }
  }
}

// The block that makes a page of attention as large as a state; kernels ask for multiples.
void hybrid_rows(const Startup& log, const Model* m, Deployment d, std::vector<StartupRow>& rows) {
  const Printed* printed = log.find("attention_block");
  const Printed* padding = log.find("padding");
  if (printed == nullptr && padding == nullptr) return;
  if (m == nullptr) {
    if (printed != nullptr) {
      rows.push_back(unsaid("attention_block", "attention block", *printed, kUnknownModel));
    }
    return;
  }
  LayerPages pages = layer_pages(*m, d);
  if (printed != nullptr) {
    std::vector<Candidate> others;
    for (double align : {32.0, 64.0, 128.0, 256.0}) {
      others.push_back({hybrid_block(pages, align),
                        "in multiples of " + written_like({}, align) + " tokens, not 16"});
    }
    d.state_bytes = 2;
    const LayerPages narrow = layer_pages(*m, d);
    others.push_back({hybrid_block(narrow, 16), "the state is kept in 16 bits, not 32"});
    rows.push_back(compared("attention_block", "attention block", *printed, hybrid_block(pages, 16),
                            "", others));
    if (rows.back().cause == others.back().cause) pages = narrow;
  }
  if (padding != nullptr) {
    const double block = printed != nullptr ? printed->value : hybrid_block(pages, 16);
    rows.push_back(
        compared("padding", "padding of a state's page", *padding, hybrid_padding(pages, block)));
  }
}

void needed_row(const Startup& log, const Model* m, const Deployment& d, double block,
                std::vector<StartupRow>& rows) {
  const Printed* need = log.find("needed");
  const Printed* tokens = log.find("needed_tokens");
  if (need == nullptr || tokens == nullptr) return;
  const char* what = "cache of one request";
  if (m == nullptr) return rows.push_back(unsaid("needed", what, *need, kUnknownModel));
  if (!plain_cache(*m)) {
    return rows.push_back(unsaid("needed", what, *need, "layers of several kinds share the pool"));
  }
  rows.push_back(
      compared("needed", what, *need, kv_bytes_of_sequence(*m, d, tokens->value, block)));
}

}  // namespace

void check_vllm(const Startup& log, const Model* m, std::vector<StartupRow>& rows) {
  const Deployment d = m != nullptr ? deployment_of(log, *m) : Deployment{};
  const double block = log.number("attention_block", log.number("block_size", kVllmBlock));
  weights_row(log, m, d, rows);
  pool_rows(log, m, d, block > 0 ? block : kVllmBlock, rows);
  hybrid_rows(log, m, d, rows);
  needed_row(log, m, d, block > 0 ? block : kVllmBlock, rows);
}

void check_sglang(const Startup& log, const Model* m, std::vector<StartupRow>& rows) {
  const Deployment d = m != nullptr ? deployment_of(log, *m) : Deployment{};
  weights_row(log, m, d, rows);
  const Printed* tokens = log.find("cache_tokens");
  const double page = std::max(1.0, log.number("page_size", 1));
  // One page more is allocated, for what is written nowhere.
  const double held = tokens != nullptr ? tokens->value + page : 0;
  const auto row = [&](const char* name, const char* what, const Deployment& part) {
    const Printed* p = log.find(name);
    if (p == nullptr) return;
    if (m == nullptr) {
      rows.push_back(unsaid(name, what, *p, kUnknownModel));
    } else if (tokens == nullptr || !plain_cache(*m)) {
      rows.push_back(unsaid(name, what, *p, "layers of several kinds share the pool"));
    } else {
      rows.push_back(compared(name, what, *p, held * kv_bytes_per_token(*m, part)));
    }
  };
  Deployment keys = d, values = d;
  Storage nothing = plain(Element::bf16);
  nothing.bits = 0;
  keys.value_cache = values.key_cache = nothing;
  row("key_bytes", "keys in the cache", keys);
  row("value_bytes", "values in the cache", values);
  row("cache_bytes", "cache", d);
  const Printed* total = log.find("max_total_num_tokens");
  if (total != nullptr && tokens != nullptr) {
    rows.push_back(compared("tokens", "tokens in the cache", *total, tokens->value));
  }
}

}  // namespace rooflens
