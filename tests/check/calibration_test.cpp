// Efficiencies fitted on runs whose times are made from known ones.
#include "rooflens/check/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rooflens/check/quantile.h"
#include "rooflens/check/share_curve.h"

namespace rooflens {
namespace {

constexpr double kBandwidth = 1e12, kPeak = 100e12;

Efficiency prior() {
  Efficiency e;
  e.memory = {0.5, 0.7, 0.95};
  e.compute = {0.3, 0.6, 0.9};
  e.launch_s = {1e-6, 2e-6, 8e-6};
  e.fixed_s = {1e-4, 2e-4, 1e-3};
  e.origin = "prior (test)";
  return e;
}

// A decode step that reads `bytes` with `launches` kernels.
CalibrationSample decode(double bytes, double launches, double seconds, std::string group = "a") {
  CalibrationSample s;
  s.device = {"GDDR6X", "NVIDIA"};
  s.served = {"llama.cpp", "4-bit"};
  s.group = std::move(group);
  s.date = "2025-01";
  s.ceilings.bytes_per_s = kBandwidth;
  s.ceilings.peak.fill(kPeak);
  s.prior = prior();
  s.seconds = seconds;
  Phase p;
  Operator op;
  op.count = launches;
  op.weight_bytes = bytes / launches;
  Placed at;
  at.bytes = bytes / launches;
  p.operators = {op};
  p.placed = {at};
  p.totals.memory_seconds = bytes / kBandwidth;
  s.parts = {{p, 1}};
  return s;
}

// bytes / (share x bandwidth) + launches x launch + fixed, to within 3 % as people's runs vary.
std::vector<CalibrationSample> decodes(double share, double launch, double fixed,
                                       const std::string& group = "a") {
  std::vector<CalibrationSample> all;
  for (int i = 0; i < 24; ++i) {
    const double bytes = 1e9 * std::pow(1.2, i), launches = 200 + 20 * i;
    const double noise = 1 + 0.03 * (i % 3 - 1);
    all.push_back(decode(bytes, launches,
                         noise * (bytes / (share * kBandwidth) + launches * launch + fixed),
                         group));
  }
  return all;
}

const FittedEfficiency& row_of(const std::vector<FittedEfficiency>& rows, const std::string& engine,
                               const std::string& format) {
  static const FittedEfficiency kNone;
  for (const FittedEfficiency& r : rows) {
    if (r.device.memory == "GDDR6X" && r.served.engine == engine && r.served.format == format)
      return r;
  }
  ADD_FAILURE() << "no row for " << engine << " " << format;
  return kNone;
}

TEST(Calibration, small_and_large_reads_tell_launches_from_bandwidth) {
  const auto samples = decodes(0.8, 5e-6, 400e-6);
  const auto rows = Calibration(samples).rows();
  const FittedEfficiency& r = row_of(rows, "llama.cpp", "4-bit");
  ASSERT_TRUE(r.memory && r.launch_s && r.fixed_s);
  EXPECT_NEAR(r.memory->mid, 0.8, 0.01);
  EXPECT_NEAR(r.launch_s->mid, 5e-6, 1.1e-6);
  EXPECT_NEAR(r.fixed_s->mid, 400e-6, 200e-6);  // the grid's neighbours of 400 us are 200 and 800
  EXPECT_EQ(r.memory_points, 24);
  EXPECT_EQ(r.sources, 1);
  EXPECT_EQ(r.date, "2025-01");
  EXPECT_FALSE(r.compute.has_value());
}

// The ends leave out 5 % and are widened by 1.1: 3 % of noise makes about 0.97 / 1.1 and 1.03
// x 1.1.
TEST(Calibration, the_range_holds_what_was_seen_and_a_tenth_more) {
  const auto samples = decodes(0.8, 5e-6, 400e-6);
  const auto rows = Calibration(samples).rows();
  const Range m = row_of(rows, "llama.cpp", "4-bit").memory.value_or(Range{});
  EXPECT_NEAR(m.low, 0.8 / (1.03 * 1.1), 0.015);
  EXPECT_NEAR(m.high, 0.8 / 0.97 * 1.1, 0.015);
  for (const CalibrationSample& s : samples) {
    const Range t = expected_seconds(s, with_fitted(s.prior, rows, s.device, s.served));
    EXPECT_GE(s.seconds, t.low);
    EXPECT_LE(s.seconds, t.high);
  }
}

TEST(Calibration, a_source_can_be_left_out) {
  auto samples = decodes(0.8, 2e-6, 200e-6, "fast");
  const auto slow = decodes(0.4, 2e-6, 200e-6, "slow");
  samples.insert(samples.end(), slow.begin(), slow.end());
  const Calibration c(samples);
  const auto without_slow = c.rows_without("slow"), without_fast = c.rows_without("fast");
  EXPECT_NEAR(row_of(without_slow, "llama.cpp", "").memory->mid, 0.8, 0.01);
  EXPECT_NEAR(row_of(without_fast, "llama.cpp", "").memory->mid, 0.4, 0.01);
  EXPECT_EQ(row_of(c.rows(), "", "").sources, 2);
  // One source is no evidence for all engines.
  for (const FittedEfficiency& r : without_slow) EXPECT_FALSE(r.served.engine.empty());
}

TEST(Calibration, few_points_fit_nothing) {
  auto samples = decodes(0.8, 5e-6, 400e-6);
  samples.resize(kLeastFinePoints - 1);
  EXPECT_TRUE(Calibration(samples).rows().empty());
}

// Steps alike in their bytes cannot tell launches from bandwidth: the prior's stay.
TEST(Calibration, equal_steps_keep_the_priors_launches) {
  std::vector<CalibrationSample> samples;
  for (int i = 0; i < 24; ++i) samples.push_back(decode(8e9, 300, 8e9 / 0.5 / kBandwidth));
  const FittedEfficiency r = row_of(Calibration(samples).rows(), "llama.cpp", "4-bit");
  EXPECT_NEAR(r.launch_s->mid, 2e-6, 1e-9);
  EXPECT_NEAR(r.fixed_s->mid, 200e-6, 1e-9);
  // 16 ms less 0.8 ms of launches and fixed time for 8 ms of reading.
  EXPECT_NEAR(r.memory->mid, 8 / 15.2, 0.005);
}

// 10 TFLOP at 40 % of 100 TFLOP/s take 250 ms; launches and the fixed time add 0.4 ms.
TEST(Calibration, prefill_tells_the_compute_share) {
  std::vector<CalibrationSample> samples;
  for (int i = 0; i < 24; ++i) {
    CalibrationSample s = decode(8e9, 100, 10e12 / 0.4 / kPeak + 0.4e-3);
    s.phase = MeasuredPhase::prefill;
    Phase& p = s.parts[0].phase;
    p.operators[0].flops = 10e12 / 100;
    p.operators[0].matrix = true;
    p.totals.compute_seconds = 10e12 / kPeak;
    samples.push_back(std::move(s));
  }
  const FittedEfficiency r = row_of(Calibration(samples).rows(), "llama.cpp", "");
  ASSERT_TRUE(r.compute.has_value());
  EXPECT_NEAR(r.compute->mid, 0.4, 0.002);
  EXPECT_FALSE(r.memory.has_value());
  EXPECT_EQ(r.compute_points, 24);
}

// 10 GB at 1 TB/s and a share s take 10 ms / s.
TEST(ShareCurve, goes_both_ways) {
  const CalibrationSample s = decode(10e9, 100, 1);
  Efficiency bare = prior();
  bare.launch_s = bare.fixed_s = {};
  const ShareCurve c(s, bare, &Efficiency::memory);
  for (const double share : {0.03, 0.2, 0.5, 0.77, 1.0}) {
    EXPECT_NEAR(c.seconds_at(share), 0.01 / share, 1e-4 * 0.01 / share);
    EXPECT_NEAR(c.share_for(0.01 / share), share, 1e-4);
  }
  EXPECT_EQ(c.share_for(0.001), 1);  // faster than the roof
  EXPECT_EQ(c.share_for(-1), 1);
  EXPECT_EQ(c.share_for(100), ShareCurve::kLeastShare);
}

TEST(Quantile, weights_count) {
  EXPECT_EQ(quantile({3, 1, 2}, 0.5), 2);
  EXPECT_EQ(quantile({}, 0.5), 0);
  EXPECT_EQ(weighted_quantile({{1, 1}, {2, 1}, {3, 8}}, 0.5), 3);
}

}  // namespace
}  // namespace rooflens
