// "3288 tok/s prefill, 108 tok/s decode" on the founding box: arithmetic.md section 15 and the
// hypotheses of seed-cases.json.
//
// Both of those take the roof at standard fusion (activations written and read once per operator);
// the product's roof counts compulsory bytes only (weights, KV, state) and is higher wherever
// memory binds. Expected values here are section 15's own, times traffic / compulsory bytes, from
// the vectors' step components:
//   27B, B = 8, L = 1024, one GPU (step/qwen3.6-27b/.../decode-B8-L8192 and -B1-L1024):
//     weights 26,925,288,448 + KV read 8 * 67,174,400 + KV written 524,288 + state 2,463,105,024
//     = 29,926,312,960 compulsory; + activations 213,319,680 = 30,139,632,640
//     = section 15's 406.885 GB/s * 2/27 s.
//   27B, TP 4 (decode-B8-L8192-tp4; 16,384 B of KV per token and sequence on a rank):
//     6,732,395,776 + 8 * 1,025 * 16,384 + 131,072 + 615,776,256 = 7,482,651,904;
//     + 99,901,440 = 7,582,553,344 = 102.364 GB/s * 2/27 s.
//   35B-A3B, one GPU: 148.337 GB/s * 2/27 s = 10,987,940,223 in all; activations 11,101,776 per
//     sequence (decode-B64: 710,513,664 / 64), so 10,899,126,015 compulsory.
//   35B-A3B prefill of 1024 (prefill-B1-S2048; 4,096 B of embedding row a token less, KV halved):
//     34,695,054,080 + 41,943,040 + 64,389,120 = 34,801,386,240 compulsory.
#include <nlohmann/json.hpp>

#include "check/check_fixtures.h"
#include "rooflens/check/compare.h"
#include "rooflens/core/place.h"

