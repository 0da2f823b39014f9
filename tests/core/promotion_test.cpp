// Ladders of compute types, docs/model.md section 2, and the ridge.
#include <gtest/gtest.h>

#include "rooflens/core/device.h"

namespace rooflens {
namespace {

Device with(std::initializer_list<Compute> units) {
  Device d;
  d.bytes_per_s = 1e12;
  for (Compute c : units) d.peak[static_cast<std::size_t>(c)] = 1e14;
  return d;
}

TEST(Promotion, OwnTypeFirst) {
  const Device d = with({Compute::fp4, Compute::fp6, Compute::fp8, Compute::bf16, Compute::fp16,
                         Compute::fp32, Compute::int4, Compute::int8});
  EXPECT_EQ(promote(d, Element::fp4), Compute::fp4);
  EXPECT_EQ(promote(d, Element::fp6), Compute::fp6);
  EXPECT_EQ(promote(d, Element::fp8), Compute::fp8);
  EXPECT_EQ(promote(d, Element::bf16), Compute::bf16);
  EXPECT_EQ(promote(d, Element::fp16), Compute::fp16);
  EXPECT_EQ(promote(d, Element::fp32), Compute::fp32);
  for (Element e : {Element::int1, Element::int2, Element::int3, Element::int4}) {
    EXPECT_EQ(promote(d, e), Compute::int4);
  }
  for (Element e : {Element::int5, Element::int6, Element::int8}) {
    EXPECT_EQ(promote(d, e), Compute::int8);
  }
}

TEST(Promotion, UpTheLadder) {
  const Device ampere = with({Compute::bf16, Compute::fp16, Compute::fp32, Compute::int8});
  EXPECT_EQ(promote(ampere, Element::fp8), Compute::bf16);  // FP8 files run as W8A16
  EXPECT_EQ(promote(ampere, Element::fp4), Compute::bf16);
  EXPECT_EQ(promote(ampere, Element::int4), Compute::int8);
  const Device volta = with({Compute::fp16, Compute::fp32});
  EXPECT_EQ(promote(volta, Element::bf16), Compute::fp16);
  EXPECT_EQ(promote(volta, Element::int8), Compute::fp16);
  const Device hopper = with({Compute::fp8, Compute::bf16});
  EXPECT_EQ(promote(hopper, Element::fp4), Compute::fp8);
  EXPECT_EQ(promote(hopper, Element::fp16), Compute::bf16);
  const Device pascal = with({Compute::fp32});
  EXPECT_EQ(promote(pascal, Element::fp8), Compute::fp32);
  EXPECT_EQ(promote(pascal, Element::int2), Compute::fp32);
}

TEST(Promotion, MatrixUnitsWithoutFp32) {
  const Device tpu = with({Compute::bf16, Compute::int8});
  EXPECT_EQ(promote(tpu, Element::fp32), Compute::bf16);
}

TEST(Promotion, NothingKnown) {
  const Device d = with({});
  EXPECT_EQ(promote(d, Element::bf16), Compute::bf16);
  EXPECT_EQ(ridge(d, Compute::bf16), 0);
}

TEST(Ridge, PeakOverBandwidth) {
  Device d = with({Compute::bf16});  // 1e14 / 1e12
  EXPECT_EQ(ridge(d, Compute::bf16), 100);
  EXPECT_EQ(ridge(d, Compute::fp8), 0);
  d.bytes_per_s = 0;
  EXPECT_EQ(ridge(d, Compute::bf16), 0);
}

TEST(Origin, Names) {
  EXPECT_STREQ(name_of(Origin::datasheet), "datasheet");
  EXPECT_STREQ(name_of(Origin::given), "given");
}

}  // namespace
}  // namespace rooflens
