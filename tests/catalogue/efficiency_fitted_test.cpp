#include "rooflens/catalogue/efficiency_fitted.h"

#include <gtest/gtest.h>

#include "rooflens/catalogue/built_in.h"
#include "rooflens/catalogue/catalogue.h"
#include "rooflens/catalogue/efficiency_priors.h"

namespace rooflens {
namespace {

const Device& device(std::string_view id) {
  const Device* d = built_in_catalogue().find(id);
  EXPECT_NE(d, nullptr) << id;
  static const Device kNone;
  return d != nullptr ? *d : kNone;
}

void expect_share(const std::optional<Range>& r, const std::string& what) {
  if (!r) return;
  EXPECT_GT(r->low, 0) << what;
  EXPECT_LE(r->low, r->mid) << what;
  EXPECT_LE(r->mid, r->high) << what;
  EXPECT_LE(r->high, 1) << what;
}

TEST(FittedTable, every_row_is_read_and_says_what_it_is_from) {
  const auto rows = parse_fitted(embedded::efficiency_fitted_csv, "efficiency_fitted.csv");
  ASSERT_TRUE(rows) << rows.error().message << rows.error().where;
  EXPECT_EQ(rows->size(), built_in_fitted().size());
  EXPECT_GT(rows->size(), 30u);
  for (const FittedEfficiency& f : *rows) {
    const std::string name = name_of(f.device) + " " + f.served.engine + " " + f.served.format;
    EXPECT_TRUE(f.memory || f.compute) << name;
    expect_share(f.memory, name);
    expect_share(f.compute, name);
    EXPECT_EQ(f.memory.has_value(), f.memory_points > 0) << name;
    EXPECT_EQ(f.compute.has_value(), f.compute_points > 0) << name;
    EXPECT_GE(f.sources, 1) << name;
    EXPECT_EQ(f.date.rfind("202", 0), 0u) << name << " " << f.date;
  }
}

TEST(FittedTable, classes_of_devices) {
  EXPECT_EQ(name_of(device_class(device("rtx-4090"))), "GDDR6X, NVIDIA");
  EXPECT_EQ(name_of(device_class(device("strix-halo"))), "LPDDR, AMD");
  EXPECT_EQ(name_of(device_class(device("strix-halo-cpu"))), "LPDDR, cpu");
  EXPECT_EQ(name_of(device_class(device("m3-max-40"))), "unified, Apple");
}

TEST(FittedTable, the_origin_says_fitted_or_prior) {
  const Efficiency fitted = efficiency_for(device("rtx-4090"), {"llama.cpp", "4-bit"});
  EXPECT_EQ(fitted.origin, "fitted (GDDR6X, NVIDIA, llama.cpp, 4-bit)");
  // Nobody measured a TPU.
  const Device& tpu = device("tpu-v5e");
  EXPECT_EQ(efficiency_for(tpu).origin, prior_for(tpu).origin);
  EXPECT_EQ(efficiency_for(tpu).memory.mid, prior_for(tpu).memory.mid);
}

TEST(FittedTable, a_broken_row_is_named) {
  const auto r = parse_fitted(
      "memory,who,engine,format,memory_low,memory_mid,memory_high\nGDDR6,AMD,,,0.9,0.8,0.7\n", "f");
  ASSERT_FALSE(r.has_value());
  EXPECT_EQ(r.error().where, "f:2");
  EXPECT_FALSE(r.error().hint.empty());
}

}  // namespace
}  // namespace rooflens
