// What a check prints: one screen, and the fields of the JSON contract.
#include "rooflens/views/check_report.h"

#include <nlohmann/json.hpp>

#include "check/check_fixtures.h"

namespace rooflens::check_tests {
namespace {

Scenario founding_box() {
  Scenario s =
      scenario("qwen3.6-27b", "h100-nvl-seed", {{"linear", "fp8_block128b"}, {"gemm_in", "fp8"}});
  s.workload.batch = 8;
  s.workload.prompt = s.workload.context = 1024;
  return s;
}

TEST(CheckReport, numbers_take_their_places) {
  EXPECT_EQ(
      text_of(Sentence{"{} of {}: {}%, {}",
                       {{0.5, Measure::fraction}, {2e9, Measure::bytes}, {3, Measure::number}}}),
      format(0.5, Unit::fraction) + " of " + format(2e9, Unit::bytes) + ": " +
          format(3, Unit::none) + "%, {}");
}

TEST(CheckReport, the_founding_pair_on_one_screen) {
  const Scenario s = founding_box();
  const auto d = check("3288 tok/s prefill, 108 tok/s decode", s);
  const Analysis a = analyze(s, Efficiency{});
  const std::string text = report_text(check_report(d, a), {.width = 100});
  for (const char* said : {"9.84 %", "10.4 %", "82.9 %", "20.2 %", "33,401", "1,043",
                           "does not show that prefill is near its roof", "of the ridge",
                           "unless it is the rate of one sequence"}) {
    EXPECT_NE(text.find(said), std::string::npos) << said << "\n" << text;
  }
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 60) << text;
}

TEST(CheckReport, impossible_says_what_would_have_to_change) {
  const Scenario s = founding_box();
  const auto d = check("5000 tok/s decode", s);
  const std::string text = report_text(check_report(d, analyze(s, Efficiency{})), {.width = 100});
  EXPECT_NE(text.find("UNREACHABLE"), std::string::npos) << text;
  // 29.926 GB a step at 8 tokens: 5000 / 8 x 29.926 GB = 18.7 TB/s.
  EXPECT_NE(text.find("18.7 TB/s"), std::string::npos) << text;
}

TEST(CheckReport, json_has_the_fields_of_the_contract) {
  const Scenario s = founding_box();
  JsonWriter out;
  check_json(check("3288 tok/s prefill, 108 tok/s decode, 500 tok/s total", s), out);
  const auto j = nlohmann::json::parse(out.take(), nullptr, false);
  ASSERT_TRUE(j.is_array());
  ASSERT_EQ(j.size(), 3U);
  for (const char* key :
       {"phase", "tokens_per_s", "batch", "prompt_tokens", "context_tokens", "kind", "source",
        "roof_tokens_per_s", "fraction_of_roof", "achieved_flops_per_s", "achieved_bytes_per_s",
        "verdict", "causes", "readings"}) {
    for (const auto& o : j) EXPECT_TRUE(o.contains(key)) << key;
  }
  EXPECT_EQ(j[1]["phase"], "decode");
  EXPECT_EQ(j[1]["tokens_per_s"], 108);
  EXPECT_EQ(j[1]["kind"], "unknown");
  EXPECT_EQ(j[1]["verdict"], "fixed");
  EXPECT_EQ(j[1]["source"]["text"], "108 tok/s");
  EXPECT_NEAR(j[1]["fraction_of_roof"].get<double>(), 0.1036, 5e-5);
  EXPECT_GE(j[1]["readings"].size(), 3U);
  EXPECT_TRUE(j[2]["achieved_bytes_per_s"].is_null());
}

}  // namespace
}  // namespace rooflens::check_tests
