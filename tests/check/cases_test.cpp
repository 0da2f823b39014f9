// Measurements from public cases against their hand answers, where more than the fraction and the
// verdict is looked at; cases.tsv has all of them.
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

// measured-traps point 5: Q4_0 with 17.19 GB of KV at depth 32768: 0.57, 0.10 if KV is forgotten.
TEST(Cases, depth_is_read) {
  const Scenario s = one_stream("llama-2-7b", device(256e9, 60e12, 128e9),
                                {{"linear", "q4_0"}, {"lm_head", "q6_k"}}, 0);
  const Diagnosis d = check_one("tg32 @ d32768: 6.94 t/s", s);
  EXPECT_EQ(d.context, 32768 + 16);
  EXPECT_NEAR(d.fraction_of_roof, 0.57, 0.005);
}

}  // namespace
}  // namespace rooflens::check_tests
