// What tensor-parallel ranks do together: the whole, and what each of them repeats.
// arithmetic.md sections 10 and 19.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "core/fixture.h"
#include "rooflens/core/place.h"

namespace rooflens {
namespace {

using fixture::machine;
using fixture::model;
using fixture::model_names;
using fixture::near;
using fixture::run;
using fixture::Step;

constexpr double kTokens = 8, kBytes = 2;  // bf16 everywhere

// What all ranks of an operator do beyond the undivided operator.
struct Extra {
  double flops = 0, vector_flops = 0, weights = 0, kv_read = 0, kv_write = 0;
};

Extra copies_of(const Operator& whole, double times) {
  return {times * whole.flops, times * whole.vector_flops, times * whole.weight_bytes,
          times * whole.kv_read_bytes, times * whole.kv_write_bytes};
}

// Row-parallel layers keep the whole bias on every rank.
void add_row_bias(Extra& e, double hidden, double ranks, double rows, double copies) {
  e.vector_flops += (ranks - 1) * rows * hidden;
  e.weights += (ranks - 1) * copies * hidden * kBytes;
}

Extra of_attention(const Attention& a, std::string_view name, const Operator& whole, double hidden,
                   double ranks) {
  Extra e;
  // KV heads per rank max(1, ceil(n_kv / TP)): past n_kv ranks they are held more than once.
  const double kv_heads = ranks * std::max(1.0, std::ceil(a.kv_heads / ranks)) - a.kv_heads;
  const double columns = kv_heads * (a.key_dim + a.value_dim);
  if (name == "qkv_proj") {
    e.flops = 2 * kTokens * hidden * columns;
    e.weights = columns * (hidden + (a.qkv_bias ? 1 : 0)) * kBytes;
    if (a.qkv_bias) e.vector_flops = kTokens * columns;
  } else if (name == "rope_kvwrite") {
    e.vector_flops = kTokens * kv_heads * a.key_dim *
                     (3 * a.rope_fraction + (a.qk_norm == QkNorm::head ? 4 : 0));
    e.kv_write = whole.kv_write_bytes * kv_heads / a.kv_heads;
  } else if (name == "attn") {
    e.kv_read = whole.kv_read_bytes * kv_heads / a.kv_heads;
    if (a.qk_norm == QkNorm::head) e.weights = (ranks - 1) * 2 * a.key_dim * kBytes;
  } else if (name == "o_proj" && a.out_bias) {
    add_row_bias(e, hidden, ranks, kTokens, 1);
  }
  return e;
}

Extra of_latent(const LatentAttention& a, std::string_view name, const Operator& whole,
                double ranks) {
  Extra e;
  if (name == "rope_kvwrite") {
    // One rotated key and the norms over both latents; the latent is cached by every rank.
    e.vector_flops = (ranks - 1) * kTokens * (3 * a.rope_dim + 4 * (a.query_rank + a.kv_rank));
    e.kv_write = (ranks - 1) * whole.kv_write_bytes;
  } else if (name == "attn") {
    e.kv_read = (ranks - 1) * whole.kv_read_bytes;
    e.weights = (ranks - 1) * whole.weight_bytes;
  }
  return e;
}

Extra extra_of(const Model& m, const Operator& whole, double ranks) {
  static const std::map<std::string_view, bool> repeated{
      {"embed", true},      {"norm1", true},      {"norm1b", true}, {"norm2", true},
      {"norm2b", true},     {"final_norm", true}, {"router", true}, {"combine", true},
      {"qkv_a_proj", true}, {"kv_a_proj", true},  {"fg_a", true},   {"idx_proj", true},
      {"idx_k_proj", true}, {"idx_w_proj", true}, {"indexer", true}};
  const std::string_view name = whole.name;
  if (repeated.count(name) > 0) return copies_of(whole, ranks - 1);
  if (name == "lm_head" || name == "sample") return {};
  const Layer& layer = m.layers[whole.layer];
  Extra e;
  if (const auto* a = std::get_if<Attention>(&layer.mixer)) {
    e = of_attention(*a, name, whole, m.hidden, ranks);
  } else if (const auto* l = std::get_if<LatentAttention>(&layer.mixer)) {
    e = of_latent(*l, name, whole, ranks);
  } else if (const auto* g = std::get_if<GatedDeltaNet>(&layer.mixer)) {
    if (name == "delta_rule") e.weights = (ranks - 1) * g->value_dim * kBytes;  // one head's norm
  } else if (const auto* k = std::get_if<KimiDelta>(&layer.mixer)) {
    if (name == "delta_rule") e.weights = (ranks - 1) * k->value_dim * kBytes;
  }
  if (const auto* x = std::get_if<MixtureOfExperts>(&layer.ffn)) {
    if (name == "experts_down" && x->bias) {
      const double distinct = x->experts * (1 - std::pow(1 - x->active / x->experts, kTokens));
      add_row_bias(e, m.hidden, ranks, kTokens * x->active, distinct);
    }
  }
  return e;
}

TEST(Ranks, TensorRanksSumToTheWholeAndWhatTheyRepeat) {
  const System& s = machine("h100-sxm");
  const std::vector<Group> step{{kTokens, 1, 4096, 1}};
  for (const std::string& name : model_names()) {
    const Model& m = model(name);
    const Step whole = run(m, s, {}, step);
    for (const int ranks : {2, 4, 16}) {
      Deployment d;
      d.tensor = ranks;
      const Step part = run(m, s, d, step);
      ASSERT_EQ(part.ops.size(), whole.ops.size()) << name;
      for (std::size_t i = 0; i < part.ops.size(); ++i) {
        const Operator& one = part.ops[i];
        const Operator& all = whole.ops[i];
        const Extra e = extra_of(m, all, ranks);
        const std::string where = name + " " + all.name + " on " + std::to_string(ranks) + " ranks";
        ASSERT_STREQ(one.name, all.name);
        EXPECT_TRUE(near(ranks * one.flops, all.flops + e.flops, 1e-12)) << where;
        EXPECT_TRUE(near(ranks * one.vector_flops, all.vector_flops + e.vector_flops, 1e-12))
            << where;
        EXPECT_TRUE(near(ranks * one.weight_bytes, all.weight_bytes + e.weights, 1e-12))
            << where << ": " << ranks * one.weight_bytes << " for " << all.weight_bytes + e.weights;
        EXPECT_TRUE(near(ranks * one.kv_read_bytes, all.kv_read_bytes + e.kv_read, 1e-12)) << where;
        EXPECT_TRUE(near(ranks * one.kv_write_bytes, all.kv_write_bytes + e.kv_write, 1e-12))
            << where;
        EXPECT_TRUE(near(ranks * one.state_bytes, all.state_bytes, 1e-12)) << where;
      }
    }
  }
}

// Section 10: 70B on 16 ranks holds its 8 KV heads twice, the 35B-A3B its 2 heads twice on 4, a
// latent is on every rank.
TEST(Ranks, ReplicationOfTheCacheAsPublished) {
  struct Case {
    const char* name;
    int ranks;
    double times;
  };
  for (const Case& c : {Case{"llama-3.1-70b", 8, 1}, Case{"llama-3.1-70b", 16, 2},
                        Case{"qwen3.6-35b-a3b", 4, 2}, Case{"deepseek-v3", 8, 8}}) {
    Deployment d;
    d.tensor = c.ranks;
    const std::vector<Group> step{{8, 1, 4096, 1}};
    const double one = run(model(c.name), machine("h100-sxm"), d, step).totals.kv_read_bytes;
    const double all = run(model(c.name), machine("h100-sxm"), {}, step).totals.kv_read_bytes;
    EXPECT_TRUE(near(one * c.ranks, all * c.times, 1e-12)) << c.name;
  }
}

// Experts spread over the data-parallel replicas see all their tokens together: n ranks of T tokens
// each do what one device does with n T, and read D(n T) experts between them.
TEST(Ranks, ExpertRanksPoolTheTokensOfAllReplicas) {
  const System& s = machine("h100-sxm");
  for (const char* name : {"deepseek-v3", "qwen3-30b-a3b", "gpt-oss-120b", "llama-4-scout"}) {
    Deployment d;
    d.data = d.expert = 8;
    const Step spread = run(model(name), s, d, {{4, 1, 1024, 1}});
    const Step alone = run(model(name), s, {}, {{32, 1, 1024, 1}});
    EXPECT_EQ(spread.totals.tokens, alone.totals.tokens) << name;
    for (const char* op : {"experts_up", "experts_down"}) {
      const Operator* one = spread.find(op);
      const Operator* all = alone.find(op);
      ASSERT_TRUE(one != nullptr && all != nullptr) << name;
      EXPECT_TRUE(near(8 * one->flops, all->flops, 1e-12)) << name << " " << op;
      EXPECT_TRUE(near(8 * one->weight_bytes, all->weight_bytes, 1e-12)) << name << " " << op;
    }
  }
}

// Section 10: 1 + one a mixer + one a feed-forward all-reduces of T d a bytes, and the logits.
TEST(Ranks, CollectivesOfAStep) {
  Deployment d;
  d.tensor = 4;
  const Model& m = model("llama-3.1-8b");
  const Step r = run(m, machine("h100-sxm"), d, {{8, 1, 1024, 1}});
  double reduces = 0, gathered = 0;
  for (const Operator& op : r.ops) {
    if (op.collective == Collective::all_reduce) {
      reduces += op.count;
      EXPECT_EQ(op.payload_bytes, 8 * 4096 * 2) << op.name;
    } else if (op.collective == Collective::all_gather) {
      gathered += op.count * op.payload_bytes;
    }
  }
  EXPECT_EQ(reduces, 1 + 32 + 32);
  EXPECT_EQ(gathered, 8 * 128256 * 2);
  // Rings: 2 (n-1)/n of each all-reduce and (n-1)/n of the logits; 6 and 3 steps.
  EXPECT_EQ(r.totals.network_bytes, 65 * 1.5 * 65536 + 0.75 * 8 * 128256 * 2);
  EXPECT_EQ(r.totals.network_steps, 65 * 6 + 3);
}

}  // namespace
}  // namespace rooflens