namespace rooflens::check_tests {
namespace {

constexpr double kBandwidth = 3.9e12;
constexpr const char* kClaim = "3288 tok/s prefill, 108 tok/s decode at batch 8";

Scenario founding_box(const std::string& model, int gpus) {
  Scenario s = scenario(model, "h100-nvl-seed",
                        {{"linear", "fp8_block128b"}, {"gemm_in", "fp8"}, {"tp", gpus}});
  s.workload.batch = 8;
  s.workload.prompt = s.workload.context = 1024;
  s.workload.output = 128;
  return s;
}

TEST(FoundingPair, hypotheses_of_the_seed_cases_at_standard_fusion) {
  std::ifstream in(ROOFLENS_SOURCE_DIR "/tests/seed-cases.json");
  const auto file = nlohmann::json::parse(in, nullptr, false);
  ASSERT_TRUE(file.contains("hypotheses_for_measured_pair"));
  for (const auto& h : file["hypotheses_for_measured_pair"]) {
    const int gpus = h["gpus"];
    SCOPED_TRACE(h["model"].get<std::string>() + " on " + std::to_string(gpus));
    const Scenario s = founding_box(h["model"], gpus);
    const Analysis a = analyze(s, Efficiency{});
    const auto d = check(kClaim, s);
    ASSERT_EQ(d.size(), 2U);
    const double e = 1e-9;
    const auto near = [&](double got, const char* key) {
      const double want = h[key];
      EXPECT_NEAR(got, want, e * want) << key;
    };
    near(d[0].achieved_flops_per_s / 1e12, "prefill_achieved_tflops_per_gpu");
    near(d[0].fraction_of_peak, "prefill_fraction_of_compute_roof");
    near(d[1].step_seconds * 1e3, "decode_step_ms");
    near(d[1].achieved_traffic_bytes_per_s / 1e9, "decode_achieved_GBps_per_gpu");
    near(d[1].achieved_traffic_bytes_per_s / kBandwidth, "decode_fraction_of_bandwidth_roof");
    const StepTotals& p = a.prefill.totals;
    const StepTotals& t = a.decode.totals;
    near(1024 / position_of(p, a.ceilings, p.bytes).roof_seconds, "prefill_roof_tok_s");
    near(8 / position_of(t, a.ceilings, t.bytes).roof_seconds, "decode_roof_tok_s");
    near(position_of(t, a.ceilings, t.bytes).fraction_of_ridge, "decode_ridge_fraction");
    // The product's roof is never below that, and at most by the activations above it: 0.7 % on one
    // GPU, 2 % for the MoE on four, whose activations tensor parallelism does not divide.
    EXPECT_GE(d[0].roof_tokens_per_s, h["prefill_roof_tok_s"].get<double>() * (1 - e));
    EXPECT_GE(d[1].roof_tokens_per_s, h["decode_roof_tok_s"].get<double>());
    EXPECT_LE(d[1].roof_tokens_per_s, h["decode_roof_tok_s"].get<double>() * 1.025);
  }
}

TEST(FoundingPair, dense_27b_on_one_gpu) {
  const Scenario s = founding_box("qwen3.6-27b", 1);
  const auto d = check(kClaim, s);
  ASSERT_EQ(d.size(), 2U);
  const Diagnosis &p = d[0], &t = d[1];

  EXPECT_NEAR(p.roof_tokens_per_s, 33401.5, 0.1);
  EXPECT_NEAR(p.fraction_of_roof, 0.0984, 5e-5);  // 3288 / 33401
  EXPECT_NEAR(p.achieved_flops_per_s, 162.2e12, 0.05e12);
  EXPECT_GT(p.fraction_of_ridge, 1);
  EXPECT_EQ(p.roof_bound, Bound::compute);

  const double roof = 8 / (29926312960.0 / kBandwidth);  // 1042.6; section 15: 1,035
  EXPECT_NEAR(t.roof_tokens_per_s, roof, 1e-6 * roof);
  EXPECT_NEAR(t.fraction_of_roof, 0.104, 5e-4);        // both round to 10.4 %
  EXPECT_NEAR(t.fraction_of_operators, 0.1043, 5e-5);  // standard fusion: section 15's number
  EXPECT_NEAR(t.step_seconds, 8.0 / 108, 1e-12);       // 74 ms
  EXPECT_NEAR(t.operator_seconds, 7.73e-3, 5e-6);      // "7.7 ms"
  EXPECT_NEAR(t.gap.fixed, 0.0741 - 0.0077, 1e-4);
  EXPECT_NEAR(t.headroom_tokens_per_s, roof - 108, 1e-3);
  EXPECT_EQ(t.roof_bound, Bound::memory);
  // The shortfall is overhead, not bandwidth - unless 108 is per stream.
  EXPECT_EQ(t.verdict, Bound::fixed);
  EXPECT_EQ(t.standing, Standing::far);
  ASSERT_FALSE(t.causes.empty());
  EXPECT_EQ(t.causes.front().tag, "per_stream");

  const Reading* stream = reading(t, "per_stream");
  ASSERT_NE(stream, nullptr);
  EXPECT_NEAR(stream->fraction, 8 * 108 / roof, 1e-6);
  EXPECT_NEAR(stream->fraction, 0.83, 0.005);  // section 15: 83
  EXPECT_NEAR(stream->tokens_per_s, 864, 1e-9);
  EXPECT_TRUE(stream->plausible);
  const Reading* wall = reading(t, "same_wall");
  ASSERT_NE(wall, nullptr);
  EXPECT_NEAR(wall->fraction, 3288 / 33401.5 + 108 / roof, 1e-6);
  EXPECT_NEAR(wall->fraction, 0.2028, 0.001);  // section 15: 20.3 at standard fusion, here 20.2
  ASSERT_NE(reading(p, "same_wall"), nullptr);
  EXPECT_EQ(reading(p, "same_wall")->fraction, wall->fraction);
  EXPECT_EQ(t.readings.front().tag, "aggregate");

  const auto c = compare(d, analyze(s, Efficiency{}));
  ASSERT_TRUE(c);
  EXPECT_NEAR(c->ratio_of_rates, 30.4, 0.05);
  EXPECT_NEAR(c->ratio_of_roofs, 32, 0.1);
  std::string remarks;
  for (const Sentence& r : c->remarks) remarks += r.text + "\n";
  EXPECT_NE(remarks.find("like share of their own roofs"), std::string::npos);
  EXPECT_NE(remarks.find("does not show that prefill is near its roof"), std::string::npos);
  EXPECT_NE(remarks.find("right of the ridge"), std::string::npos);
  EXPECT_NE(remarks.find("whole run"), std::string::npos);
  const auto ridge = std::find_if(t.notes.begin(), t.notes.end(), [](const Sentence& n) {
    return n.text.find("of the ridge") != std::string::npos;
  });
  ASSERT_NE(ridge, t.notes.end());
  EXPECT_NEAR(ridge->amounts[0].value, 0.034, 5e-4);  // section 15: 3.4 % of the ridge
}

TEST(FoundingPair, dense_27b_on_four_gpus) {
  const auto d = check(kClaim, founding_box("qwen3.6-27b", 4));
  ASSERT_EQ(d.size(), 2U);
  EXPECT_NEAR(d[0].roof_tokens_per_s, 133606, 0.5);
  EXPECT_NEAR(d[0].fraction_of_roof, 0.025, 5e-4);
  const double roof = 8 / (7482651904.0 / kBandwidth);  // 4,170; section 15: 4,115
  EXPECT_NEAR(d[1].roof_tokens_per_s, roof, 1e-6 * roof);
  EXPECT_NEAR(d[1].fraction_of_roof, 0.026, 5e-4);
  EXPECT_NEAR(reading(d[1], "per_stream")->fraction, 0.21, 0.005);
  EXPECT_NEAR(reading(d[1], "same_wall")->fraction, 0.051, 5e-4);
  EXPECT_EQ(d[1].verdict, Bound::fixed);
  // Nothing says --tensor-parallel-size: of one GPU it is the 9.8 and 10.4 % above.
  const Cause* one = cause(d[1], "one_device");
  ASSERT_NE(one, nullptr);
  EXPECT_NEAR(one->text.amounts[1].value, 108 / (8 / (29926312960.0 / kBandwidth)), 1e-6);
  ASSERT_NE(cause(d[0], "one_device"), nullptr);
  EXPECT_NEAR(cause(d[0], "one_device")->text.amounts[1].value, 0.0984, 5e-5);
  EXPECT_EQ(
      cause(check("108 tok/s decode on 4 GPUs", founding_box("qwen3.6-27b", 4))[0], "one_device"),
      nullptr);
}

TEST(FoundingPair, mixture_of_experts_35b) {
  const auto d = check(kClaim, founding_box("qwen3.6-35b-a3b", 1));
  ASSERT_EQ(d.size(), 2U);
  // Section 15: 88,453 and 3.7 % with activations; memory binds, so the compulsory roof is higher.
  const double prefill = 1024 / (34801386240.0 / kBandwidth);  // 114,754
  EXPECT_NEAR(d[0].roof_tokens_per_s, prefill, 1e-6 * prefill);
  EXPECT_NEAR(d[0].fraction_of_roof, 3288 / prefill, 1e-8);
  EXPECT_NEAR(d[0].fraction_of_operators, 0.0403, 5e-5);   // vector check/.../tp1/prefill
  EXPECT_NEAR(d[0].fraction_of_peak, 0.011, 5e-4);         // "compute 1.1 %"
  const double decode = 8 / (10899126015.0 / kBandwidth);  // 2,863; section 15: 2,839
  EXPECT_NEAR(d[1].roof_tokens_per_s, decode, 1e-6 * decode);
  EXPECT_NEAR(d[1].fraction_of_roof, 0.038, 5e-4);
  EXPECT_NEAR(reading(d[1], "per_stream")->fraction, 0.30, 0.005);
  // 7.5 % in section 15, less the higher prefill roof: 2.9 + 3.8.
  EXPECT_NEAR(reading(d[1], "same_wall")->fraction, 3288 / prefill + 108 / decode, 1e-8);

  const auto four = check(kClaim, founding_box("qwen3.6-35b-a3b", 4));
  EXPECT_NEAR(four[1].fraction_of_roof, 0.01, 5e-4);
  EXPECT_NEAR(reading(four[1], "per_stream")->fraction, 0.08, 0.005);
  EXPECT_NEAR(four[0].fraction_of_peak, 0.003, 5e-4);
}

}  // namespace
}  // namespace rooflens::check_tests
