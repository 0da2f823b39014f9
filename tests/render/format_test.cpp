#include "rooflens/render/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rooflens {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Format, Table) {
  const struct {
    double value;
    Unit unit;
    const char* text;
  } cases[] = {
      {3.9e12, Unit::bytes_per_s, "3.90 TB/s"},
      {836e12, Unit::flops_per_s, "836 TFLOP/s"},
      {1671e12, Unit::flops_per_s, "1.67 PFLOP/s"},
      {4.64e-3, Unit::seconds, "4.64 ms"},
      {33400.6, Unit::tokens_per_s, "33,401 tok/s"},
      {45.23, Unit::tokens_per_s, "45.2 tok/s"},
      {215.4, Unit::tokens_per_s, "215 tok/s"},
      {1.234e7, Unit::tokens_per_s, "12.3 Mtok/s"},
      {16, Unit::flop_per_byte, "16.0 FLOP/B"},
      {0.8, Unit::flop_per_byte, "0.800 FLOP/B"},
      {1234.5, Unit::flop_per_byte, "1,235 FLOP/B"},
      {0.0374, Unit::fraction, "3.74 %"},
      {1, Unit::fraction, "100 %"},
      {262144, Unit::tokens, "262,144 tokens"},
      {1, Unit::tokens, "1 token"},
      {13.72, Unit::tokens, "13.7 tokens"},
      {1.85, Unit::ratio, "1.85x"},
      {1500, Unit::ratio, "1,500x"},
      {16.06e9, Unit::bytes, "16.1 GB"},
      {512, Unit::bytes, "512 B"},
      {1e3, Unit::bytes, "1.00 kB"},
      {80.0 * 1073741824, Unit::bytes_binary, "80.0 GiB"},
      {131072, Unit::bytes_binary, "128 KiB"},
      {1023, Unit::bytes_binary, "1,023 B"},
      {8.03e9, Unit::parameters, "8.03 B"},
      {494e6, Unit::parameters, "494 M"},
      {2.5, Unit::dollars_per_hour, "$2.50/h"},
      {0.0352, Unit::dollars_per_mtok, "$0.035/Mtok"},
      {1234.4, Unit::dollars, "$1,234"},
      {-3, Unit::dollars, "-$3.00"},
      {12.3e-6, Unit::seconds, "12.3 µs"},
      {5e-10, Unit::seconds, "0.500 ns"},
      {90, Unit::seconds, "90.0 s"},
      {3600, Unit::seconds, "60.0 min"},
      {3e5, Unit::seconds, "3.47 d"},
      {8, Unit::count, "8"},
      {700, Unit::watts, "700 W"},
      {1.98e9, Unit::hertz, "1.98 GHz"},
  };
  for (const auto& c : cases) EXPECT_EQ(format(c.value, c.unit), c.text) << c.value;
}

TEST(Format, RoundingCarriesIntoTheNextPrefix) {
  EXPECT_EQ(format(999.96e9, Unit::flops_per_s), "1.00 TFLOP/s");
  EXPECT_EQ(format(999.4e9, Unit::flops_per_s), "999 GFLOP/s");
  EXPECT_EQ(format(999.6e9, Unit::flops_per_s), "1.00 TFLOP/s");
  EXPECT_EQ(format(0.99996e-3, Unit::seconds), "1.00 ms");
  EXPECT_EQ(format(0.99999, Unit::seconds), "1.00 s");
  EXPECT_EQ(format(9.996, Unit::flop_per_byte), "10.0 FLOP/B");
  EXPECT_EQ(format(1048575.9, Unit::bytes_binary), "1.00 MiB");
  EXPECT_EQ(format_short(999.96), "1 k");
}

TEST(Format, EdgesOfDouble) {
  for (const Unit u : {Unit::none, Unit::tokens, Unit::flops_per_s, Unit::bytes, Unit::bytes_binary,
                       Unit::seconds, Unit::fraction, Unit::dollars, Unit::ratio}) {
    EXPECT_EQ(format(kNan, u), "unknown");
    EXPECT_EQ(format(kInf, u), "unknown");
    EXPECT_EQ(format(-kInf, u), "unknown");
    for (const double v : {0.0, -0.0, 1e-308, 4.9e-324, 1.7e308, -1e300, 1e15, 1e18, -0.5})
      EXPECT_LT(format(v, u).size(), 32u) << v;
  }
  EXPECT_EQ(format(0, Unit::bytes), "0 B");
  EXPECT_EQ(format(-0.0, Unit::flop_per_byte), "0 FLOP/B");
  EXPECT_EQ(format(-2.5e12, Unit::bytes_per_s), "-2.50 TB/s");
  EXPECT_EQ(format(1e-9, Unit::none), "1.00e-9");
}

TEST(Format, Significant) {
  EXPECT_EQ(significant(123456, 3), "123,000");
  EXPECT_EQ(significant(0.00012345, 3), "0.000123");
  EXPECT_EQ(significant(1.23456e20, 3), "1.23e+20");
  EXPECT_EQ(significant(4.9406564584124654e-324, 3), "4.94e-324");
  EXPECT_EQ(significant(1.7976931348623157e308, 3), "1.80e+308");
  EXPECT_EQ(significant(1000, 1), "1,000");
  EXPECT_EQ(significant(99999, 4), "100,000");
}

// Every decade and both sides of each, against the C library.
TEST(Format, AgreesWithPrintf) {
  for (int e = -18; e <= 18; ++e) {
    for (const double m : {1.0, 1.2345, 9.994, 9.9951, 5.5551}) {
      const double v = m * std::pow(10.0, e);
      std::string ours = significant(v, 3);
      std::erase(ours, ',');
      char theirs[40];
      std::snprintf(theirs, sizeof theirs, "%.2e", v);
      EXPECT_DOUBLE_EQ(std::strtod(ours.c_str(), nullptr), std::strtod(theirs, nullptr)) << v;
    }
  }
}

TEST(Format, Short) {
  EXPECT_EQ(format_short(1.67e15, "FLOP/s"), "1.67 PFLOP/s");
  EXPECT_EQ(format_short(10e12), "10 T");
  EXPECT_EQ(format_short(0.1), "0.1");
  EXPECT_EQ(format_short(1e-6), "1e-6");
  EXPECT_EQ(format_short(0), "0");
  EXPECT_EQ(format_short(1e21), "1e+21");
}

TEST(Format, Parts) {
  const Formatted f = format_parts(3.9e12, Unit::bytes_per_s);
  EXPECT_EQ(f.number, "3.90");
  EXPECT_EQ(f.unit, "TB/s");
  EXPECT_FALSE(f.tight);
  EXPECT_TRUE(format_parts(2, Unit::ratio).tight);
}

}  // namespace
}  // namespace rooflens
