// Whole scenarios: the published bars, chunks, drafts, pipelines and replicas, and what fits.
// Figures called "vector" are those of tests/vectors.json, made by an independent implementation.
#include "rooflens/core/analyze.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/fixture.h"
#include "rooflens/core/nearest_fit.h"
#include "rooflens/core/place.h"

namespace rooflens {
namespace {

using fixture::format;
using fixture::machine;
using fixture::model;
using fixture::near;
using fixture::stored_as;

constexpr double kClose = 1e-9;

Scenario scenario(const char* name, const char* hw) {
  Scenario s;
  s.model = model(name);
  s.system = machine(hw);
  return s;
}

void expect_near(double got, double want, double relative, const char* what) {
  EXPECT_TRUE(near(got, want, relative)) << what << ": " << got << " for " << want;
}

// Issue 2's bar: roof of Llama-3.1-8B in bf16 on H100 SXM.
TEST(Analyze, LlamaOnH100AsTheBarSays) {
  Scenario s = scenario("llama-3.1-8b", "h100-sxm");
  s.workload.prompt = 2048;
  s.workload.context = 4096;
  ASSERT_TRUE(validate(s).has_value());
  const Analysis one = analyze(s, {});
  expect_near(one.decode.totals.roof_seconds, 4.64e-3, 0.006, "decode, batch 1");
  expect_near(one.prefill.totals.roof_seconds, 30.0e-3, 0.006, "prefill 2048");
  EXPECT_EQ(one.decode.totals.bound, Bound::memory);
  EXPECT_EQ(one.prefill.totals.bound, Bound::compute);
  s.workload.batch = 8;
  expect_near(analyze(s, {}).decode.totals.roof_seconds, 5.76e-3, 0.006, "decode, batch 8");
  // The same by hand: 7,504,924,672 weights without the table, 8 rows of it, and 4,097 tokens of
  // 131,072 B read and one written, per sequence.
  const double bytes = 2 * 7504924672.0 + 8 * (4096 * 2 + 4098 * 131072.0);
  expect_near(analyze(s, {}).decode.totals.roof_seconds, bytes / 3.35e12, kClose, "by hand");
}

TEST(Analyze, RatesFollowFromTheTimes) {
  Scenario s = scenario("llama-3.1-8b", "h100-sxm");
  s.workload.batch = 16;
  s.workload.prompt = 1000;
  s.workload.output = 301;
  s.workload.prefill_batch = 2;
  const Analysis a = analyze(s, {});
  EXPECT_EQ(decode_context(s.workload), 1150);  // the middle of the answer
  EXPECT_EQ(a.decode.emitted_tokens, 16);
  EXPECT_EQ(a.prefill.emitted_tokens, 2000);
  EXPECT_EQ(a.decode.sequences, 16);
  EXPECT_EQ(a.prefill.sequences, 2);
  EXPECT_DOUBLE_EQ(a.decode.roof_tokens_per_s, 16 / a.decode.totals.roof_seconds);
  EXPECT_DOUBLE_EQ(a.decode.operator_tokens_per_s, 16 / a.decode.totals.step_seconds);
  EXPECT_DOUBLE_EQ(a.prefill.roof_tokens_per_s, 2000 / a.prefill.totals.roof_seconds);
  // Without an efficiency what is expected is the operator model itself.
  EXPECT_DOUBLE_EQ(a.decode.expected_tokens_per_s.mid, a.decode.operator_tokens_per_s);
  const Phase again = decode_at(a, 16, 1150);
  EXPECT_EQ(again.totals.step_seconds, a.decode.totals.step_seconds);
}

// ---- chunks and prefixes ------------------------------------------------------------------------

TEST(Analyze, StepsOfAPrefill) {
  Workload w;
  w.prompt = 5000;
  w.chunk = 2048;
  w.prefill_batch = 3;
  std::vector<Group> steps = prefill_steps(w);
  const std::vector<Group> want{{3, 2048, 0, 0}, {3, 2048, 2048, 0}, {3, 904, 4096, 1}};
  ASSERT_EQ(steps.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(steps[i].sequences, want[i].sequences);
    EXPECT_EQ(steps[i].tokens, want[i].tokens);
    EXPECT_EQ(steps[i].cached, want[i].cached);
    EXPECT_EQ(steps[i].logits, want[i].logits);
  }
  w.cached_prefix = 4000;
  w.chunk = 1000;  // what is left is one chunk
  steps = prefill_steps(w);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].tokens, 1000);
  EXPECT_EQ(steps[0].cached, 4000);
  EXPECT_EQ(steps[0].logits, 1);
}

