// data/measurements/points.csv: what a row becomes, and what is refused.
#include "rooflens/readers/points.h"

#include <gtest/gtest.h>

namespace rooflens {
namespace {

const std::string kHeader =
    "id,source,provenance,date,model,called,params_b,active_b,device,setup,devices,mem_bw_gbs,"
    "engine,"
    "build,weights,weights_gb,kv,parallelism,load,prompt,generated,depth,phase,tok_s,counts,ttft_"
    "ms,"
    "cold_ttft_ms,tpot_ms,drafts,tokens_per_pass,flags,notes\n";

const MeasuredPoint& only(const Result<std::vector<MeasuredPoint>>& r) {
  static const MeasuredPoint kNone;
  EXPECT_TRUE(r.has_value()) << (r ? "" : r.error().message);
  return r && r->size() == 1 ? r->front() : kNone;
}

TEST(Points, a_decode_at_depth_is_in_the_middle_of_its_answer) {
  const auto r = read_points(
      kHeader +
          "a1,some/where discussion 12 (table),copy,2025-01,llama 7B,,6.74,,RTX 4090,,1,1008,"
          "llama.cpp,b1,Q4_0,3.826,fp16,,1,0,128,512,decode,150.5,total=per user (batch 1),,,,,,a "
          "b,\n",
      "points.csv");
  const MeasuredPoint& p = only(r);
  EXPECT_EQ(p.group, "some/where discussion 12");
  EXPECT_EQ(p.phase, MeasuredPhase::decode);
  EXPECT_TRUE(p.has("b"));
  EXPECT_FALSE(p.has("a b"));
  EXPECT_EQ(p.run.model_bytes, 3.826e9);
  EXPECT_EQ(p.run.model_parameters, 6.74e9);
  const Observation& o = p.run.figures.front();
  EXPECT_EQ(o.value, 150.5);
  EXPECT_EQ(o.counting, Counting::aggregate);
  EXPECT_EQ(o.context, 512 + 128 / 2);
  EXPECT_EQ(o.source.file, "points.csv");
  EXPECT_EQ(o.source.line, 2);
}

TEST(Points, a_prefill_at_depth_has_that_much_in_the_cache) {
  const auto r = read_points(
      kHeader +
          "a1,s,c,d,m,,,,X,,1,,e,,Q4_0,1,,,1,2048,0,4096,prefill,9,total=per user (batch 1),"
          ",,,,,,\n",
      "p");
  const Observation& o = only(r).run.figures.front();
  EXPECT_EQ(o.phase, MeasuredPhase::prefill);
  EXPECT_EQ(o.prompt, 2048 + 4096);
  EXPECT_EQ(o.cached_prefix, 4096);
}

// One user's 10 tok/s, of 4 users at once: 40 together, over the clock of both phases.
TEST(Points, a_rate_over_both_phases_is_of_one_clock) {
  const auto r = read_points(
      kHeader +
          "a1,s,c,d,m,,,,X,,1,,e,,Q4_0,1,,,4,512,256,,mixed,10,per user wall incl. TTFT,120,"
          ",8,,,,\n",
      "p");
  const MeasuredPoint& p = only(r);
  EXPECT_EQ(p.phase, MeasuredPhase::mixed);
  EXPECT_EQ(p.first_token_s, 0.120);
  const Observation& o = p.run.figures.front();
  EXPECT_EQ(o.phase, MeasuredPhase::decode);
  EXPECT_EQ(o.counting, Counting::same_wall);
  EXPECT_EQ(o.value, 40);
}

TEST(Points, a_load_that_is_no_number_leaves_the_batch_open) {
  const auto row = [](const std::string& load) {
    return read_points(kHeader + "a1,s,c,d,m,,,,X,,1,,e,,Q4_0,1,,," + load +
                           ",512,256,,mixed,10,total output tokens only,,,,,,,\n",
                       "p");
  };
  EXPECT_FALSE(only(row("Server")).run.figures.front().batch.has_value());
  EXPECT_FALSE(only(row("Server")).saturated);
  EXPECT_TRUE(only(row("\"saturated (offline, all queued)\"")).saturated);
  EXPECT_FALSE(row("0").has_value());
}

TEST(Points, what_is_wrong_is_named_with_its_line_and_remedy) {
  const auto without = read_points("id,source\na,b\n", "mine.csv");
  ASSERT_FALSE(without.has_value());
  EXPECT_NE(without.error().message.find("provenance"), std::string::npos);
  EXPECT_FALSE(without.error().hint.empty());
  const auto rate = read_points(
      kHeader + "a1,s,c,d,m,,,,X,,1,,e,,Q4_0,1,,,1,0,128,,decode,fast,x,,,,,,,\n", "mine.csv");
  ASSERT_FALSE(rate.has_value());
  EXPECT_EQ(rate.error().where, "mine.csv:2");
  EXPECT_NE(rate.error().message.find("tok_s"), std::string::npos);
  EXPECT_FALSE(rate.error().hint.empty());
  const auto phase = read_points(
      kHeader + "a1,s,c,d,m,,,,X,,1,,e,,Q4_0,1,,,1,0,128,,warmup,9,x,,,,,,,\n", "mine.csv");
  ASSERT_FALSE(phase.has_value());
  EXPECT_NE(phase.error().message.find("phase"), std::string::npos);
}

}  // namespace
}  // namespace rooflens
