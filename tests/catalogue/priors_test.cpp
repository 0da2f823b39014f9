#include <gtest/gtest.h>

#include "rooflens/catalogue/catalogue.h"
#include "rooflens/catalogue/efficiency_priors.h"

namespace rooflens {
namespace {

Efficiency prior(std::string_view id) {
  const Device* d = built_in_catalogue().find(id);
  EXPECT_NE(d, nullptr) << id;
  return d != nullptr ? prior_for(*d) : Efficiency{};
}

void expect_order(const Range& r, double most, const std::string& what) {
  EXPECT_GT(r.low, 0) << what;
  EXPECT_LT(r.low, r.mid) << what;
  EXPECT_LT(r.mid, r.high) << what;
  EXPECT_LE(r.high, most) << what;
}

TEST(Priors, EveryDeviceHasOneAndItIsARange) {
  for (const Device& d : built_in_catalogue().devices) {
    const Efficiency e = prior_for(d);
    EXPECT_EQ(e.origin.rfind("prior (", 0), 0u) << d.id << " " << e.origin;
    expect_order(e.memory, 1, d.id);
    expect_order(e.compute, 1, d.id);
    expect_order(e.communication, 1, d.id);
    expect_order(e.launch_s, 20e-6, d.id);
    expect_order(e.fixed_s, 10e-3, d.id);
    EXPECT_GT(e.corner, 0);
    EXPECT_LE(e.corner, 1);
  }
}

TEST(Priors, ChosenByMemoryThenByMaker) {
  EXPECT_EQ(prior("h100-sxm").origin, "prior (HBM3)");
  EXPECT_EQ(prior("mi300x").origin, "prior (HBM3, AMD)");
  EXPECT_LE(prior("mi300x").compute.high, 0.6);  // best GEMM 51 % of the sheet
  EXPECT_EQ(prior("rtx-4090").origin, "prior (GDDR6X)");
  EXPECT_EQ(prior("m3-max-40").origin, "prior (unified)");
  EXPECT_EQ(prior("epyc-9654").origin, "prior (DDR)");
  EXPECT_EQ(prior("xeon-6980p").origin, "prior (DDR)");
  EXPECT_EQ(prior("xeon-max-9480").origin, "prior (HBM2e, cpu)");
  EXPECT_EQ(prior("gb10").origin, "prior (LPDDR)");
  EXPECT_EQ(prior("wse-3").origin, "prior (unknown memory)");
  EXPECT_EQ(prior_for(Device{}).origin, "prior (unknown memory)");
}

// Llama 3 8B F16 on a 4090: 15.044 GB over 1008 GB/s = 14.92 ms; 54.84 tok/s = 18.2 ms measured.
TEST(Priors, HoldAMeasuredDecode) {
  const Efficiency e = prior("rtx-4090");
  const double roof = 15.044e9 / 1008e9, operators = 290;
  const double fast = roof / e.memory.high + operators * e.launch_s.low + e.fixed_s.low;
  const double mid = roof / e.memory.mid + operators * e.launch_s.mid + e.fixed_s.mid;
  const double slow = roof / e.memory.low + operators * e.launch_s.high + e.fixed_s.high;
  EXPECT_LT(fast, 18.2e-3);
  EXPECT_GT(slow, 18.2e-3);
  EXPECT_NEAR(mid, 18.2e-3, 1e-3);
}

TEST(Priors, TablesThatAreWrong) {
  EXPECT_FALSE(prior_from("", Device{}).has_value());
  EXPECT_FALSE(prior_from("memory,who\nunknown,\n", Device{}).has_value());
}

}  // namespace
}  // namespace rooflens