TEST(Analyze, CachedPrefixIsTheVectorOfAChunk) {
  Scenario s = scenario("llama-3.1-8b", "h100-sxm");
  s.workload.prompt = 8192;
  s.workload.cached_prefix = 6144;
  const StepTotals t = analyze(s, {}).prefill.totals;  // vector chunk-t2048-p6144
  expect_near(t.flops, 36285471260672, kClose, "F");
  expect_near(t.vector_flops, 83598362880, kClose, "V");
  expect_near(t.weight_bytes, 15026626560, kClose, "w");
  expect_near(t.activation_bytes, 21559243776, kClose, "act");
  expect_near(t.kv_read_bytes, 1073741824, kClose, "kvr");
}

TEST(Analyze, ChunkedPrefillSumsItsSteps) {
  Scenario s = scenario("llama-3.1-8b", "h100-sxm");
  s.workload.prompt = 8192;
  const Phase whole = analyze(s, {}).prefill;
  s.workload.chunk = 2048;
  const Phase p = analyze(s, {}).prefill;
  EXPECT_EQ(p.steps, 4);
  EXPECT_EQ(p.emitted_tokens, 8192);
  EXPECT_EQ(p.totals.tokens, 8192);
  EXPECT_EQ(p.totals.flops, whole.totals.flops);
  // The layers' weights (all but table and head) four times, the head once, a row a token.
  const double layers = 2 * (7504924672.0 - 525336576.0);
  expect_near(p.totals.weight_bytes, 4 * layers + 2 * 525336576.0 + 8192 * 8192.0, kClose, "w");
  // Chunks at 0, 2048, 4096, 6144 read 2, 4, 6, 8 thousand (2^10) keys of 131,072 B.
  expect_near(p.totals.kv_read_bytes, 20480 * 131072.0, kClose, "kvr");
  expect_near(p.totals.kv_write_bytes, 8192 * 131072.0, kClose, "kvw");
  double roof = 0, operators = 0, bytes = 0;
  for (const Group& g : prefill_steps(s.workload)) {
    const StepTotals t = fixture::run(s.model, s.system, s.deployment, {g}).totals;
    roof += t.roof_seconds;
    operators += t.operator_seconds;
    bytes += t.ideal_bytes;
  }
  expect_near(p.totals.roof_seconds, roof, kClose, "each chunk has a roof of its own");
  expect_near(p.totals.operator_seconds, operators, kClose, "operators");
  expect_near(p.totals.intensity, p.totals.flops / bytes, kClose, "intensity");
  double flops = 0, seconds = 0, heads = 0;
  for (std::size_t i = 0; i < p.operators.size(); ++i) {
    flops += p.operators[i].count * p.operators[i].flops;
    seconds += p.operators[i].count * p.placed[i].seconds;
    heads += std::string(p.operators[i].name) == "lm_head" ? 1 : 0;
  }
  expect_near(flops, p.totals.flops, kClose, "the operators' FLOPs");
  expect_near(seconds, p.totals.operator_seconds, kClose, "the operators' time");
  EXPECT_EQ(heads, 1);
}

// A summed operator is named after what its bytes and FLOPs together take longest for: the first
// chunk's attention is memory-bound (512 tokens: 2.2 us of matrix work, 3.1 us of traffic), the sum
// over 16k is not.
TEST(Analyze, BoundOfAnOperatorOverItsChunks) {
  Scenario s = scenario("llama-3.1-8b", "h100-sxm");
  s.workload.prompt = 16384;
  s.workload.chunk = 512;
  ASSERT_EQ(prefill_steps(s.workload).size(), 32U);
  for (const Fusion fusion : {Fusion::standard, Fusion::ideal}) {
    s.deployment.fusion = fusion;
    const Analysis a = analyze(s, {});
    for (std::size_t i = 0; i < a.prefill.operators.size(); ++i) {
      const Operator& op = a.prefill.operators[i];
      const Placed& at = a.prefill.placed[i];
      const double bytes = bytes_under(op, fusion);
      const double memory = bytes / 3.35e12, vector = op.vector_flops / 66.9e12;
      const double compute = op.flops / 989.4e12;
      const Bound want = compute > std::max(memory, vector) ? Bound::compute
                         : vector > memory                  ? Bound::vector
                                                            : Bound::memory;
      EXPECT_EQ(at.bound, want) << op.name << ": " << name_of(at.bound);
      if (bytes > 0) expect_near(at.intensity, op.flops / bytes, kClose, op.name);
      if (std::string(op.name) == "attn") {
        EXPECT_EQ(at.bound, Bound::compute);
      }
    }
  }
}

