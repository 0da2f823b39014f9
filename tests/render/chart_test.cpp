#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "rooflens/render/axis.h"
#include "rooflens/render/place_labels.h"
#include "rooflens/render/roofline_chart.h"
#include "rooflens/render/svg.h"
#include "rooflens/render/text.h"
#include "rooflens/render/text_width.h"

namespace rooflens {
namespace {

RooflineChart h100() {
  RooflineChart c;
  c.title = "8B model in FP8 on H100 NVL";
  c.subtitle = "decode batch 8, prefill 1,024 tokens";
  const double bw = 3.9e12;
  c.ceilings = {{"FP8 1.67 PFLOP/s", 1671e12, bw, false, "HBM3 3.90 TB/s"},
                {"BF16 836 TFLOP/s", 836e12, bw, false, ""}};
  c.points = {
      {"decode FC", "FC", PointKind::fc, PointPhase::decode, 16, 16 * bw, false, ""},
      {"decode attention", "", PointKind::attention, PointPhase::decode, 8, 8 * bw, false, ""},
      {"decode step", "step", PointKind::step, PointPhase::decode, 13.7, 13.7 * bw, false, ""},
      {"measured", "", PointKind::step, PointPhase::decode, 13.7, 8 * bw, true, "<b>&\"'"},
      {"prefill FC", "FC", PointKind::fc, PointPhase::prefill, 1040, 1671e12, false, ""}};
  ChartPath path{"decode, batch 1 to 256", PointPhase::decode, {}};
  for (int b = 1; b <= 256; b *= 2)
    path.steps.push_back({2.0 * b, std::min(2 * b * bw, 1671e12), std::to_string(b)});
  c.paths = {path};
  return c;
}

// Every promise of draw() about labels.
void check(const Scene& s, const char* what) {
  std::vector<std::pair<Quad, std::string>> texts;
  std::vector<Box> marks;
  for (const Item& i : s.items) {
    if (const auto* t = std::get_if<Text>(&i.shape)) texts.push_back({text_quad(*t), t->text});
    if (const auto* m = std::get_if<Mark>(&i.shape)) marks.push_back(mark_box(*m));
  }
  const Box frame{0, 0, s.width, s.height};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_TRUE(frame.contains(bounds(texts[i].first))) << what << ": clipped " << texts[i].second;
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_FALSE(overlap(texts[i].first, texts[j].first))
          << what << ": " << texts[i].second << " over " << texts[j].second;
    for (const Box& m : marks)
      EXPECT_FALSE(overlap(texts[i].first, quad(m))) << what << ": on a mark " << texts[i].second;
  }
  for (const Box& m : marks) EXPECT_TRUE(frame.contains(m)) << what;
  for (const Item& i : s.items)
    if (const auto* p = std::get_if<Polyline>(&i.shape))
      for (const Point2& q : p->points) {
        EXPECT_TRUE(std::isfinite(q.x) && std::isfinite(q.y)) << what;
        EXPECT_TRUE(q.x > -10 && q.x < s.width + 10 && q.y > -10 && q.y < s.height + 10) << what;
      }
}

std::size_t count(const Scene& s, const std::string& text) {
  std::size_t n = 0;
  for (const Item& i : s.items)
    if (const auto* t = std::get_if<Text>(&i.shape)) n += t->text == text;
  return n;
}

// Tags balance, quotes close, no bare ampersand.
void check_xml(const std::string& svg) {
  std::vector<std::string> open;
  std::size_t at = svg.rfind("<?xml", 0) == 0 ? svg.find("?>") + 2 : 0;
  while ((at = svg.find('<', at)) != std::string::npos) {
    const std::size_t end = svg.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = svg.substr(at + 1, end - at - 1);
    ASSERT_EQ(tag.find('<'), std::string::npos) << tag;
    ASSERT_EQ(std::count(tag.begin(), tag.end(), '"') % 2, 0) << tag;
    if (tag[0] == '/') {
      ASSERT_FALSE(open.empty());
      ASSERT_EQ(open.back(), tag.substr(1));
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
    at = end;
  }
  EXPECT_TRUE(open.empty());
  for (at = 0; (at = svg.find('&', at)) != std::string::npos; ++at)
    EXPECT_LT(svg.find(';', at) - at, 7u);
  for (const char* bad : {"<script", "nan", "inf,", "href"})
    EXPECT_EQ(svg.find(bad), std::string::npos) << bad;
}

struct Random {
  std::mt19937 engine{20261130};
  int below(int n) { return static_cast<int>(engine() % static_cast<unsigned>(n)); }
  double log_between(double low, double high) {
    return low * std::pow(high / low, static_cast<double>(engine()) / 4294967296.0);
  }
};

std::string any_label(Random& r) {
  static const char* const kLabels[] = {
      "decode FC",
      "prefill attention",
      "FC",
      "",
      "step",
      "gated delta net state of the recurrent layers, decode, batch 8",
      "模型 attention",
      "W\xff\x01 <x>&",
      "experts (128 of 8 active)"};
  return kLabels[r.below(9)];
}

RooflineChart any_chart(Random& r) {
  RooflineChart c;
  c.title = r.below(4) ? any_label(r) + " on " + any_label(r) : "";
  c.subtitle =
      r.below(2) ? "a subtitle that is long enough to need two lines when it is narrow" : "";
  c.width = 200 + r.below(1200);
  c.height = 200 + r.below(700);
  const bool wild = r.below(4) == 0;
  const double bw = wild ? r.log_between(1e-6, 1e9) : r.log_between(1e11, 8e12);
  for (int i = r.below(5); i > 0; --i) {
    const double peak = wild ? r.log_between(1e-6, 1e9) : r.log_between(1e13, 4e15);
    c.ceilings.push_back({"roof " + any_label(r), peak, r.below(5) ? bw : bw / 3, r.below(4) == 0,
                          r.below(3) ? "HBM 3.9 TB/s" : ""});
  }
  const double top = c.ceilings.empty() ? 1e12 : c.ceilings[0].flops_per_s;
  for (int i = r.below(wild ? 24 : 14); i > 0; --i) {
    ChartPoint p;
    p.label = any_label(r);
    p.short_label = any_label(r);
    p.kind = static_cast<PointKind>(r.below(6));
    p.phase = static_cast<PointPhase>(r.below(3));
    p.intensity = wild ? r.log_between(1e-6, 1e9) : r.log_between(0.3, 3000);
    p.flops_per_s = std::min(top, p.intensity * bw) * (r.below(3) ? 1 : 0.5);
    p.measured = r.below(4) == 0;
    c.points.push_back(p);
  }
  for (int i = r.below(3); i > 0; --i) {
    ChartPath p{any_label(r), static_cast<PointPhase>(r.below(3)), {}};
    double x = r.log_between(0.5, 50);
    for (int k = r.below(12); k > 0; --k, x *= 1.2 + r.below(3))
      p.steps.push_back({x, std::min(top, x * bw), r.below(4) ? std::to_string(1 << k) : ""});
    c.paths.push_back(p);
  }
  return c;
}

TEST(Chart, LabelsNeverOverlapNorLeaveTheFrame) {
  Random r;
  for (int round = 0; round < 300; ++round) {
    const RooflineChart c = any_chart(r);
    const std::string what = "chart " + std::to_string(round);
    ChartNotes notes;
    const Scene s = draw(c, &notes);
    check(s, what.c_str());
    if (round % 10 == 0) check_xml(to_svg(s));
    if (HasFailure()) break;
  }
}

TEST(Chart, ShowsEverythingOfAnOrdinaryCase) {
  for (const auto& [w, h] : {std::pair{960, 600}, {480, 400}, {640, 360}}) {
    RooflineChart c = h100();
    c.width = w;
    c.height = h;
    ChartNotes notes;
    const Scene s = draw(c, &notes);
    check(s, "h100");
    EXPECT_TRUE(notes.in_legend.empty() && notes.unlabelled.empty() && notes.omitted.empty());
    EXPECT_EQ(count(s, "FP8 1.67 PFLOP/s"), 1u);
    EXPECT_EQ(count(s, "BF16 836 TFLOP/s"), 1u);
    EXPECT_EQ(count(s, "HBM3 3.90 TB/s"), 1u);
    EXPECT_EQ(count(s, "decode attention"), 1u);
    EXPECT_EQ(count(s, "ridge 214") + count(s, "214"), 1u);
  }
}

TEST(Chart, DegenerateInputs) {
  const double inf = std::numeric_limits<double>::infinity();
  RooflineChart c;
  check(draw(c), "empty");
  c.ceilings = {{"only roof", 1e12, 0, false, ""}};
  check(draw(c), "no bandwidth");
  c.ceilings = {{"a", 1e12, 1e11, false, "slope"}};
  check(draw(c), "one ceiling");
  c.ceilings = {{"a", NAN, 1e11, false, ""}, {"b", inf, 1, true, ""}, {"c", -1, 0, false, ""}};
  c.points = {{"zero", "", PointKind::fc, PointPhase::decode, 0, 1e12, false, ""},
              {"nan", "", PointKind::fc, PointPhase::decode, NAN, 1e12, false, ""},
              {"fine", "", PointKind::fc, PointPhase::decode, 1, 1e12, false, ""}};
  ChartNotes notes;
  check(draw(c, &notes), "not finite");
  EXPECT_EQ(notes.omitted, (std::vector<std::size_t>{0, 1}));
  c = h100();
  for (ChartPoint& p : c.points) p.intensity = 13.7, p.flops_per_s = 53e12;
  check(draw(c), "all the same point");
  c.points.assign(60, c.points[0]);
  check(draw(c, &notes), "sixty times the same point");
  EXPECT_FALSE(notes.in_legend.empty());
  c = h100();
  c.points[0].intensity = 1e-6;
  c.points[1].intensity = 1e9;
  c.points[1].flops_per_s = 1;
  check(draw(c), "extremes");
}

TEST(Chart, PointsLieWhereTheyShould) {
  const Scene s = draw(h100());
  std::vector<Point2> at;
  for (const Item& i : s.items)
    if (const auto* m = std::get_if<Mark>(&i.shape); m && !i.tip.empty()) at.push_back(m->at);
  ASSERT_EQ(at.size(), 5u);  // painted: FC, attention, prefill FC, then the steps
  EXPECT_LT(at[1].x, at[0].x);
  EXPECT_GT(at[1].y, at[0].y);
  // Twice the intensity is as far on a logarithmic axis wherever it is.
  const double octave = at[0].x - at[1].x;
  EXPECT_NEAR(at[2].x - at[0].x, octave * std::log2(1040 / 16.0), 1e-6);
}

TEST(Svg, IsSelfContainedAndEscaped) {
  const Scene s = draw(h100());
  for (const Theme t : {Theme::automatic, Theme::light, Theme::dark}) {
    const std::string svg = to_svg(s, {t, true, true, "x"});
    check_xml(svg);
    EXPECT_NE(svg.find("viewBox=\"0 0 960 600\""), std::string::npos);
    EXPECT_NE(svg.find("&lt;b&gt;&amp;&quot;&#39;"), std::string::npos);
    EXPECT_EQ(svg.find("prefers-color-scheme") != std::string::npos, t == Theme::automatic);
    EXPECT_EQ(svg.find("var(") != std::string::npos, t == Theme::automatic);
  }
  EXPECT_EQ(to_svg(s, {Theme::light, false, false, "x"}).rfind("<svg ", 0), 0u);
  EXPECT_EQ(xml_escape(std::string("\x01\xff<", 3)), "\xef\xbf\xbd\xef\xbf\xbd&lt;");
}

TEST(Axis, Ticks) {
  const auto labels = [](double low, double high, double length, double spacing) {
    std::string out;
    for (const Tick& t : ticks({low, high, 0, length}, spacing)) {
      EXPECT_GE(t.value, low * 0.999);
      EXPECT_LE(t.value, high * 1.001);
      if (!t.label.empty()) out += t.label + "|";
    }
    return out;
  };
  EXPECT_EQ(labels(0.5, 3000, 800, 40), "1|10|100|1 k|");
  EXPECT_EQ(labels(1, 100, 800, 40), "1|2|5|10|20|50|100|");
  EXPECT_EQ(labels(1e-6, 1e9, 400, 40), "1e-6|0.0001|0.01|1|100|10 k|1 M|100 M|");
  const LogAxis a{1, 1000, 100, 400};
  EXPECT_DOUBLE_EQ(a.at(10), 200);
  EXPECT_NEAR(a.value(300), 100, 1e-9);
}

TEST(TextWidth, FitsAndGrows) {
  EXPECT_EQ(fit_text("abc", 10, false, 1000), "abc");
  EXPECT_LE(text_width(fit_text("a very long label indeed", 12, true, 60), 12, true), 60);
  EXPECT_EQ(fit_text("abc", 10, false, 1), "");
  EXPECT_GT(text_width("W", 10), text_width("i", 10));
  EXPECT_GT(text_width("roof", 10, true), text_width("roof", 10));
  for (const std::string& l : fit_lines("one two three four five six", 12, false, 70, 3))
    EXPECT_LE(text_width(l, 12), 70);
  EXPECT_EQ(fit_lines("one two", 12, false, 500, 2).size(), 1u);
}

TEST(Geometry, Overlap) {
  EXPECT_FALSE(overlap(Box{0, 0, 1, 1}, Box{1, 0, 2, 1}));
  EXPECT_TRUE(overlap(quad(Box{0, 0, 2, 2}), quad(Box{1, 1, 3, 3})));
  // A turned square whose bounding box covers the corner it does not reach.
  const Quad turned{{{{5, 0}, {10, 5}, {5, 10}, {0, 5}}}};
  EXPECT_FALSE(overlap(turned, quad(Box{0, 0, 2, 2})));
  EXPECT_TRUE(overlap(turned, quad(Box{0, 0, 3, 3})));
  EXPECT_TRUE(crosses({0, 0}, {10, 10}, {4, 4, 6, 6}));
  EXPECT_FALSE(crosses({0, 0}, {3, 3}, {4, 4, 6, 6}));
  EXPECT_FALSE(crosses({0, 4}, {10, 4}, {4, 4, 6, 6}));
}

}  // namespace
}  // namespace rooflens
