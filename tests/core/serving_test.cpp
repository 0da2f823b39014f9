// What follows for ranks, links and chunks from what was asked, worked out by hand.
#include "rooflens/core/serving.h"

#include <gtest/gtest.h>

namespace rooflens {
namespace {

TEST(Serving, ranks_that_are_not_told_follow_from_the_others) {
  const struct {
    RankWish wish;
    int devices, tensor;
  } cases[] = {
      {{}, 1, 1},
      {{.machine = 8}, 8, 8},               // all of the machine
      {{.tensor = 4, .machine = 8}, 4, 4},  // as many as the ranks need
      {{.devices = 8, .machine = 4}, 8, 8},
      {{.devices = 8, .pipeline = 2}, 8, 4},  // the rest of a split
      {{.tensor = 2, .pipeline = 2, .data = 2}, 8, 2},
      {{.data = 4}, 4, 1},
      {{.devices = 2, .pipeline = 4}, 2, 1},                   // validate() refuses it
      {{.pipeline = 65536, .data = 65536}, 1'000'000'000, 1},  // does not overflow
  };
  for (const auto& c : cases) {
    const Ranks r = share_out(c.wish);
    EXPECT_EQ(r.devices, c.devices);
    EXPECT_EQ(r.tensor, c.tensor);
  }
}

TEST(Serving, a_link_by_hand_stands_in_for_the_level_that_joins_all) {
  const std::vector<Link> known = {{"bridge", 2, 300e9, 2e-6}, {"PCIe", 0, 64e9, 3e-6}};
  const auto four = with_outer_link(known, {"given", 0, 32e9, -1}, 4);
  ASSERT_EQ(four.size(), 2U);
  EXPECT_EQ(four[0].bytes_per_s, 300e9);
  EXPECT_EQ(four[1].bytes_per_s, 32e9);
  EXPECT_EQ(four[1].size, 0);
  EXPECT_EQ(four[1].latency_s, 3e-6);
  const auto two = with_outer_link(known, {"given", 0, 32e9, 9e-6}, 2);
  ASSERT_EQ(two.size(), 1U);
  EXPECT_EQ(two[0].latency_s, 9e-6);
  const auto none = with_outer_link({}, {"given", 0, 32e9, -1}, 4);
  ASSERT_EQ(none.size(), 1U);
  EXPECT_EQ(none[0].latency_s, 0);
  const auto many = with_outer_link({{"NVLink", 8, 450e9, 2e-6}}, {"given", 0, 50e9, -1}, 16);
  ASSERT_EQ(many.size(), 2U);
  EXPECT_EQ(many[1].latency_s, 0);
}

TEST(Serving, chunks_fill_the_largest_step) {
  Workload w;
  w.prompt = 5000;
  EXPECT_EQ(chunk_within(w, 8192), 0);
  EXPECT_EQ(chunk_within(w, 2048), 2048);
  w.prefill_batch = 3;
  EXPECT_EQ(chunk_within(w, 2048), 682);
  EXPECT_EQ(chunk_within(w, 2), 1);
  EXPECT_EQ(chunk_within(w, 0), 0);
}

}  // namespace
}  // namespace rooflens