// ---- drafts -------------------------------------------------------------------------------------

TEST(Analyze, VerificationOfDrafts) {
  Scenario s = scenario("llama-3.1-70b", "h200");
  s.model = stored_as(s.model, "fp8_channel");
  s.deployment.gemm_input = Element::fp8;
  s.workload.batch = 8;
  s.workload.context = 4096;
  s.workload.drafts = 3;
  s.workload.acceptance = 0.8;
  const Phase p = analyze(s, {}).decode;  // vector verify-B8-L4096-g3
  expect_near(p.totals.flops, 4791916822528, kClose, "F");
  expect_near(p.totals.vector_flops, 4026818560, kClose, "V");
  expect_near(p.totals.kv_read_bytes, 10747904000, kClose, "kvr");
  EXPECT_EQ(p.totals.tokens, 32);
  // 1 + .8 + .64 + .512 tokens leave each sequence a step.
  expect_near(p.emitted_tokens, 8 * 2.952, kClose, "emitted");
  expect_near(p.roof_tokens_per_s, 8 * 2.952 / p.totals.roof_seconds, kClose, "rate");
  EXPECT_EQ(p.sequences, 8);
}

// ---- pipelines and replicas ---------------------------------------------------------------------

// Two stages, 8 sequences: two microbatches of 4 are in flight, each passes through all layers, and
// 8 tokens leave in the time of one pass.
TEST(Analyze, PipelineDecodesInMicrobatches) {
  Scenario s = scenario("llama-3.1-8b", "h100-sxm");
  s.workload.batch = 4;
  s.workload.context = 1024;
  const Phase pass = analyze(s, {}).decode;
  s.workload.batch = 8;
  s.system.count = s.deployment.pipeline = 2;
  ASSERT_TRUE(validate(s).has_value());
  Phase p = analyze(s, {}).decode;
  EXPECT_EQ(p.emitted_tokens, 8);
  EXPECT_EQ(p.sequences, 8);
  EXPECT_EQ(p.bubble, 0);
  EXPECT_EQ(p.totals.flops, pass.totals.flops);
  EXPECT_EQ(p.totals.roof_seconds, pass.totals.roof_seconds);
  // Hidden state and residual to the next stage: 2 x 4 x 4096 x 2 B over 450 GB/s.
  expect_near(p.totals.network_seconds, 2.0 * 4 * 4096 * 2 / 450e9, kClose, "send");
  expect_near(p.totals.step_seconds, pass.totals.step_seconds + p.totals.network_seconds, kClose,
              "step");
  s.workload.batch = 1;  // one sequence cannot fill two stages
  p = analyze(s, {}).decode;
  EXPECT_EQ(p.emitted_tokens, 1);
  EXPECT_EQ(p.sequences, 1);
  EXPECT_EQ(p.bubble, 0.5);
}

// One prompt through four stages: no faster than one pass, (pp-1)/(m+pp-1) = 3/4 of the slots idle.
TEST(Analyze, PipelineDoesNotShortenAPrefill) {
  Scenario s = scenario("llama-3.1-8b", "h100-sxm");
  s.workload.prompt = 2048;
  const Phase pass = analyze(s, {}).prefill;
  s.system.count = s.deployment.pipeline = 4;
  const Phase p = analyze(s, {}).prefill;
  EXPECT_EQ(p.totals.roof_seconds, pass.totals.roof_seconds);
  EXPECT_EQ(p.emitted_tokens, 2048);
  EXPECT_EQ(p.bubble, 0.75);
  expect_near(p.totals.network_seconds, 3 * 2.0 * 2048 * 4096 * 2 / 450e9, kClose, "sends");
}

// Two replicas of a whole model: each decodes half of the batch, and both prefill a prompt.
TEST(Analyze, ReplicasShareTheBatch) {
  Scenario s = scenario("llama-3.1-8b", "h100-sxm");
  s.workload.batch = 4;
  const Analysis one = analyze(s, {});
  s.workload.batch = 8;
  s.system.count = s.deployment.data = 2;
  s.system.device.links.clear();  // they never talk
  ASSERT_TRUE(validate(s).has_value());
  const Analysis two = analyze(s, {});
  EXPECT_EQ(two.decode.totals.step_seconds, one.decode.totals.step_seconds);
  EXPECT_EQ(two.decode.emitted_tokens, 8);
  EXPECT_EQ(two.decode.totals.tokens, 8);
  EXPECT_EQ(two.prefill.emitted_tokens, 2 * one.prefill.emitted_tokens);
  EXPECT_EQ(two.decode.totals.network_bytes, 0);
  EXPECT_EQ(two.memory.max_batch, 2 * one.memory.max_batch);
}

