// Laws that hold for every model, machine and step. arithmetic.md sections 1, 7, 14 and 18.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/closed_formulas.h"
#include "core/fixture.h"
#include "rooflens/core/capacity.h"
#include "rooflens/core/place.h"

namespace rooflens {
namespace {

using fixture::format;
using fixture::machine;
using fixture::model;
using fixture::model_names;
using fixture::near;
using fixture::run;
using fixture::Step;
using fixture::stored_as;

// Decode, prefill, a chunk of a long prompt, a verification of three drafts, and a mixed step.
const std::vector<std::vector<Group>>& steps() {
  static const std::vector<std::vector<Group>> all{
      {{1, 1, 1024, 1}},   {{64, 1, 8192, 1}}, {{1, 2048, 0, 1}},
      {{1, 512, 6144, 0}}, {{8, 4, 4096, 4}},  {{16, 1, 4096, 1}, {1, 1024, 0, 1}},
  };
  return all;
}

Deployment fp8_deployment() {
  Deployment d;
  d.gemm_input = Element::fp8;
  d.key_cache = d.value_cache = format("fp8");
  return d;
}

// roof <= operator by operator <= serial <= 2 roof, with vector work, launches and network left
// out, at either fusion; and the roof of compulsory traffic is the lowest of all.
TEST(Properties, RoofOperatorsSerialTwiceRoof) {
  constexpr double kUp = 1 + 1e-12;
  for (const char* hw : {"h100-sxm", "cpu-ddr5-8ch"}) {
    System s = machine(hw);
    s.device.vector_flops_per_s = 0;
    s.device.launch_s = 0;
    for (const std::string& name : model_names()) {
      for (const bool quantised : {false, true}) {
        const Model m = quantised ? stored_as(model(name), "fp8_block128") : model(name);
        for (const Fusion fusion : {Fusion::standard, Fusion::ideal}) {
          Deployment d = quantised ? fp8_deployment() : Deployment{};
          d.fusion = fusion;
          for (const auto& step : steps()) {
            const Step r = run(m, s, d, step);
            const StepTotals& t = r.totals;
            const double bytes = fusion == Fusion::ideal ? t.ideal_bytes : t.bytes;
            const double roof = position_of(t, r.ceilings, bytes).roof_seconds;
            const std::string where = name + " on " + hw;
            EXPECT_GT(t.roof_seconds, 0) << where;
            EXPECT_LE(t.roof_seconds, roof * kUp) << where;
            EXPECT_LE(roof, t.operator_seconds * kUp) << where;
            EXPECT_LE(t.operator_seconds, t.serial_seconds * kUp) << where;
            EXPECT_LE(t.serial_seconds, 2 * roof * kUp) << where;
            EXPECT_EQ(t.step_seconds, t.operator_seconds) << where;
          }
        }
      }
    }
  }
}

// Section 1: the matrix FLOPs of a prefill are those of its chunks, exactly; the weights are read
// once a chunk. A delta-rule chunk of 63 makes 2C^2/3 a whole number, so that sums are exact.
TEST(Properties, ChunksHaveTheFlopsOfTheWholePrefill) {
  Deployment d;
  d.latent = LatentMode::absorb;
  d.delta_chunk = 63;
  const System& s = machine("h100-sxm");
  for (const std::string& name : model_names()) {
    const Model& m = model(name);
    const Step whole = run(m, s, d, {{1, 3000, 0, 1}});
    for (const double chunk : {512.0, 700.0, 1499.0}) {
      double flops = 0, weights = 0;
      for (double done = 0; done < 3000; done += chunk) {
        const double now = std::min(chunk, 3000 - done);
        const double logits = done + now >= 3000 ? 1 : 0;
        const Step part = run(m, s, d, {{1, now, done, logits}});
        flops += part.totals.flops;
        weights += part.totals.weight_bytes;
      }
      EXPECT_EQ(flops, whole.totals.flops) << name << " in chunks of " << chunk;
      EXPECT_GT(weights, 2 * whole.totals.weight_bytes) << name;
    }
  }
}

// As the batch grows a step reads every weight it holds except the embedding table, of which it
// looks up rows: one a token, at most all of them. A tied table is the head and is read whole.
TEST(Properties, WeightsReadAtLargeBatchAreThoseHeld) {
  const System& s = machine("h100-sxm");
  for (const std::string& name : model_names()) {
    for (const char* stored : {"bf16", "fp8_block128b", "awq4_g128"}) {
      const Model m = stored_as(model(name), stored);
      const double row = 2 * m.hidden;
      const double held = weight_bytes(m, {}) - (m.tied ? 0 : m.vocabulary * row);
      const double huge = 1e9;
      const Step all = run(m, s, {}, {{huge, 1, 1, 1}});
      EXPECT_TRUE(near(all.totals.weight_bytes, held + m.vocabulary * row, 1e-12))
          << name << " " << stored;
      const double few = 16384;  // enough for every expert (at least k of E each), fewer than rows
      const Step some = run(m, s, {}, {{few, 1, 1, 1}});
      EXPECT_TRUE(near(some.totals.weight_bytes, held + few * row, 1e-12)) << name << " " << stored;
    }
  }
}

// The operators of a dense layer and the closed formula are the same arithmetic.
TEST(Properties, ProjectionsHaveTheIntensityOfTheClosedFormula) {
  const System& s = machine("h100-nvl-seed");
  Deployment d;
  d.gemm_input = Element::fp8;
  for (const double tokens : {1.0, 8.0, 214.0, 2048.0}) {
    const Step plain = run(model("llama-3.1-8b"), s, d, {{tokens, 1, 1024, 1}});
    const Operator* up = plain.find("gate_up");
    ASSERT_NE(up, nullptr);
    EXPECT_NEAR(up->flops / up->bytes(), gemm_intensity(tokens, 2 * 14336, 4096, 2, 2, 2), 1e-9);
    const Step fp8 = run(stored_as(model("qwen3.6-27b"), "fp8"), s, d, {{tokens, 1, 1024, 1}});
    up = fp8.find("gate_up");
    ASSERT_NE(up, nullptr);
    EXPECT_NEAR(up->flops / up->bytes(), gemm_intensity(tokens, 2 * 17408, 5120, 1, 1, 2), 1e-9);
  }
}

TEST(Properties, TwiceTheMachineHalvesEveryTime) {
  System slow = machine("h100-sxm");
  slow.device.links = {{"pair", 2, 300e9, 0}, {"box", 0, 64e9, 0}};
  System fast = slow;
  for (double& p : fast.device.peak) p *= 2;
  fast.device.vector_flops_per_s *= 2;
  fast.device.bytes_per_s *= 2;
  for (Link& l : fast.device.links) l.bytes_per_s *= 2;
  for (const std::string& name : model_names()) {
    for (const int tensor : {1, 8}) {
      Deployment d;
      d.tensor = tensor;
      for (const auto& step : steps()) {
        const StepTotals a = run(model(name), slow, d, step).totals;
        const StepTotals b = run(model(name), fast, d, step).totals;
        // Powers of two: exact to the last bit.
        EXPECT_EQ(a.compute_seconds, 2 * b.compute_seconds) << name;
        EXPECT_EQ(a.memory_seconds, 2 * b.memory_seconds) << name;
        EXPECT_EQ(a.traffic_seconds, 2 * b.traffic_seconds) << name;
        EXPECT_EQ(a.network_seconds, 2 * b.network_seconds) << name;
        EXPECT_EQ(a.network_roof_seconds, 2 * b.network_roof_seconds) << name;
        EXPECT_EQ(a.roof_seconds, 2 * b.roof_seconds) << name;
        EXPECT_EQ(a.operator_seconds, 2 * b.operator_seconds) << name;
        EXPECT_EQ(a.serial_seconds, 2 * b.serial_seconds) << name;
        EXPECT_EQ(a.step_seconds, 2 * b.step_seconds) << name;
        EXPECT_EQ(a.intensity, b.intensity) << name;
        EXPECT_EQ(a.network_seconds > 0, tensor > 1) << name;
        EXPECT_LE(a.network_roof_seconds, a.network_seconds * (1 + 1e-12)) << name;
      }
    }
  }
}

// Chunked-local layers start a chunk anew, so contexts are compared at one place of the chunk
// (8192 tokens in llama-4-scout).
TEST(Properties, MoreContextIsNeverFaster) {
  const System& s = machine("h100-sxm");
  for (const std::string& name : model_names()) {
    for (const double tokens : {1.0, 4.0, 512.0}) {
      StepTotals before;
      for (const double context : {1.0, 8193.0, 16385.0, 65537.0, 131073.0}) {
        const StepTotals t = run(model(name), s, {}, {{8, tokens, context, tokens}}).totals;
        EXPECT_GE(t.roof_seconds, before.roof_seconds) << name << " " << tokens << " " << context;
        EXPECT_GE(t.operator_seconds, before.operator_seconds)
            << name << " " << tokens << " " << context;
        EXPECT_GE(t.serial_seconds, before.serial_seconds)
            << name << " " << tokens << " " << context;
        EXPECT_GE(t.flops, before.flops) << name << " " << tokens << " " << context;
        before = t;
      }
    }
  }
}

TEST(Properties, Fp8CacheIsNeverSlowerAndKeepsTheComputeType) {
  const System& s = machine("h100-sxm");
  Deployment fp8;
  fp8.key_cache = fp8.value_cache = format("fp8");
  for (const std::string& name : model_names()) {
    for (const auto& step : steps()) {
      const Step wide = run(model(name), s, {}, step);
      const Step narrow = run(model(name), s, fp8, step);
      EXPECT_LE(narrow.totals.roof_seconds, wide.totals.roof_seconds) << name;
      EXPECT_LE(narrow.totals.operator_seconds, wide.totals.operator_seconds) << name;
      EXPECT_LE(narrow.totals.step_seconds, wide.totals.step_seconds) << name;
      EXPECT_LE(narrow.totals.bytes, wide.totals.bytes) << name;
      EXPECT_EQ(narrow.totals.flops, wide.totals.flops) << name;
      const Operator* core = narrow.find("attn");
      if (core != nullptr) {  // the cache is dequantised
        EXPECT_EQ(core->compute, Compute::bf16) << name;
      }
    }
    const Capacity a = capacity(model(name), {}, 1e13, 1, 8192);
    const Capacity b = capacity(model(name), fp8, 1e13, 1, 8192);
    EXPECT_GE(b.max_batch, a.max_batch) << name;
  }
}

bool same(const Operator& a, const Operator& b) {
  return std::string(a.name) == b.name && a.count == b.count && a.layer == b.layer &&
         a.flops == b.flops && a.vector_flops == b.vector_flops &&
         a.weight_bytes == b.weight_bytes && a.bytes() == b.bytes() &&
         a.collective == b.collective && a.payload_bytes == b.payload_bytes;
}

// Whatever the room: the operators that fit, nothing past them, and the number wanted.
TEST(Properties, LowerKeepsWithinItsSpan) {
  Deployment d;
  d.tensor = 2;
  d.pipeline = 2;
  const Ceilings c = ceilings(machine("h100-sxm"), d);
  const std::vector<Group> step{{8, 1, 1024, 1}};
  for (const std::string& name : model_names()) {
    const Model& m = model(name);
    std::vector<Operator> all(operator_capacity(m));
    const std::size_t wanted = lower(m, d, c, step, all);
    ASSERT_LE(wanted, all.size()) << name << ": operator_capacity is no bound";
    EXPECT_EQ(lower(m, d, c, step, {}), wanted) << name;
    for (std::size_t room = 0; room < wanted; room += 3) {
      std::vector<Operator> some(wanted + 1);
      for (Operator& op : some) op.name = "untouched";
      EXPECT_EQ(lower(m, d, c, step, {some.data(), room}), wanted) << name << " " << room;
      for (std::size_t i = 0; i < some.size(); ++i) {
        if (i < room) {
          EXPECT_TRUE(same(some[i], all[i])) << name << " " << some[i].name;
        } else {
          EXPECT_STREQ(some[i].name, "untouched") << name << " " << room << " " << i;
        }
      }
    }
  }
}

// The longest layer there can be, alone, in a pipeline: 1 embedding, 4 norms, 10 of latent
// attention with an index, 10 of experts with a latent space and a shared expert, 3 of the head, 1
// send.
TEST(Properties, OperatorCapacityOfTheLongestLayer) {
  Model m;
  m.hidden = 1024;
  m.vocabulary = 1000;
  Layer layer;
  layer.mixer = LatentAttention{16, 256, 128, 32, 16, 32, {4, 32, 64}};
  MixtureOfExperts moe;
  moe.experts = 8;
  moe.active = 2;
  moe.width = 256;
  moe.shared_width = 256;
  moe.latent = 512;
  layer.ffn = moe;
  layer.mixer_norms = layer.ffn_norms = 2;
  m.layers = {layer};
  m.order = {0};
  Deployment d;
  d.pipeline = 2;
  const Ceilings c = ceilings(machine("h100-sxm"), d);
  const Group g{1, 1, 10, 1};
  const std::size_t n = lower(m, d, c, {&g, 1}, {});
  EXPECT_EQ(n, 1U + 4 + 10 + 10 + 3 + 1);
  EXPECT_LE(n, operator_capacity(m));
}

TEST(Properties, LowerAndPlaceDoNotAllocate) {
  const System& s = machine("h100-sxm");
  const std::vector<Group> step{{8, 4, 4096, 4}, {1, 512, 0, 1}};
  const std::size_t start = fixture::allocations();
  std::vector<Operator> one(1);
  ASSERT_GT(fixture::allocations(), start) << "allocations are not counted";
  for (const std::string& name : model_names()) {
    Deployment d;
    d.tensor = 2;
    d.data = d.expert = 4;
    d.zipf = 1;
    const Model& m = model(name);
    const Ceilings c = ceilings(s, d);
    std::vector<Operator> ops(operator_capacity(m));
    std::vector<Placed> placed(ops.size());
    const std::size_t before = fixture::allocations();
    const std::size_t n = lower(m, d, c, step, ops);
    const StepTotals t = place(d, c, step, {ops.data(), n}, {placed.data(), n});
    EXPECT_EQ(fixture::allocations(), before) << name;
    EXPECT_GT(t.step_seconds, 0) << name;
  }
}

}  // namespace
}  // namespace rooflens
