// Measurements from public cases (cases.tsv, measured-traps.md) against their hand answers.
#include "check/check_fixtures.h"

namespace rooflens::check_tests {
namespace {

Scenario one_stream(const std::string& model, const System& system, const vectors::Json& deploy,
                    double context) {
  Scenario s = scenario(model, "", deploy);
  s.system = system;
  s.workload.batch = 1;
  s.workload.context = context;
  return s;
}

// S01, meta-pytorch/gpt-fast#27: 6.61 B body weights of Llama-2-7B x 2 bytes = 13.2 GB a token;
// 1008 / 13.2 = 76 tok/s. 65 is at the roof; 150 counted prompt tokens or a batch.
TEST(Cases, s01_llama_2_7b_bf16_on_rtx_4090) {
  const Scenario s = one_stream("llama-2-7b", device(1008e9, 165e12, 24e9), {}, 0);
  const Diagnosis good = check_one("65 tok/s decode", s);
  EXPECT_NEAR(good.roof_tokens_per_s, 76, 0.5);
  EXPECT_NEAR(good.fraction_of_roof, 0.855, 0.006);
  EXPECT_NEAR(good.achieved_bytes_per_s, 859e9, 1e9);
  EXPECT_EQ(good.standing, Standing::good);
  EXPECT_EQ(good.verdict, Bound::memory);

  const Diagnosis high = check_one("150 tok/s decode", s);
  EXPECT_NEAR(high.fraction_of_roof, 150 / 76.28, 0.002);  // 1.97, never clipped
  EXPECT_EQ(high.verdict, Bound::above_roof);
  EXPECT_EQ(high.standing, Standing::unreachable);
  ASSERT_GE(high.causes.size(), 2U);
  EXPECT_EQ(high.causes[0].tag, "prompt_counted");
  EXPECT_EQ(high.causes[1].tag, "more_streams");
  EXPECT_TRUE(high.causes[0].explains && high.causes[1].explains);
  EXPECT_EQ(high.causes[1].text.amounts[1].value, 2);  // 2 x 76 = 152
  EXPECT_NEAR(cause(high, "lighter_weights")->text.amounts[0].value, 16 / 1.966, 0.02);
  EXPECT_NEAR(high.needs.bytes_per_s, 150 * 13.215e9, 2e9);
  EXPECT_NEAR(high.needs.bytes, 1008e9 / 150, 1);
}

// S15, mlx-examples#1069: the case divides by all 141 GB (83 %); the embedding (1.05 B parameters)
// is not read, which makes it 139.0 GB, 5.75 tok/s, 82 %.
TEST(Cases, s15_llama_70b_fp16_on_m2_ultra) {
  const Scenario s = one_stream("llama-3.1-70b", device(800e9, 27.2e12, 192e9), {}, 66);
  const Diagnosis wired = check_one("4.7 tok/s decode", s);
  EXPECT_NEAR(wired.fraction_of_roof, 0.82, 0.01);
  EXPECT_EQ(wired.standing, Standing::good);
  EXPECT_EQ(wired.verdict, Bound::memory);
  const Diagnosis paged = check_one("0.23 tok/s decode", s);
  EXPECT_NEAR(paged.fraction_of_roof, 0.04, 0.001);
  EXPECT_EQ(paged.standing, Standing::far);
  EXPECT_EQ(paged.verdict, Bound::capacity);
  EXPECT_EQ(paged.causes.front().tag, "slower_memory");
  EXPECT_NEAR(paged.achieved_bytes_per_s, 32e9, 0.5e9);  // 0.23 x 139 GB
}

struct Row {
  const char* id;
  const char* model;
  double bytes_per_s, context;
  const char* claim;
  double fraction, tolerance;
  Standing standing;
};

TEST(Cases, one_stream_decode_from_published_numbers) {
  // The case's fraction; tolerance covers what it rounds or forgets (embedding, KV).
  const Row rows[] = {
      {"U05: 819/141 = 5.8, 41 %", "llama-3.1-70b", 819.2e9, 0, "2.4 tok/s decode", 0.41, 0.01,
       Standing::partial},
      {"U05: 74 %", "llama-3.1-70b", 819.2e9, 0, "4.31 tok/s decode", 0.74, 0.015, Standing::good},
      {"U12: 250 of 300 GB/s", "llama-3.1-8b", 300e9, 0, "16.7 tok/s decode", 0.83, 0.01,
       Standing::good},
      {"A03: roof 144 at batch 1", "mistral-7b-v0.1", 2039e9, 50, "46 tok/s decode", 0.32, 0.005,
       Standing::partial},
      {"trap point 1: 13.215 + 0.034 GB", "llama-2-7b", 100e9, 64, "tg128 6.72 t/s", 0.89, 0.005,
       Standing::good},
      {"trap point 2: 15.01 + 0.034 GB", "llama-3.1-8b", 1008e9, 256, "tg512: 54.84 t/s", 0.82,
       0.005, Standing::good},
  };
  for (const Row& r : rows) {
    SCOPED_TRACE(r.id);
    const Scenario s = one_stream(r.model, device(r.bytes_per_s, 100e12, 200e9), {}, r.context);
    const Diagnosis d = check_one(r.claim, s);
    EXPECT_NEAR(d.fraction_of_roof, r.fraction, r.tolerance);
    EXPECT_EQ(d.standing, r.standing);
    EXPECT_EQ(d.verdict, Bound::memory);
  }
}

// A03: 10 and 60 sequences, 400 and 1800 tok/s: 28 % and 24 % of 1,400 and ~7,500 (whose context
// is not given; 60 sequences of 50 tokens have 8,360).
TEST(Cases, a03_batches) {
  Scenario s = one_stream("mistral-7b-v0.1", device(2039e9, 312e12, 80e9), {}, 50);
  EXPECT_NEAR(check_one("400 tok/s aggregate decode at batch 10", s).fraction_of_roof, 0.28, 0.01);
  EXPECT_NEAR(check_one("1800 tok/s aggregate decode at batch 60", s).fraction_of_roof, 0.24, 0.03);
}

// measured-traps point 5: Q4_0 with 17.19 GB of KV at depth 32768: 0.57, 0.10 if KV is forgotten.
TEST(Cases, depth_is_read) {
  const Scenario s = one_stream("llama-2-7b", device(256e9, 60e12, 128e9),
                                {{"linear", "q4_0"}, {"lm_head", "q6_k"}}, 0);
  const Diagnosis d = check_one("tg32 @ d32768: 6.94 t/s", s);
  EXPECT_EQ(d.context, 32768 + 16);
  EXPECT_NEAR(d.fraction_of_roof, 0.57, 0.005);
}

// M01, vllm#2048: Mixtral-8x7B fp16 on 8x T4, TP 8: 25.8 GB active over 8 x 320 GB/s = 99 tok/s.
TEST(Cases, m01_mixtral_on_eight_t4) {
  Scenario s = scenario("mixtral-8x7b", "", {{"tp", 8}});
  s.system = device(320e9, 65e12, 16e9, 8);
  s.system.device.links.push_back({"PCIe 3.0 x16", 0, 12e9, 0});
  s.workload.context = 0;
  const Diagnosis d = check_one("6 tok/s decode on 8 GPUs", s);
  EXPECT_NEAR(d.roof_tokens_per_s, 100, 2);
  EXPECT_NEAR(d.fraction_of_roof, 0.06, 0.002);
  EXPECT_EQ(d.verdict, Bound::fixed);  // "dispatch and all-reduce latency, not bytes"
}

// measured-traps point 8: Llama-3-8B F16 on RTX 4080, pp512 7,247 = 101 TFLOP/s: 1.04 of the
// FP32-accumulate peak of 97.5, 0.52 of the FP16-accumulate one. Attention (0.13 GFLOP a token of
// 14) adds 1 %.
TEST(Cases, accumulate_type_explains_the_rtx_4080) {
  Scenario s = one_stream("llama-3.1-8b", device(717e9, 97.5e12, 16e9), {}, 0);
  s.deployment.activation = s.deployment.gemm_input = s.deployment.attention = Element::fp16;
  s.system.device.peak_fp16_acc16 = 195e12;
  const Diagnosis d = check_one("pp512 7247 t/s", s);
  EXPECT_NEAR(d.fraction_of_peak, 1.045, 0.01);
  EXPECT_EQ(d.verdict, Bound::above_roof);
  ASSERT_FALSE(d.causes.empty());
  EXPECT_EQ(d.causes.front().tag, "fp16_accumulate");
  EXPECT_NEAR(d.causes.front().text.amounts.back().value, 0.52, 0.01);
}

// measured-traps point 14 and trap 4: a repeated prompt is read from the cache.
TEST(Cases, cached_prompt_is_named_first) {
  Scenario s = one_stream("qwen3-30b-a3b", device(400e9, 28e12, 128e9), {}, 0);
  s.workload.prompt = 35600;
  const Diagnosis d = check_one("1,576,311 tok/s prefill", s);
  EXPECT_GT(d.fraction_of_roof, 100);
  EXPECT_EQ(d.standing, Standing::unreachable);
  EXPECT_EQ(d.causes.front().tag, "cached_prefix");
}

}  // namespace
}  // namespace rooflens::check_tests
