#include "rooflens/core/quantity.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rooflens {
namespace {

using Parser = Result<double> (*)(std::string_view);

double ok(Parser parse, std::string_view text) {
  const auto r = parse(text);
  EXPECT_TRUE(r.has_value()) << text << ": " << (r ? "" : r.error().message);
  return r ? *r : -1;
}

ErrorCode refused(Parser parse, std::string_view text) {
  const auto r = parse(text);
  EXPECT_FALSE(r.has_value()) << text << " was read as " << (r ? *r : 0);
  if (r) return ErrorCode::not_found;  // none of the parsers says this
  EXPECT_FALSE(r.error().message.empty()) << text;
  return r.error().code;
}

TEST(Quantity, CountsTellThousandsFrom1024) {
  EXPECT_EQ(ok(parse_count, "8"), 8);
  EXPECT_EQ(ok(parse_count, "8k"), 8000);
  EXPECT_EQ(ok(parse_count, "8K"), 8000);
  EXPECT_EQ(ok(parse_count, "128Ki"), 131072);  // 128 * 1024
  EXPECT_EQ(ok(parse_count, "1.5M"), 1.5e6);
  EXPECT_EQ(ok(parse_count, " 2 Mi "), 2097152);
  EXPECT_EQ(ok(parse_count, "1e6"), 1e6);
  EXPECT_EQ(ok(parse_count, "+16"), 16);
  EXPECT_EQ(ok(parse_count, "0"), 0);
}

TEST(Quantity, CountsRefuse) {
  EXPECT_EQ(refused(parse_count, ""), ErrorCode::malformed);
  EXPECT_EQ(refused(parse_count, "-1"), ErrorCode::invalid);
  EXPECT_EQ(refused(parse_count, "1.5"), ErrorCode::invalid);
  EXPECT_EQ(refused(parse_count, "nan"), ErrorCode::malformed);
  EXPECT_EQ(refused(parse_count, "inf"), ErrorCode::malformed);
  EXPECT_EQ(refused(parse_count, "infinity"), ErrorCode::malformed);
  EXPECT_EQ(refused(parse_count, "1e400"), ErrorCode::out_of_range);
  EXPECT_EQ(refused(parse_count, "1e300E"), ErrorCode::out_of_range);
  EXPECT_EQ(refused(parse_count, "1e17"), ErrorCode::out_of_range);  // past 2^53
  EXPECT_EQ(refused(parse_count, "8 sheep"), ErrorCode::malformed);
  EXPECT_EQ(refused(parse_count, "8kk"), ErrorCode::malformed);
  EXPECT_EQ(refused(parse_count, "8m"), ErrorCode::malformed);  // milli or million?
  EXPECT_EQ(refused(parse_count, "1,000"), ErrorCode::malformed);
  EXPECT_EQ(refused(parse_count, "0x10"), ErrorCode::malformed);
}

TEST(Quantity, BytesTellGbFromGib) {
  EXPECT_EQ(ok(parse_bytes, "94GB"), 94e9);
  EXPECT_EQ(ok(parse_bytes, "94GiB"), 94.0 * 1024 * 1024 * 1024);
  EXPECT_EQ(ok(parse_bytes, "94gb"), 94e9);
  EXPECT_EQ(ok(parse_bytes, "94 G"), 94e9);
  EXPECT_EQ(ok(parse_bytes, "94Gi"), 94.0 * 1024 * 1024 * 1024);
  EXPECT_EQ(ok(parse_bytes, "95830 MiB"), 100485038080.0);  // 95830 * 2^20
  EXPECT_EQ(ok(parse_bytes, "1000000"), 1e6);
  EXPECT_EQ(ok(parse_bytes, "16 bytes"), 16);
  EXPECT_EQ(refused(parse_bytes, "8Gb"), ErrorCode::malformed);
  EXPECT_EQ(refused(parse_bytes, "8Gbit"), ErrorCode::malformed);
  EXPECT_EQ(refused(parse_bytes, "94GB/s"), ErrorCode::malformed);
  EXPECT_NE(parse_bytes("8Gb").error().message.find("bits"), std::string::npos);
}

TEST(Quantity, RatesOfBytesAndBits) {
  EXPECT_EQ(ok(parse_bytes_per_s, "3.35TB/s"), 3.35e12);  // equal to the last bit
  EXPECT_EQ(ok(parse_bytes_per_s, "3350 GB/s"), 3.35e12);
  EXPECT_EQ(ok(parse_bytes_per_s, "3.9T"), 3.9e12);
  EXPECT_EQ(ok(parse_bytes_per_s, "819 GBps"), 819e9);
  EXPECT_EQ(ok(parse_bytes_per_s, "1GiB/s"), 1073741824.0);
  EXPECT_EQ(ok(parse_bytes_per_s, "400Gb/s"), 50e9);  // 400 / 8
  EXPECT_EQ(ok(parse_bytes_per_s, "400 Gbit/s"), 50e9);
  EXPECT_EQ(ok(parse_bytes_per_s, "400Gbps"), 50e9);
  EXPECT_EQ(ok(parse_bytes_per_s, "400gbps"), 50e9);  // "bps" is bits however it is typed
  EXPECT_EQ(refused(parse_bytes_per_s, "5600MT/s"), ErrorCode::malformed);
  EXPECT_EQ(refused(parse_bytes_per_s, "3.35TB/h"), ErrorCode::malformed);
  EXPECT_EQ(refused(parse_bytes_per_s, "-3TB/s"), ErrorCode::invalid);
  EXPECT_EQ(refused(parse_bytes_per_s, "TB/s"), ErrorCode::malformed);
}

TEST(Quantity, FlopsSecondsShares) {
  EXPECT_EQ(ok(parse_link_rate, "400Gb/s"), 50e9);
  EXPECT_EQ(ok(parse_link_rate, "64 GB/s"), 64e9);
  EXPECT_EQ(ok(parse_link_rate, "400gbps"), 50e9);
  EXPECT_EQ(refused(parse_link_rate, "400"), ErrorCode::malformed);
  EXPECT_EQ(refused(parse_link_rate, "400G"), ErrorCode::malformed);
  EXPECT_EQ(refused(parse_link_rate, "5600MT/s"), ErrorCode::malformed);
  EXPECT_EQ(ok(parse_flops_per_s, "836T"), 836e12);
  EXPECT_EQ(ok(parse_flops_per_s, "836 TFLOPS"), 836e12);
  EXPECT_EQ(ok(parse_flops_per_s, "836 TFLOP/s"), 836e12);
  EXPECT_EQ(ok(parse_flops_per_s, "1.67P"), 1.67e15);
  EXPECT_EQ(ok(parse_flops_per_s, "1979 TOPS"), 1979e12);
  EXPECT_EQ(refused(parse_flops_per_s, "836TB/s"), ErrorCode::malformed);
  EXPECT_EQ(refused(parse_flops_per_s, "836Ti"), ErrorCode::malformed);

  EXPECT_EQ(ok(parse_seconds, "5us"), 5e-6);
  EXPECT_EQ(ok(parse_seconds, "5 \xC2\xB5s"), 5e-6);
  EXPECT_EQ(ok(parse_seconds, "2ms"), 2e-3);
  EXPECT_EQ(ok(parse_seconds, "300ns"), 3e-7);
  EXPECT_EQ(ok(parse_seconds, "1.5"), 1.5);
  EXPECT_EQ(ok(parse_seconds, "2min"), 120);
  EXPECT_EQ(refused(parse_seconds, "5 parsecs"), ErrorCode::malformed);

  EXPECT_EQ(ok(parse_fraction, "40%"), 0.4);
  EXPECT_EQ(ok(parse_fraction, "0.4"), 0.4);
  EXPECT_EQ(ok(parse_fraction, "1"), 1);
  EXPECT_EQ(ok(parse_fraction, "100 %"), 1);
  EXPECT_EQ(refused(parse_fraction, "40"), ErrorCode::out_of_range);
  EXPECT_EQ(refused(parse_fraction, "101%"), ErrorCode::out_of_range);
  EXPECT_EQ(refused(parse_fraction, "0.4x"), ErrorCode::malformed);
}

TEST(Quantity, NumbersAreRoundedOnce) {
  EXPECT_EQ(parse_number("989.4", 12), 989.4e12);
  EXPECT_EQ(parse_number("0.1"), 0.1);
  EXPECT_EQ(parse_number("-2.5e-3"), -2.5e-3);
  EXPECT_EQ(parse_number("123456789012345678901234567890"), 123456789012345678901234567890.0);
  EXPECT_EQ(parse_number("1e-320"), 1e-320);
  EXPECT_EQ(parse_number("000.500"), 0.5);
  for (const char* bad : {"", "-", ".", "e5", "1e", "1.2.3", "nan", "0x1", "1 2", "1e999"}) {
    EXPECT_FALSE(parse_number(bad).has_value()) << bad;
  }
}

TEST(Quantity, ListsAsLlamaBenchWritesThem) {
  using V = std::vector<double>;
  EXPECT_EQ(*parse_list("1,2,4"), (V{1, 2, 4}));
  EXPECT_EQ(*parse_list("1-256*2"), (V{1, 2, 4, 8, 16, 32, 64, 128, 256}));
  EXPECT_EQ(*parse_list("512-2048+512"), (V{512, 1024, 1536, 2048}));
  EXPECT_EQ(*parse_list("4-8"), (V{4, 5, 6, 7, 8}));
  EXPECT_EQ(*parse_list("1k-4k*2, 16Ki"), (V{1000, 2000, 4000, 16384}));
  EXPECT_EQ(*parse_list("3-3"), (V{3}));
  EXPECT_EQ(*parse_list("7,7"), (V{7, 7}));
  for (const char* bad : {"", ",", "1,,2", "1,", "8-4", "1-8*1", "1-8+0", "0-8*2", "1-", "-1",
                          "1-x", "1-8*", "1-8/2", "1.5", "nan", "1-8+2+2"}) {
    EXPECT_FALSE(parse_list(bad).has_value()) << bad;
  }
}

TEST(Quantity, ListsAreBounded) {
  EXPECT_EQ(parse_list("1-10000")->size(), kMaxListValues);
  EXPECT_EQ(parse_list("1-10001").error().code, ErrorCode::out_of_range);
  EXPECT_EQ(parse_list("1-9007199254740992").error().code, ErrorCode::out_of_range);
  EXPECT_EQ(parse_list("1-6000,1-6000").error().code, ErrorCode::out_of_range);
}

TEST(Quantity, MessagesStayShort) {
  const std::string endless(5000, '9');
  EXPECT_LT(parse_count(endless).error().message.size(), 120u);
  EXPECT_EQ(quoted("a\nb"), "'a b'");
}

}  // namespace
}  // namespace rooflens