// ---- what fits ----------------------------------------------------------------------------------

TEST(Capacity, LargestBatchFitsAndOneMoreDoesNot) {
  for (const char* name : {"llama-3.1-8b", "qwen3.6-27b", "gemma-3-27b", "mamba2-2.7b"}) {
    for (const int replicas : {1, 2}) {
      for (const double context : {1024.0, 8191.0, 8193.0}) {
        Deployment d;
        d.data = replicas;
        const auto at = [&](double batch, double length) {
          return capacity(model(name), d, 94e9, batch, length);
        };
        const Capacity c = at(1, context);
        ASSERT_GE(c.max_batch, replicas) << name;
        EXPECT_TRUE(at(c.max_batch, context).fits) << name << " " << c.max_batch;
        EXPECT_FALSE(at(c.max_batch + 1, context).fits) << name << " " << c.max_batch;
        const double batch = 7;  // four on the busier of two replicas
        const Capacity seven = at(batch, context);
        if (!std::isfinite(seven.max_context)) {
          EXPECT_STREQ(name, "mamba2-2.7b")
              << "only a model without a cache has no longest context";
          continue;
        }
        EXPECT_TRUE(at(batch, seven.max_context).fits) << name << " " << seven.max_context;
        EXPECT_FALSE(at(batch, seven.max_context + 1).fits) << name << " " << seven.max_context;
      }
    }
  }
}

// 80 GB x 0.9 = 72 GB; weights 2 x 70,553,706,496 B; activations 8192 x 2 x (2 x 8192 + 2 x 28672).
TEST(Capacity, NearestFitOfWeightsThatAreTooLarge) {
  Scenario s = scenario("llama-3.1-70b", "h100-sxm");
  const NearestFit n = nearest_fit(s, 1024);
  const double activations = 8192.0 * 2 * (2 * 8192 + 2 * 28672);
  expect_near(n.missing_bytes, 2 * 70553706496.0 + activations + 1.5e9 + 1024 * 327680.0 - 72e9,
              kClose, "missing");
  EXPECT_FALSE(n.batch.has_value());
  EXPECT_FALSE(n.context.has_value());
  // Two ranks hold 70.6 GB each, four 35.3 GB. The bf16 table and head (4.2 GB) keep FP8 at 72.7
  // GB.
  EXPECT_EQ(n.devices, 4);
  EXPECT_EQ(n.weights, "int4sym_g128");
  EXPECT_FALSE(n.kv.has_value()) << "the cache is not what is too large";
}

// The 8B at 8192 tokens of 131,072 B: 72 - 16.061 - 0.604 - 1.5 GB are 50 sequences, or 100 in fp8.
TEST(Capacity, NearestFitOfABatchThatIsTooLarge) {
  Scenario s = scenario("llama-3.1-8b", "h100-sxm");
  s.workload.batch = 64;
  const double free = 72e9 - 2 * 8030261248.0 - 8192.0 * 2 * (2 * 4096 + 2 * 14336) - 1.5e9;
  const NearestFit n = nearest_fit(s, 8192);
  expect_near(n.missing_bytes, 64 * 8192 * 131072.0 - free, kClose, "missing");
  EXPECT_EQ(n.batch, std::floor(free / (8192 * 131072.0)));
  EXPECT_EQ(n.batch, 50);
  EXPECT_EQ(n.context, 16 * std::floor(free / 64 / 131072 / 16));  // whole pages
  EXPECT_EQ(n.devices, 2);
  EXPECT_EQ(n.kv, "fp8");
  EXPECT_FALSE(n.weights.has_value()) << "8 GB less are not enough: 64 need 68.7 of 53.8 + 8 or 12";
}

TEST(Capacity, WhatFitsMissesNothing) {
  Scenario s = scenario("llama-3.1-8b", "h100-sxm");
  EXPECT_LE(nearest_fit(s, 8192).missing_bytes, 0);
  EXPECT_TRUE(analyze(s, {}).memory.fits);
}

}  // namespace
}  // namespace rooflens
