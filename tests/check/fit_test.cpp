// Fits of steps whose answer is known: made of a formula, or worked out beside the test.
#include "rooflens/check/fit.h"

#include <gtest/gtest.h>

#include <random>

namespace rooflens::check_tests {
namespace {

constexpr double kBandwidth = 1e12, kPeak = 100e12;

// A step of so many bytes and FLOPs on a device of 1 TB/s and 100 TFLOP/s.
Diagnosis step(MeasuredPhase phase, double size, double bytes, double flops, double seconds,
               double network = 0) {
  Diagnosis d;
  d.phase = phase;
  (phase == MeasuredPhase::prefill ? d.prompt : d.batch) = size;
  d.step_seconds = d.gap.measured = seconds;
  d.gap.network = network;
  d.achieved_bytes_per_s = bytes / seconds;
  d.achieved_flops_per_s = flops / seconds;
  d.fraction_of_bandwidth = d.achieved_bytes_per_s / kBandwidth;
  d.fraction_of_peak = d.achieved_flops_per_s / kPeak;
  return d;
}

struct Engine {
  double fixed, bandwidth, compute;  // s, bytes/s, FLOP/s
};

// Decode of a model of 10 GB and 10 GFLOP a token whose sequences hold 0.2 GB of cache each:
// batch 1 to 256, of which 100 TFLOP/s x 0.5 are exceeded from a batch of about 125.
std::vector<Diagnosis> decode_steps(const Engine& e, const std::vector<double>& batches) {
  std::vector<Diagnosis> all;
  for (const double b : batches) {
    const double bytes = 10e9 + 0.2e9 * b, flops = 20e9 * b;
    all.push_back(step(MeasuredPhase::decode, b, bytes, flops,
                       e.fixed + std::max(bytes / e.bandwidth, flops / e.compute)));
  }
  return all;
}

Fit only(const std::vector<Diagnosis>& all) {
  const std::vector<Fit> fits = fits_of(all);
  EXPECT_EQ(fits.size(), 1U);
  return fits.empty() ? Fit{} : fits.front();
}

void expect_within(const Fitted& f, double truth) {
  EXPECT_LE(f.low, truth * (1 + 1e-9));
  EXPECT_GE(f.high, truth * (1 - 1e-9));
}

const std::vector<double> kBatches{1, 2, 4, 8, 16, 32, 64, 128};

TEST(Fit, exact_steps_give_their_engine_back) {
  // 16 GFLOP/s a byte/s: at half the peak FLOPs bind past (10 + 0.2 b) / 0.8 = 20 b / 50: b = 83.
  const Engine e{0.002, 0.8e12, 0.5e12 * 100};
  std::vector<double> batches = kBatches;
  batches.push_back(256);
  batches.push_back(512);
  const Fit fit = only(decode_steps(e, batches));
  ASSERT_TRUE(fit.bytes_per_s.value && fit.flops_per_s.value && fit.fixed_s.value);
  EXPECT_NEAR(*fit.bytes_per_s.value, 0.8e12, 1e3);
  EXPECT_NEAR(*fit.flops_per_s.value, 50e12, 1e5);
  EXPECT_NEAR(*fit.fixed_s.value, 0.002, 1e-9);
  expect_within(fit.bytes_per_s, 0.8e12);
  expect_within(fit.flops_per_s, 50e12);
  expect_within(fit.fixed_s, 0.002);
  EXPECT_EQ(fit.overlap, Overlap::full);
  EXPECT_EQ(fit.used, 10U);
  EXPECT_TRUE(fit.off.empty());
  EXPECT_LT(fit.residual, 1e-9);
  EXPECT_NEAR(fit.nominal_bytes_per_s, 1e12, 1);
  EXPECT_EQ(fit.batch.low, 1);
  EXPECT_EQ(fit.batch.high, 512);
}

TEST(Fit, collectives_are_taken_as_they_are) {
  std::vector<Diagnosis> all;
  for (const double b : kBatches) {
    const double bytes = 10e9 + 1e9 * b, network = 1e-4 * b;
    all.push_back(
        step(MeasuredPhase::decode, b, bytes, 1e9 * b, 0.001 + network + bytes / 0.5e12, network));
  }
  const Fit fit = only(all);
  ASSERT_TRUE(fit.bytes_per_s.value && fit.fixed_s.value);
  EXPECT_NEAR(*fit.bytes_per_s.value, 0.5e12, 1e3);
  EXPECT_NEAR(*fit.fixed_s.value, 0.001, 1e-9);
}

// With an error of 3 % (standard deviation) the truth lies within the ranges of nearly every set:
// they are made for 95 %.
TEST(Fit, ranges_hold_the_truth_of_noisy_steps) {
  const Engine e{0.004, 0.7e12, 40e12};
  std::mt19937 random(5);
  std::normal_distribution<double> noise(1, 0.03);
  int held = 0, known = 0;
  constexpr int kSets = 40;
  for (int set = 0; set < kSets; ++set) {
    std::vector<Diagnosis> all = decode_steps(e, {1, 4, 16, 32, 64, 128, 256, 512});
    for (Diagnosis& d : all) {
      const double seconds = d.step_seconds * noise(random);
      d = step(d.phase, d.batch, d.achieved_bytes_per_s * d.step_seconds,
               d.achieved_flops_per_s * d.step_seconds, seconds);
    }
    const Fit fit = only(all);
    const auto holds = [](const Fitted& f, double v) { return f.low <= v && v <= f.high; };
    held += holds(fit.bytes_per_s, e.bandwidth) && holds(fit.flops_per_s, e.compute) &&
            holds(fit.fixed_s, e.fixed);
    known += fit.flops_per_s.value.has_value();
  }
  EXPECT_GE(held, kSets * 8 / 10);
  EXPECT_GE(known, kSets * 9 / 10);
}

TEST(Fit, one_figure_is_no_fit) {
  EXPECT_TRUE(fits_of(decode_steps({0, 0.8e12, 50e12}, {1})).empty());
}

TEST(Fit, equal_figures_tell_nothing_apart) {
  const Fit fit = only(decode_steps({0, 0.8e12, 50e12}, {4, 4, 4}));
  EXPECT_EQ(fit.points, 3U);
  EXPECT_EQ(fit.sizes, 1U);
  for (const Fitted* f : {&fit.bytes_per_s, &fit.flops_per_s, &fit.fixed_s}) {
    EXPECT_FALSE(f->value);
    EXPECT_EQ(f->doubt, Doubt::one_size);
    EXPECT_FALSE(f->next.empty());
  }
}

// Of one batch and little context all steps read about the weights: 10.2 GB to 11.6 GB. What is
// fixed and what is bandwidth is open, but both are bounded: 10.2 GB at 1 TB/s leave of 14.75 ms
// (2 ms + 10.2 GB at 0.8 TB/s) 4.55 ms, and 10.2 GB in 14.75 ms are 692 GB/s.
TEST(Fit, steps_of_about_the_same_bytes_do_not_part_fixed_time_and_bandwidth) {
  const Fit fit = only(decode_steps({0.002, 0.8e12, 50e12}, {1, 2, 4, 8}));
  EXPECT_FALSE(fit.bytes_per_s.value && fit.fixed_s.value);
  EXPECT_EQ(fit.fixed_s.doubt, Doubt::no_slope);
  EXPECT_NE(fit.fixed_s.next.text.find("context"), std::string::npos);
  EXPECT_LE(fit.fixed_s.low, 0.001);
  EXPECT_GE(fit.fixed_s.high, 0.004);
  EXPECT_LE(fit.fixed_s.high, 0.0052);
  EXPECT_NEAR(fit.bytes_per_s.high, 1e12, 1);
  EXPECT_EQ(fit.flops_per_s.doubt, Doubt::other_bound);
  // 20 GFLOP x 8 in 16.5 ms: 9.7 TFLOP/s at least.
  EXPECT_GE(fit.flops_per_s.low, 9.0e12);
  EXPECT_LE(fit.flops_per_s.low, 20e12);
}

TEST(Fit, two_sizes_leave_no_residual_and_say_so) {
  const Fit fit = only(decode_steps({0.002, 0.8e12, 50e12}, {1, 60}));
  EXPECT_LT(fit.residual, 1e-9);
  ASSERT_FALSE(fit.notes.empty());
  EXPECT_NE(fit.notes.back().text.find("no residual"), std::string::npos);
  expect_within(fit.bytes_per_s, 0.8e12);
  expect_within(fit.fixed_s, 0.002);
  EXPECT_GT(fit.fixed_s.high - fit.fixed_s.low, 0.0001);
}

// Times that fall while the work grows are of no machine.
TEST(Fit, times_that_fall_are_no_slope) {
  std::vector<Diagnosis> all;
  const double seconds[] = {0.8, 0.4, 0.2, 0.1};
  for (int i = 0; i < 4; ++i) {
    const double bytes = 10e9 * (i + 1);
    all.push_back(step(MeasuredPhase::decode, i + 1, bytes, 1e9, seconds[i]));
  }
  const Fit fit = only(all);
  EXPECT_FALSE(fit.bytes_per_s.value || fit.fixed_s.value || fit.flops_per_s.value);
  EXPECT_EQ(fit.bytes_per_s.doubt, Doubt::misfit);
}

TEST(Fit, a_slow_step_among_good_ones_is_named) {
  std::vector<Diagnosis> all = decode_steps({0.002, 0.8e12, 50e12}, {1, 4, 16, 32, 64, 128, 256});
  Diagnosis& d = all[3];  // batch 32 takes 1.25 times as long
  d = step(d.phase, d.batch, 16.4e9, 640e9, 1.25 * d.step_seconds);
  const Fit fit = only(all);
  ASSERT_EQ(fit.off.size(), 1U);
  EXPECT_EQ(fit.off[0].index, 3U);
  EXPECT_EQ(fit.off[0].apart, Apart::slow);
  EXPECT_NEAR(fit.off[0].ratio, 1.25, 1e-6);
  ASSERT_TRUE(fit.bytes_per_s.value);
  EXPECT_NEAR(*fit.bytes_per_s.value, 0.8e12, 1e3);
}

// Steps above the roof, in a queue or past the memory are no evidence.
TEST(Fit, what_is_no_evidence_is_counted) {
  std::vector<Diagnosis> all = decode_steps({0.002, 0.8e12, 50e12}, {1, 16, 64, 128});
  all[1].verdict = Bound::above_roof;
  all[1].standing = Standing::unreachable;
  all[2].verdict = Bound::queue;
  const Fit fit = only(all);
  EXPECT_EQ(fit.points, 2U);
  ASSERT_FALSE(fit.notes.empty());
  EXPECT_EQ(fit.notes.front().amounts.front().value, 2);
}

TEST(Fit, each_phase_has_its_own) {
  std::vector<Diagnosis> all = decode_steps({0.002, 0.8e12, 50e12}, {1, 60});
  for (const double tokens : {512.0, 2048.0}) {
    const double flops = 20e9 * tokens;
    all.push_back(step(MeasuredPhase::prefill, tokens, 10e9, flops, 0.001 + flops / 60e12));
  }
  const std::vector<Fit> fits = fits_of(all);
  ASSERT_EQ(fits.size(), 2U);
  EXPECT_EQ(fits[0].phase, MeasuredPhase::prefill);
  ASSERT_TRUE(fits[0].flops_per_s.value);
  // Two prompts, three unknowns: the fixed time is within 1 % of 0.17 s.
  EXPECT_NEAR(*fits[0].flops_per_s.value, 60e12, 1e6);
  EXPECT_EQ(fits[0].bytes_per_s.doubt, Doubt::other_bound);
  EXPECT_EQ(fits[1].phase, MeasuredPhase::decode);
}

// measured-traps row 7: Qwen3-32B Q8_0 on Strix Halo (256 GB/s, 59.4 TFLOP/s), prompts of 1 to 64.
// 33.98 GB a step need 133 ms at 256 GB/s, so the slope of 157 ms is 0.84 of it or more (where part
// of it is fixed). Each token is 2 x 31.2e9 FLOP = 1.05 ms at the peak; the steps grow by
// (216 - 157) / 31 = 1.9 ms a token from the first on, the bend: bytes and FLOPs add up, and the
// FLOPs run at 1.05 / 1.9 = 0.55 of the peak. 64 tokens take 3202 ms where 157 + 63 x 1.9 = 277
// were due: the cliff, 11.6 times.
TEST(Fit, slope_bend_and_cliff_of_strix_halo) {
  const double tokens[] = {1, 2, 4, 8, 16, 32, 64};
  const double rates[] = {6.346474,  12.719832, 25.093757, 47.784908,
                          85.058658, 147.93395, 19.98537};
  std::vector<Diagnosis> all;
  for (int i = 0; i < 7; ++i) {
    const double seconds = tokens[i] / rates[i];
    Diagnosis d = step(MeasuredPhase::prefill, tokens[i], 33.98e9, 62.4e9 * tokens[i], seconds);
    d.fraction_of_bandwidth = 33.98e9 / 256e9 / seconds;
    d.fraction_of_peak = 62.4e9 * tokens[i] / 59.4e12 / seconds;
    all.push_back(d);
  }
  const Fit fit = only(all);
  ASSERT_EQ(fit.off.size(), 1U);
  EXPECT_EQ(fit.off[0].index, 6U);
  EXPECT_EQ(fit.off[0].apart, Apart::cliff);
  EXPECT_NEAR(fit.off[0].ratio, 11.6, 0.5);
  EXPECT_EQ(fit.used, 6U);
  EXPECT_EQ(fit.overlap, Overlap::none);
  EXPECT_LT(fit.residual, 0.03);
  EXPECT_EQ(fit.bytes_per_s.doubt, Doubt::no_slope);
  EXPECT_NEAR(fit.bytes_per_s.low / 256e9, 0.84, 0.03);
  EXPECT_NEAR(fit.bytes_per_s.high / 256e9, 1, 1e-9);
  EXPECT_NEAR(fit.fixed_s.high, 0.157 - 0.133, 0.005);
  ASSERT_TRUE(fit.flops_per_s.value);
  EXPECT_NEAR(*fit.flops_per_s.value / 59.4e12, 0.55, 0.05);
}

// Past a cliff every longer prompt lies on another line; the steps before it keep their fit.
TEST(Fit, a_cliff_that_stays_does_not_outvote_the_steps_before_it) {
  const Engine e{0.002, 0.8e12, 50e12};
  std::vector<Diagnosis> all = decode_steps(e, {1, 4, 16, 32, 64});
  for (const Diagnosis& d : decode_steps({0.002, 0.08e12, 5e12}, {96, 128, 256, 512, 1024, 2048})) {
    all.push_back(d);
  }
  const Fit fit = only(all);
  EXPECT_EQ(fit.off.size(), 6U);
  for (const OffFit& off : fit.off) EXPECT_EQ(off.apart, Apart::cliff);
  ASSERT_TRUE(fit.bytes_per_s.value);
  EXPECT_NEAR(*fit.bytes_per_s.value, 0.8e12, 1e3);
}

}  // namespace
}  // namespace rooflens::check_tests
