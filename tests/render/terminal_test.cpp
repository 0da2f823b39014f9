#include "rooflens/render/terminal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "rooflens/render/text.h"

namespace rooflens {
namespace {

std::vector<std::string> lines_of(const std::string& s) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < s.size();) {
    const std::size_t end = std::min(s.find('\n', at), s.size());
    out.push_back(s.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

RooflineChart small() {
  RooflineChart c;
  c.ceilings = {{"FP8 1.67 PFLOP/s", 1671e12, 3.9e12, false, "3.90 TB/s"},
                {"BF16 836 TFLOP/s", 836e12, 3.9e12, false, ""}};
  c.points = {{"decode step", "", PointKind::step, PointPhase::decode, 13.7, 53e12, false, ""},
              {"prefill step", "", PointKind::step, PointPhase::prefill, 944, 836e12, false, ""},
              {"the same", "", PointKind::fc, PointPhase::prefill, 944, 836e12, true, ""}};
  return c;
}

TEST(Terminal, ShowsRoofsRidgesAndPoints) {
  const std::string out = roofline_text(small());
  EXPECT_NE(out.find("FP8 1.67 PFLOP/s"), std::string::npos);
  EXPECT_NE(out.find("BF16 836 TFLOP/s"), std::string::npos);
  EXPECT_NE(out.find("3.90 TB/s"), std::string::npos);
  EXPECT_NE(out.find("214"), std::string::npos);
  EXPECT_NE(out.find("428"), std::string::npos);
  EXPECT_NE(out.find("A decode step   13.7 FLOP/B  53.0 TFLOP/s"), std::string::npos) << out;
  EXPECT_NE(out.find("C prefill step   944 FLOP/B  836 TFLOP/s  at b"), std::string::npos) << out;
  // The letters stand in the plot, once each.
  const std::vector<std::string> lines = lines_of(out);
  const auto in_plot = [&](const std::string& letter) {
    return std::count_if(lines.begin(), lines.begin() + 18, [&](const std::string& l) {
      const std::size_t at = l.find(letter);
      return at != std::string::npos && l.compare(at > 2 ? at - 3 : 0, 1, "\xe2") == 0;
    });
  };
  EXPECT_EQ(in_plot("A"), 1) << out;
  EXPECT_EQ(in_plot("b"), 1) << out;  // measured
  EXPECT_NE(out.find("small letter: measured\n"), std::string::npos);
}

TEST(Terminal, AsciiIsAscii) {
  RooflineChart c = small();
  c.title = "µ → ≥ 模\x1b[2J";
  for (const char ch : roofline_text(c, {80, 20, false, true}))
    EXPECT_TRUE(ch == '\n' || (ch >= 0x20 && ch < 0x7f)) << int{ch};
}

TEST(Terminal, ColorOnlyWhenAsked) {
  EXPECT_EQ(roofline_text(small()).find('\x1b'), std::string::npos);
  EXPECT_NE(roofline_text(small(), {80, 20, true, false}).find('\x1b'), std::string::npos);
}

TEST(Terminal, NeverWiderThanAsked) {
  std::mt19937 random(3);
  const auto any = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto value = [&] {
    switch (any(8)) {
      case 0:
        return 0.0;
      case 1:
        return std::numeric_limits<double>::infinity();
      default:
        return std::pow(10.0, any(300) / 20.0 - 6);
    }
  };
  const auto label = [&]() -> std::string {
    switch (any(4)) {
      case 0:
        return "";
      case 1:
        return "模型 attention 模型模型";
      case 2:
        return "a label that goes on and on, longer than any line of the terminal can be, µ";
      default:
        return "FC\n\xff";
    }
  };
  for (int round = 0; round < 400; ++round) {
    RooflineChart c;
    c.title = label();
    c.subtitle = label();
    for (int i = any(5); i > 0; --i)
      c.ceilings.push_back({label(), value(), value(), any(2) == 0, label()});
    for (int i = any(70); i > 0; --i)
      c.points.push_back({label(), label(), static_cast<PointKind>(any(6)),
                          static_cast<PointPhase>(any(3)), value(), value(), any(2) == 0, ""});
    c.paths = {{label(), PointPhase::decode, {{value(), value(), "1"}, {value(), value(), "2"}}}};
    const int width = 20 + any(120), height = any(40);
    for (const bool ascii : {false, true})
      for (const std::string& l : lines_of(roofline_text(c, {width, height, false, ascii})))
        EXPECT_LE(display_width(l), std::max(40, width)) << l;
  }
}

}  // namespace
}  // namespace rooflens
