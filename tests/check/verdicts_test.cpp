// Every verdict with its evidence and the experiment that would show it.
#include "check/check_fixtures.h"

namespace rooflens::check_tests {
namespace {

// Llama-3.1-8B bf16 on 1 TB/s, 312 TFLOP/s and 80 GB.
Scenario plain(double batch = 1) {
  Scenario s = scenario("llama-3.1-8b", "", {});
  s.system = device(1e12, 312e12, 80e9);
  s.workload.batch = batch;
  s.workload.prompt = s.workload.context = 1024;
  s.workload.output = 128;
  return s;
}

Diagnosis one(Observation o, const Scenario& s) { return diagnose(o, analyze(s, Efficiency{})); }

Observation figure(MeasuredPhase phase, Figure f, double value) {
  Observation o;
  o.phase = phase;
  o.figure = f;
  const bool of_all = f == Figure::tokens_per_s || f == Figure::requests_per_s;
  o.counting = of_all ? Counting::aggregate : Counting::per_stream;
  o.value = value;
  return o;
}

void expect_told(const Diagnosis& d, Bound verdict) {
  EXPECT_EQ(d.verdict, verdict) << d.sentence.text;
  EXPECT_FALSE(d.evidence.empty()) << d.sentence.text;
  EXPECT_FALSE(d.next_experiment.empty()) << d.sentence.text;
}

TEST(Verdicts, memory) {
  // 15.14 GB a step in 20 ms: 757 GB/s, 0.757 of 1 TB/s.
  const Diagnosis d = one(figure(MeasuredPhase::decode, Figure::time_per_token_s, 0.020), plain());
  expect_told(d, Bound::memory);
  EXPECT_NEAR(d.evidence.amounts[0].value, 15.144e9 / 0.020, 1e9);
  EXPECT_NEAR(d.evidence.amounts[1].value, 0.757, 0.001);
  EXPECT_NE(d.next_experiment.text.find("read bandwidth"), std::string::npos);
}

TEST(Verdicts, compute) {
  const Scenario s = plain();
  const double roof = analyze(s, Efficiency{}).prefill.roof_tokens_per_s;
  const Diagnosis d = one(figure(MeasuredPhase::prefill, Figure::tokens_per_s, 0.8 * roof), s);
  expect_told(d, Bound::compute);
  EXPECT_NEAR(d.evidence.amounts[1].value, 0.8, 1e-9);
  EXPECT_NE(d.next_experiment.text.find("GEMM"), std::string::npos);
}

// A device whose vector units are so slow that norms and activations take longer than the rest.
TEST(Verdicts, vector) {
  Scenario s = plain();
  s.system.device.vector_flops_per_s = 0.05e12;
  const Analysis a = analyze(s, Efficiency{});
  const Diagnosis d =
      one(figure(MeasuredPhase::prefill, Figure::step_s, 1.1 * a.prefill.totals.step_seconds), s);
  expect_told(d, Bound::vector);
  EXPECT_GT(d.gap.vector, 0.5 * a.prefill.totals.step_seconds);
  EXPECT_NEAR(d.evidence.amounts[0].value, d.gap.vector, 1e-12);
}

// Eight ranks over a link of 1 GB/s: two all-reduces a layer of 1024 x 4096 x 2 B.
TEST(Verdicts, network) {
  Scenario s = plain();
  s.system.count = s.deployment.tensor = 8;
  s.system.device.links.push_back({"slow", 0, 1e9, 0});
  const Analysis a = analyze(s, Efficiency{});
  const Diagnosis d =
      one(figure(MeasuredPhase::prefill, Figure::step_s, 1.1 * a.prefill.totals.step_seconds), s);
  expect_told(d, Bound::network);
  EXPECT_NEAR(d.evidence.amounts[0].value, a.prefill.totals.network_seconds, 1e-9);
}

TEST(Verdicts, fixed) {
  // 100 ms where 15.14 ms are bytes.
  const Diagnosis d = one(figure(MeasuredPhase::decode, Figure::time_per_token_s, 0.1), plain());
  expect_told(d, Bound::fixed);
  EXPECT_NEAR(d.evidence.amounts[0].value, d.gap.fixed, 1e-12);
  EXPECT_NE(d.next_experiment.text.find("twice the batch"), std::string::npos);
}

// A server's figure that is known to hold a wait is a queue, whatever its batch.
TEST(Verdicts, queue_where_the_figure_holds_a_wait) {
  Observation o = figure(MeasuredPhase::prefill, Figure::time_to_first_token_s, 0.9);
  expect_told(one(o, plain()), Bound::fixed);
  // Nothing but kernels takes two seconds more than 1,024 tokens need.
  const Diagnosis slow =
      one(figure(MeasuredPhase::prefill, Figure::time_to_first_token_s, 2), plain());
  expect_told(slow, Bound::compute);
  EXPECT_NE(cause(slow, "kernels"), nullptr);
  o.waits = true;
  const Diagnosis d = one(o, plain());
  expect_told(d, Bound::queue);
  ASSERT_NE(cause(d, "queue"), nullptr);
  EXPECT_EQ(d.evidence.text, cause(d, "queue")->text.text);
  EXPECT_NE(d.next_experiment.text.find("concurrency 1"), std::string::npos);
  // A request that waits as well.
  Observation r = figure(MeasuredPhase::mixed, Figure::request_s, 60);
  r.waits = true;
  expect_told(one(r, plain()), Bound::queue);
}

// Steps at 0.5 to 0.9 of the bandwidth are expected, and nothing else takes time.
TEST(Verdicts, a_speed_is_said_to_be_normal_or_not) {
  Efficiency e;
  e.memory = {0.5, 0.7, 0.9};
  e.origin = "prior (test)";
  const Analysis a = analyze(plain(), e);
  const auto said = [&](double share) {
    const double step = a.decode.totals.memory_seconds / share;
    const Diagnosis d = diagnose(figure(MeasuredPhase::decode, Figure::time_per_token_s, step), a);
    EXPECT_TRUE(std::any_of(d.notes.begin(), d.notes.end(), [](const Sentence& n) {
      return n.text.find("prior (test)") != std::string::npos;
    }));
    return d.expectation.text;
  };
  EXPECT_NE(said(0.3).find("less than expected"), std::string::npos);
  EXPECT_NE(said(0.7).find("as expected"), std::string::npos);
  EXPECT_NE(said(0.95).find("more than expected"), std::string::npos);
  EXPECT_TRUE(one(figure(MeasuredPhase::decode, Figure::time_per_token_s, 0.05), plain())
                  .expectation.empty());
}

// A picture is of the sizes that were measured.
TEST(Verdicts, the_scenario_at_the_sizes_of_the_figures) {
  Observation prefill = figure(MeasuredPhase::prefill, Figure::tokens_per_s, 5000);
  prefill.prompt = 512;
  Observation decode = figure(MeasuredPhase::decode, Figure::tokens_per_s, 200);
  decode.batch = 4;
  decode.context = 300;
  const Analysis a = analyze(plain(), Efficiency{});
  const Analysis shown = at_sizes_of(diagnose_all(std::vector{prefill, decode}, a), a);
  EXPECT_EQ(shown.scenario.workload.prompt, 512);
  EXPECT_EQ(shown.scenario.workload.batch, 4);
  EXPECT_EQ(shown.scenario.workload.context, 300);
}

TEST(Verdicts, capacity_where_sequences_were_put_out) {
  Observation o = figure(MeasuredPhase::decode, Figure::time_per_token_s, 0.05);
  o.preemptions = 12;
  const Diagnosis d = one(o, plain(8));
  expect_told(d, Bound::capacity);
  ASSERT_NE(cause(d, "preempted"), nullptr);
  EXPECT_EQ(d.evidence.amounts[0].value, 12);
  EXPECT_NE(d.next_experiment.text.find("preemptions"), std::string::npos);
  // At its roof there is nothing to explain.
  o.value = 0.017;
  expect_told(one(o, plain(8)), Bound::memory);
}

TEST(Verdicts, what_runs_well_and_does_not_fit_is_said) {
  Scenario s = plain(64);
  s.workload.context = s.workload.prompt = 32768;  // 64 x 32.9k x 128 KiB = 276 GB of 80
  const double roof = analyze(s, Efficiency{}).decode.roof_tokens_per_s;
  const Diagnosis d = one(figure(MeasuredPhase::decode, Figure::tokens_per_s, 0.9 * roof), s);
  expect_told(d, Bound::memory);
  EXPECT_TRUE(std::any_of(d.notes.begin(), d.notes.end(), [](const Sentence& n) {
    return n.text.find("would not fit") != std::string::npos;
  }));
}

TEST(Verdicts, above_the_roof_names_what_explains_it) {
  const Scenario s = plain();
  const double roof = analyze(s, Efficiency{}).prefill.roof_tokens_per_s;
  const Diagnosis d = one(figure(MeasuredPhase::prefill, Figure::tokens_per_s, 50 * roof), s);
  expect_told(d, Bound::above_roof);
  EXPECT_NEAR(d.fraction_of_roof, 50, 1e-6);  // never clipped
  EXPECT_EQ(d.explained_by, "cached_prefix");
  EXPECT_EQ(d.causes.front().tag, d.explained_by);
  EXPECT_NE(d.sentence.text.find("a cached prompt would explain it"), std::string::npos);
  EXPECT_NE(d.next_experiment.text.find("prefix caching off"), std::string::npos);
}

// Whole requests: prefill needs p and decode d of the roof's seconds. At 1.1 (p + d) a second, a
// cached share of (p + d)(1 - 1/1.1) / p of the prompt explains it; where decode alone takes longer
// than what is left, it does not.
TEST(Verdicts, requests_above_both_roofs_are_tried_one_by_one) {
  Scenario s = plain(8);
  s.workload.prompt = s.workload.context = 4096;
  s.workload.output = 8;
  const Analysis a = analyze(s, Efficiency{});
  const double p = 4096 / a.prefill.roof_tokens_per_s, d = 8 / a.decode.roof_tokens_per_s;
  ASSERT_LT(d, 0.5 * p);
  const Diagnosis few = one(figure(MeasuredPhase::mixed, Figure::requests_per_s, 1.3 / (p + d)), s);
  expect_told(few, Bound::above_roof);
  EXPECT_EQ(few.explained_by, "cached_prefix");
  ASSERT_NE(cause(few, "cached_prefix"), nullptr);
  EXPECT_NEAR(cause(few, "cached_prefix")->text.amounts[0].value, (p + d) * (1 - 1 / 1.3) / p,
              0.006);
  const Diagnosis many = one(figure(MeasuredPhase::mixed, Figure::requests_per_s, 2 / d), s);
  ASSERT_NE(cause(many, "cached_prefix"), nullptr);
  EXPECT_FALSE(cause(many, "cached_prefix")->explains);
  EXPECT_FALSE(many.next_experiment.empty());
}

}  // namespace
}  // namespace rooflens::check_tests
