// Readings, verdicts and causes; the numbers are multiples of the roof, so that each is by hand.
#include <cmath>
#include <iterator>
#include <random>

#include "check/check_fixtures.h"
#include "rooflens/check/compare.h"

namespace rooflens::check_tests {
namespace {

// Llama-3.1-8B bf16: 15.01 GB a token, so 1 TB/s gives 66.6 tok/s; 312 TFLOP/s.
Scenario plain(double batch = 1) {
  Scenario s = scenario("llama-3.1-8b", "", {});
  s.system = device(1e12, 312e12, 80e9);
  s.workload.batch = batch;
  s.workload.prompt = 1024;
  s.workload.output = 128;
  s.workload.context = 1024;
  return s;
}

Storage plain_fp8() { return rooflens::plain(Element::fp8); }

std::string rate(double tokens_per_s, const char* rest) {
  return std::to_string(tokens_per_s) + " tok/s " + rest;
}

TEST(Diagnose, standing_follows_the_per_operator_rate) {
  const Scenario s = plain(4);
  const Analysis a = analyze(s, Efficiency{});
  const double per_operator = a.decode.operator_tokens_per_s;
  const auto at = [&](double share) {
    return check_one(rate(share * per_operator, "aggregate decode"), s);
  };
  EXPECT_EQ(at(0.75).standing, Standing::good);
  EXPECT_EQ(at(0.65).standing, Standing::partial);
  EXPECT_EQ(at(0.65).verdict, Bound::memory);
  EXPECT_EQ(at(0.2).standing, Standing::far);
  EXPECT_EQ(at(0.2).verdict, Bound::fixed);
  EXPECT_EQ(at(0.2).causes.back().tag.empty(), false);
  // At 1/5 of the rate four fifths of the step remain.
  EXPECT_NEAR(at(0.2).gap.fixed / at(0.2).gap.measured, 0.8, 1e-5);
  EXPECT_NEAR(at(0.2).gap.memory + at(0.2).gap.compute, a.decode.totals.step_seconds, 1e-12);
}

TEST(Diagnose, figures_of_one_step_agree) {
  const Scenario s = plain(8);
  const Analysis a = analyze(s, Efficiency{});
  const StepTotals& t = a.decode.totals;
  const double step = 4 * t.roof_seconds;  // a quarter of the roof
  const auto seconds = [&](const char* before, const char* after) {
    return std::string(before) + std::to_string(step * 1e3) + " ms" + after;
  };
  for (const std::string& claim :
       {seconds("TPOT ", ""), seconds("", " per decode step"), rate(8 / step, "decode aggregate"),
        rate(1 / step, "per user decode"),
        std::to_string(t.ideal_bytes / step / 1e9) + " GB/s decode",
        std::to_string(t.flops / step / 1e12) + " TFLOPS decode",
        std::to_string(100 * t.ideal_bytes / step / 1e12) + "% MBU decode"}) {
    const Diagnosis d = check_one(claim, s);
    EXPECT_NEAR(d.fraction_of_roof, 0.25, 1e-5) << claim;
    EXPECT_NEAR(d.step_seconds, step, 1e-4 * step) << claim;
    EXPECT_EQ(d.phase, MeasuredPhase::decode) << claim;
  }
}

TEST(Diagnose, time_to_first_token_of_many_is_a_queue) {
  const Scenario s = plain(16);
  const double prompt = analyze(s, Efficiency{}).prefill.totals.step_seconds;
  // 16 prompts one after another: the mean wait is (16 + 1) / 2 of them.
  const std::string ttft = "TTFT " + std::to_string(8.5 * prompt * 1e3) + " ms";
  const Diagnosis d = check_one(ttft + " at concurrency 16", s);
  EXPECT_EQ(d.verdict, Bound::queue);
  ASSERT_NE(cause(d, "queue"), nullptr);
  EXPECT_NEAR(cause(d, "queue")->text.amounts[2].value, 1, 1e-4);
  EXPECT_EQ(check_one(ttft + " at concurrency 1", s).verdict, Bound::fixed);
}

TEST(Diagnose, what_does_not_fit_is_capacity) {
  Scenario s = plain(64);
  s.workload.context = s.workload.prompt = 32768;  // 64 x 32.9k x 128 KiB = 276 GB of 80
  const double roof = analyze(s, Efficiency{}).decode.roof_tokens_per_s;
  const Diagnosis d = check_one(rate(0.2 * roof, "decode aggregate"), s);
  EXPECT_EQ(d.verdict, Bound::capacity);
  EXPECT_NE(cause(d, "batch_does_not_fit"), nullptr);
}

TEST(Diagnose, mixed_runs_divide_by_both_phases) {
  const Scenario s = plain(8);
  const Analysis a = analyze(s, Efficiency{});
  // One request needs S/R_p + O/R_d of the machine.
  const double seconds = 1024 / a.prefill.roof_tokens_per_s + 128 / a.decode.roof_tokens_per_s;
  const double requests = 0.5 / seconds;
  for (const std::string& claim :
       {rate(1152 * requests, "total"), std::to_string(requests) + " requests/s",
        rate(1024 * requests, "average prompt throughput"),
        rate(128 * requests, "average generation throughput"),
        "e2e latency " + std::to_string(8 / requests) + " s"}) {
    const Diagnosis d = check_one(claim, s);
    EXPECT_NEAR(d.fraction_of_roof, 0.5, 1e-4) << claim;
    EXPECT_NE(d.verdict, Bound::above_roof) << claim;
  }
}

TEST(Diagnose, one_run_seen_twice_is_said) {
  const Scenario s = plain(8);
  const auto d = check("prefill 800 tok/s, decode 100 tok/s", s);  // 8 = 1024 / 128
  const auto c = compare(d, analyze(s, Efficiency{}));
  ASSERT_TRUE(c);
  EXPECT_NE(c->remarks.back().text.find("seen twice"), std::string::npos);
  EXPECT_FALSE(compare(check("decode 100 tok/s", s), analyze(s, Efficiency{})));
}

TEST(Diagnose, unknown_kinds_get_every_reading) {
  const Diagnosis d = check_one("100 tok/s", plain(8));
  for (const char* tag : {"aggregate", "per_stream", "same_wall", "as_prefill", "total"}) {
    EXPECT_NE(reading(d, tag), nullptr) << tag;
  }
  EXPECT_NEAR(reading(d, "per_stream")->tokens_per_s, 800, 1e-9);
  EXPECT_EQ(check_one("100 tok/s per user decode", plain(8)).readings.size(), 1U);
}

TEST(Diagnose, per_stream_and_aggregate_reversed) {
  const Scenario s = plain(8);
  const double roof = analyze(s, Efficiency{}).decode.roof_tokens_per_s;
  const Diagnosis d = check_one(rate(0.8 * roof, "per user decode"), s);
  EXPECT_NEAR(d.fraction_of_roof, 6.4, 1e-5);
  EXPECT_EQ(d.verdict, Bound::above_roof);
  EXPECT_EQ(d.causes.front().tag, "aggregate");
  EXPECT_NEAR(d.causes.front().text.amounts.back().value, 0.8, 1e-5);
}

TEST(Diagnose, between_sheet_and_maximum_clock) {
  Scenario s = plain();
  s.system.device.max_clock_factor = 1.155;  // H100 NVL: 1785 / 1545 MHz
  const double roof = analyze(s, Efficiency{}).prefill.roof_tokens_per_s;
  const Diagnosis fast = check_one(rate(1.08 * roof, "prefill"), s);
  EXPECT_EQ(fast.standing, Standing::above_clock);
  EXPECT_EQ(fast.verdict, Bound::above_roof);
  EXPECT_EQ(fast.causes.front().tag, "above_clock");
  EXPECT_NEAR(fast.fraction_of_roof, 1.08, 1e-6);
  EXPECT_EQ(check_one(rate(1.2 * roof, "prefill"), s).standing, Standing::unreachable);
  // A memory-bound phase gains nothing from the clock.
  const double decode = analyze(s, Efficiency{}).decode.roof_tokens_per_s;
  EXPECT_EQ(check_one(rate(1.08 * decode, "decode"), s).standing, Standing::unreachable);
}

TEST(Diagnose, rounding_is_not_above_the_roof) {
  const Scenario s = plain();
  const double roof = analyze(s, Efficiency{}).decode.roof_tokens_per_s;
  EXPECT_EQ(check_one(rate(1.004 * roof, "decode"), s).standing, Standing::good);
}

// FP8 weights (8 bits and scales) at twice the roof: about 4 bits would do.
TEST(Diagnose, lighter_weights_start_from_the_formats_told) {
  Scenario s = plain();
  for (Layer& layer : s.model.layers) {
    for (Slot slot : {Slot::mix_in, Slot::mix_out, Slot::up, Slot::down}) {
      layer.weight(slot).storage = plain_fp8();
    }
  }
  s.model.embedding.storage = s.model.head.storage = plain_fp8();
  const double roof = analyze(s, Efficiency{}).decode.roof_tokens_per_s;
  const Diagnosis d = check_one(rate(2 * roof, "decode"), s);
  const Cause* lighter = cause(d, "lighter_weights");
  ASSERT_NE(lighter, nullptr);
  EXPECT_TRUE(lighter->explains);
  EXPECT_NEAR(lighter->text.amounts[0].value, 4, 0.1);
  EXPECT_NEAR(lighter->text.amounts[1].value, 8, 0.05);
}

TEST(Diagnose, a_run_without_output_is_prefill) {
  Scenario s = plain();
  s.workload.output = 0;
  const double roof = analyze(s, Efficiency{}).prefill.roof_tokens_per_s;
  EXPECT_NEAR(check_one(rate(0.5 * roof, "average prompt throughput"), s).fraction_of_roof, 0.5,
              1e-6);
  EXPECT_TRUE(
      std::isfinite(check_one("5 tok/s average generation throughput", s).fraction_of_roof));
}

// Whatever a claim says, an answer comes and is finite.
TEST(Diagnose, random_claims_on_a_real_model) {
  const Scenario s = scenario("qwen3.6-35b-a3b", "h100-nvl-seed", {{"tp", 2}});
  const Analysis a = analyze(s, Efficiency{});
  const char* words[] = {"tok/s", "decode",     "prefill", "total",  "per user", "avg",     "TTFT",
                         "ms",    "TPOT",       "GB/s",    "TFLOPS", "MFU",      "%",       ",",
                         "batch", "prompt",     "context", "8",      "1e21",     "0.001",   "4096",
                         "1e9",   "requests/s", "per GPU", "cached", "output",   "latency", "step",
                         "and",   "pp512",      "tg128",   "d8192"};
  std::mt19937 random(11);
  int understood = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string text;
    for (int i = 0; i < 9; ++i) text += std::string(words[random() % std::size(words)]) + " ";
    const auto claim = parse_claim(text);
    if (!claim) continue;
    ++understood;
    for (const Diagnosis& d : diagnose_all(claim->figures, a)) {
      EXPECT_TRUE(std::isfinite(d.fraction_of_roof) && d.fraction_of_roof > 0) << text;
      EXPECT_TRUE(std::isfinite(d.fraction_of_operators)) << text;
      EXPECT_FALSE(d.sentence.empty()) << text;
      EXPECT_FALSE(d.readings.empty()) << text;
    }
  }
  EXPECT_GT(understood, 100);
}

TEST(Diagnose, sizes_the_model_cannot_run_are_not_used) {
  const Diagnosis d = check_one("50 tok/s decode at batch 1, prompt 10, cached 4000", plain());
  ASSERT_FALSE(d.notes.empty());
  EXPECT_EQ(d.prompt, 1024);
}

}  // namespace
}  // namespace rooflens::check_tests
