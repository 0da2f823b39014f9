// Two runs told apart: every part by hand, and their sum.
#include "rooflens/check/difference.h"

#include "check/check_fixtures.h"

namespace rooflens::check_tests {
namespace {

// Llama-3.1-8B: 7,504,924,672 weights are read a token (all but the embedding), 131,072 bytes of
// cache a token of context in bf16. At 1 TB/s the weights take 15.01 ms in bf16.
constexpr double kRead = 7504924672.0, kCacheToken = 131072, kBandwidth = 1e12;

Scenario plain(double batch = 1, double context = 1024) {
  Scenario s = scenario("llama-3.1-8b", "", {});
  s.system = device(kBandwidth, 312e12, 80e9);
  s.workload.batch = batch;
  s.workload.prompt = 1024;
  s.workload.output = 128;
  s.workload.context = context;
  return s;
}

struct MeasuredSide {
  Analysis analysis;
  std::vector<Diagnosis> figures;
  Fit fit;
  [[nodiscard]] MeasuredStep step(std::size_t i = 0, bool fitted = false) const {
    return {&figures[i], &analysis, fitted ? &fit : nullptr};
  }
  [[nodiscard]] std::vector<MeasuredStep> steps() const {
    std::vector<MeasuredStep> out;
    for (std::size_t i = 0; i < figures.size(); ++i) out.push_back(step(i));
    return out;
  }
};

MeasuredSide run(const std::string& claim, const Scenario& s) {
  return {analyze(s, Efficiency{}), check(claim, s), {}};
}

void expect_sum(const Difference& d) {
  const double sum = d.batch + d.bytes + d.compute + d.network + d.bandwidth_reached.value_or(0) +
                     d.compute_reached.value_or(0) + d.fixed.value_or(0) + d.unexplained;
  EXPECT_NEAR(sum, d.total(), 1e-12 * std::max(d.before_s, d.after_s));
}

TEST(Difference, another_build_changes_neither_bytes_nor_flops) {
  const MeasuredSide a = run("TPOT 20 ms", plain()), b = run("TPOT 17 ms", plain());
  const Difference d = difference_of(a.step(), b.step());
  EXPECT_FALSE(d.per_request);
  EXPECT_NEAR(d.total(), -0.003, 1e-12);
  EXPECT_EQ(d.batch, 0);
  EXPECT_EQ(d.bytes, 0);
  EXPECT_EQ(d.compute, 0);
  EXPECT_NEAR(d.unexplained, -0.003, 1e-12);
  EXPECT_FALSE(d.fixed || d.bandwidth_reached || d.compute_reached);
  ASSERT_EQ(d.remarks.size(), 1U);  // what would part it
  expect_sum(d);
}

// Seven more sequences of 1,024 cached tokens and a new one read 7 x 1025 x 131,072 B more.
TEST(Difference, another_batch) {
  const MeasuredSide a = run("TPOT 20 ms", plain(1)), b = run("TPOT 22 ms", plain(8));
  const Difference d = difference_of(a.step(), b.step());
  EXPECT_NEAR(d.batch, 7 * 1025 * kCacheToken / kBandwidth, 1e-6);
  EXPECT_NEAR(d.bytes, 0, 1e-15);
  EXPECT_NEAR(d.unexplained, 0.002 - d.batch, 1e-12);
  expect_sum(d);
}

// Half the bytes of the weights: 7.5 ms less; the batch of both is one.
TEST(Difference, another_quantisation) {
  Scenario narrow = plain();
  for (Layer& layer : narrow.model.layers) {
    for (Slot slot : {Slot::mix_in, Slot::mix_out, Slot::up, Slot::down}) {
      layer.weight(slot).storage = rooflens::plain(Element::fp8);
    }
  }
  narrow.model.head.storage = rooflens::plain(Element::fp8);
  const MeasuredSide a = run("TPOT 20 ms", plain()), b = run("TPOT 13 ms", narrow);
  const Difference d = difference_of(a.step(), b.step());
  EXPECT_NEAR(d.bytes, -kRead / kBandwidth, 1e-5);  // norms stay bf16
  EXPECT_NEAR(d.unexplained, -0.007 - d.bytes, 1e-12);
  EXPECT_EQ(d.batch, 0);
  expect_sum(d);
}

// Batch and quantisation at once: the batch is told with the weights of the first.
TEST(Difference, both_at_once_add_up) {
  Scenario narrow = plain(8);
  narrow.model.head.storage = rooflens::plain(Element::fp8);  // 525,336,576 bytes less
  const MeasuredSide a = run("TPOT 20 ms", plain(1)), b = run("TPOT 21 ms", narrow);
  const Difference d = difference_of(a.step(), b.step());
  EXPECT_NEAR(d.batch, 7 * 1025 * kCacheToken / kBandwidth, 1e-6);
  EXPECT_NEAR(d.bytes, -525336576.0 / kBandwidth, 1e-8);
  expect_sum(d);
}

// A device of twice the peak: prefill is bound by FLOPs, its time at the peak is halved.
TEST(Difference, another_peak) {
  Scenario fast = plain();
  fast.system = device(kBandwidth, 624e12, 80e9);
  const MeasuredSide a = run("prefill 10000 tok/s", plain()), b = run("prefill 15000 tok/s", fast);
  const Difference d = difference_of(a.step(), b.step());
  const double at_peak = a.analysis.prefill.totals.compute_seconds;
  ASSERT_GT(at_peak, 2 * a.analysis.prefill.totals.memory_seconds);
  EXPECT_NEAR(d.compute, -at_peak / 2, 1e-12);
  EXPECT_EQ(d.bytes, 0);
  EXPECT_NEAR(d.before_s, 1024.0 / 10000, 1e-12);
  expect_sum(d);
}

// Fits of both: bytes at 0.5 and at 0.8 of the bandwidth, fixed 3 and 1 ms. m = 15.14 ms a step at
// the nominal bandwidth: m / 0.8 - m / 0.5 = -0.75 m, and -2 ms. The batch is told at the 0.5.
TEST(Difference, fits_tell_rates_and_fixed_time) {
  MeasuredSide a = run("TPOT 34 ms", plain(1)), b = run("TPOT 22 ms", plain(2));
  const auto fit = [](double share, double fixed) {
    Fit f;
    f.nominal_bytes_per_s = kBandwidth;
    f.bytes_per_s.value = share * kBandwidth;
    f.fixed_s.value = fixed;
    return f;
  };
  a.fit = fit(0.5, 0.003);
  b.fit = fit(0.8, 0.001);
  const Difference d = difference_of(a.step(0, true), b.step(0, true));
  const double more = 1025 * kCacheToken / kBandwidth;
  const double m = kRead * 2 / kBandwidth + 2 * more;
  EXPECT_NEAR(d.batch, more / 0.5, 1e-6);
  ASSERT_TRUE(d.bandwidth_reached && d.fixed);
  EXPECT_NEAR(*d.bandwidth_reached, -0.75 * m, 2e-6);
  EXPECT_NEAR(*d.fixed, -0.002, 1e-15);
  EXPECT_FALSE(d.compute_reached);
  EXPECT_NEAR(d.unexplained, -0.012 - more / 0.5 + 0.75 * m + 0.002, 4e-6);
  expect_sum(d);
}

// Whole requests: 1024 prompt and 128 output tokens, 2 and 2.5 a second; the outputs of the second
// are 256 long, so 128 / batch more steps of decode.
TEST(Difference, whole_requests) {
  Scenario longer = plain(8);
  longer.workload.output = 256;
  const MeasuredSide a = run("2 requests/s", plain(8)), b = run("1.5 requests/s", longer);
  const Difference d = difference_of(a.step(), b.step());
  EXPECT_TRUE(d.per_request);
  EXPECT_NEAR(d.before_s, 0.5, 1e-12);
  EXPECT_NEAR(d.after_s, 1 / 1.5, 1e-12);
  EXPECT_NEAR(d.batch, 128 / 8.0 * a.analysis.decode.totals.memory_seconds, 1e-9);
  EXPECT_EQ(d.bytes, 0);
  expect_sum(d);
}

TEST(Difference, nearest_sizes_are_paired_once) {
  const MeasuredSide a = run("TPOT 20 ms at batch 1", plain());
  MeasuredSide two = run("TPOT 25 ms at batch 64", plain());
  const MeasuredSide near = run("TPOT 21 ms at batch 2", plain());
  two.figures.push_back(near.figures.front());
  const Differences pairs = differences(a.steps(), two.steps());
  ASSERT_EQ(pairs.pairs.size(), 1U);
  EXPECT_EQ(pairs.pairs[0].before, 0U);
  EXPECT_EQ(pairs.pairs[0].after, 1U);
  EXPECT_TRUE(pairs.nothing.empty());
}

TEST(Difference, what_does_not_match_says_why) {
  const MeasuredSide a = run("prefill 5000 tok/s", plain()), b = run("TPOT 20 ms", plain());
  const Differences none = differences(a.steps(), b.steps());
  EXPECT_TRUE(none.pairs.empty());
  EXPECT_NE(none.nothing.text.find("the first has prefill, the second decode"), std::string::npos);
}

// Steps that are made of a fixed time and of bytes at a share of the bandwidth, and nothing else:
// for every two of them the parts explain all of the difference.
TEST(Difference, what_is_made_of_the_parts_is_explained_by_them) {
  struct Made {
    double batch, share, fixed_s;
  };
  std::vector<MeasuredSide> runs;
  for (const Made& m : {Made{1, 0.5, 0.003}, Made{1, 0.8, 0.001}, Made{4, 0.5, 0.003},
                        Made{16, 0.9, 0}, Made{16, 0.7, 0.002}}) {
    const Scenario s = plain(m.batch);
    const double bytes = analyze(s, Efficiency{}).decode.totals.memory_seconds * kBandwidth;
    const double step = m.fixed_s + bytes / (m.share * kBandwidth);
    MeasuredSide side = run("TPOT " + std::to_string(step * 1e3) + " ms", s);
    side.fit.nominal_bytes_per_s = kBandwidth;
    side.fit.bytes_per_s.value = m.share * kBandwidth;
    side.fit.fixed_s.value = m.fixed_s;
    runs.push_back(std::move(side));
  }
  for (const MeasuredSide& a : runs) {
    for (const MeasuredSide& b : runs) {
      const Difference d = difference_of(a.step(0, true), b.step(0, true));
      EXPECT_NEAR(d.unexplained, 0, 3e-9) << d.before_s << " " << d.after_s;  // six digits told
      expect_sum(d);
    }
  }
}

// Figures of every kind, each against each: the parts are no more and no less than the difference.
TEST(Difference, every_pair_of_claims_keeps_the_sum) {
  const char* claims[] = {"TPOT 20 ms",
                          "prefill 3000 tok/s",
                          "100 tok/s total",
                          "3 requests/s",
                          "50 tok/s average generation throughput",
                          "90 tok/s decode"};
  std::vector<MeasuredSide> runs;
  for (const char* claim : claims) {
    for (const double batch : {1.0, 16.0}) runs.push_back(run(claim, plain(batch, 64 * batch)));
  }
  int pairs = 0;
  for (const MeasuredSide& a : runs) {
    for (const MeasuredSide& b : runs) {
      for (const Difference& d : differences(a.steps(), b.steps()).pairs) {
        expect_sum(d);
        ++pairs;
      }
    }
  }
  EXPECT_GE(pairs, 36);
}

}  // namespace
}  // namespace rooflens::check_tests
