#include "rooflens/render/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "rooflens/render/json_writer.h"
#include "rooflens/render/text.h"

namespace rooflens {
namespace {

Report sample() {
  Report r;
  r.title = "Llama-3.1-8B on H100 NVL";
  Section v;
  v.tag = "roof";
  v.title = "Roof";
  v.kind = SectionKind::values;
  v.values = {number("weight_bytes", "weights", 16.06e9, Unit::bytes),
              number("tokens_per_s", "decode", 33401, Unit::tokens_per_s,
                     "one step reads every weight once; the batch shares the read, which is why "
                     "larger batches cost so little until the cache takes over"),
              words("bound", "bound", "memory"),
              nothing("fc_tokens", "compute-bound from", "never")};
  Section t;
  t.tag = "operators";
  t.title = "Operators";
  t.kind = SectionKind::table;
  t.columns = {{"name", "operator"}, {"seconds", "time"}, {"intensity", "FLOP/B"}};
  t.rows = {{words("", "", "qkv"), number("", "", 1.5e-5, Unit::seconds),
             number("", "", 16, Unit::flop_per_byte)},
            {words("", "", "a,\"b\""), number("", "", 2.25e-3, Unit::seconds),
             number("", "", NAN, Unit::flop_per_byte)}};
  r.sections = {v, t};
  return r;
}

int widest(const std::string& text) {
  int w = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    w = std::max(w, display_width(text.substr(at, end - at)));
    at = end + 1;
  }
  return w;
}

TEST(ReportText, Aligned) {
  EXPECT_EQ(report_text(sample(), {70, false, false}),
            "Llama-3.1-8B on H100 NVL\n"
            "\n"
            "Roof\n"
            "  weights               16.1 GB\n"
            "  decode              33,401 tok/s  one step reads every weight once;\n"
            "                                    the batch shares the read, which\n"
            "                                    is why larger batches cost so\n"
            "                                    little until the cache takes over\n"
            "  bound               memory\n"
            "  compute-bound from  never\n"
            "\n"
            "Operators\n"
            "  operator     time       FLOP/B\n"
            "  qkv       15.0 µs  16.0 FLOP/B\n"
            "  a,\"b\"     2.25 ms      unknown\n");
}

TEST(ReportText, AsciiAndColor) {
  const std::string plain = report_text(sample(), {80, false, true});
  for (const char c : plain) EXPECT_LT(static_cast<unsigned char>(c), 0x7f);
  EXPECT_NE(plain.find("15.0 us"), std::string::npos);
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  Report r = sample();
  r.sections[0].values[2].severity = Severity::bad;
  EXPECT_NE(report_text(r, {80, true, false}).find("\x1b[1;31mmemory\x1b[0m"), std::string::npos);
}

TEST(ReportText, HostileNamesCannotReachTheTerminal) {
  Report r;
  r.title = "a\x1b[2Jb\xff\r\nc\xe2\x80\xae";
  const std::string t = report_text(r);
  EXPECT_EQ(t, "a\xef\xbf\xbd[2Jb\xef\xbf\xbd  c\xef\xbf\xbd\n");
}

TEST(ReportText, NeverWiderThanAsked) {
  std::mt19937 random(7);
  const auto any = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto text = [&](int longest) {
    static const char* const kWords[] = {
        "roof",
        "memory-bound",
        "µs",
        "模型",
        "a",
        "é",
        "extraordinarily/long/path/without/any/space/in/it/at/all"};
    std::string s;
    for (int i = any(longest); i >= 0; --i) s += std::string(s.empty() ? "" : " ") + kWords[any(7)];
    return s;
  };
  for (int round = 0; round < 300; ++round) {
    Report r;
    r.title = text(20);
    for (int k = 0; k < 3; ++k) {
      Section s;
      s.title = text(12);
      s.kind = static_cast<SectionKind>(k);
      s.lines = {{text(60), Severity::warning}};
      const auto cell = [&] {
        Cell c =
            any(2) ? number("t", text(4), std::pow(10.0, any(30) - 12), static_cast<Unit>(any(15)))
                   : words("t", text(8), text(k == 2 ? 5 : 30));
        if (any(3) == 0) c.note = text(30);
        return c;
      };
      for (int i = any(6); i > 0; --i) s.values.push_back(cell());
      for (int i = any(9); i > 0; --i) s.columns.push_back({"t", text(3)});
      for (int i = any(4); i > 0; --i)
        for (auto& row = s.rows.emplace_back(); row.size() < s.columns.size();)
          row.push_back(cell());
      r.sections.push_back(s);
    }
    const int width = 20 + any(140);
    for (const bool ascii : {false, true}) {
      const std::string out = report_text(r, {width, false, ascii});
      EXPECT_LE(widest(out), std::max(60, width)) << out;
    }
  }
}

TEST(ReportText, WideTablesAreStacked) {
  Report r;
  Section s;
  s.kind = SectionKind::table;
  std::vector<Cell> row;
  for (int i = 0; i < 12; ++i) {
    s.columns.push_back({"c", "column " + std::to_string(i)});
    row.push_back(number("", "", 1e9 * (i + 1), Unit::bytes));
  }
  s.rows = {row};
  r.sections = {s};
  const std::string out = report_text(r, {60, false, false});
  EXPECT_LE(widest(out), 60);
  EXPECT_NE(out.find("  1.00 GB\n    column 1   2.00 GB\n"), std::string::npos) << out;
}

TEST(ReportCsv, Quoting) {
  EXPECT_EQ(report_csv(sample(), "operators"),
            "name,seconds,intensity\nqkv,1.5e-05,16\n\"a,\"\"b\"\"\",0.00225,\n");
  EXPECT_EQ(report_csv(sample(), "no such"), "");
  const std::string all = report_csv(sample());
  EXPECT_EQ(all.rfind("section,row,key,value,unit,text\n", 0), 0u);
  EXPECT_NE(all.find("roof,,weight_bytes,16060000000,byte,16.1 GB\n"), std::string::npos);
  EXPECT_NE(all.find("roof,,fc_tokens,,,never\n"), std::string::npos);
  EXPECT_NE(all.find("operators,2,name,\"a,\"\"b\"\"\",,\"a,\"\"b\"\"\"\n"), std::string::npos);
}

TEST(ReportMarkdown, TablesAndEscapes) {
  Report r = sample();
  r.sections[1].rows[0][0] = words("", "", "a|b <c> q_proj");
  const std::string md = report_markdown(r);
  EXPECT_EQ(md.rfind("## Llama-3.1-8B on H100 NVL\n\n### Roof\n", 0), 0u);
  EXPECT_NE(md.find("| operator | time | FLOP/B |\n|---|---:|---:|\n"), std::string::npos);
  EXPECT_NE(md.find("| a\\|b &lt;c> q\\_proj | 15.0 µs | 16.0 FLOP/B |"), std::string::npos) << md;
}

TEST(ReportJson, CarriesUnitAndText) {
  JsonWriter j;
  report_json(sample(), j);
  const std::string out = j.take();
  EXPECT_NE(out.find(R"({"tag":"weight_bytes","label":"weights","value":16060000000,)"
                     R"("unit":"byte","text":"16.1 GB"})"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find(R"("value":null,"unit":"FLOP/byte","text":"unknown")"), std::string::npos);
}

TEST(Json, Numbers) {
  EXPECT_EQ(json_number(0), "0");
  EXPECT_EQ(json_number(16), "16");
  EXPECT_EQ(json_number(0.1), "0.1");
  EXPECT_EQ(json_number(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(json_number(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(json_number(1e300), "1e+300");
  EXPECT_EQ(json_number(NAN), "null");
  EXPECT_EQ(json_number(-INFINITY), "null");
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const double v =
        std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 2000) - 1060);
    EXPECT_EQ(std::strtod(json_number(v).c_str(), nullptr), v);
  }
}

TEST(Json, Strings) {
  EXPECT_EQ(json_string("a\"b\\c\n\t\x01\x7f"), "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\"");
  EXPECT_EQ(json_string("µ模"), "\"µ模\"");
  // truncated, overlong, surrogate, stray continuation
  EXPECT_EQ(json_string("\xc3"), "\"\xef\xbf\xbd\"");
  EXPECT_EQ(json_string("\xc0\xaf"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_EQ(json_string("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_EQ(json_string(std::string_view("\0x", 2)), "\"\\u0000x\"");
}

TEST(Json, Nesting) {
  JsonWriter j;
  j.begin_object().member("a", 1).key("b").begin_array().value("x").value(true).null();
  j.begin_object().end().end().member("c", std::size_t{3}).end();
  EXPECT_EQ(j.take(), R"({"a":1,"b":["x",true,null,{}],"c":3})");
  JsonWriter k(2);
  k.begin_object().key("a").begin_array().value(1).end().key("b").begin_object().end().end();
  EXPECT_EQ(k.take(), "{\n  \"a\": [\n    1\n  ],\n  \"b\": {}\n}\n");
}

TEST(Text, Wrap) {
  EXPECT_EQ(wrap("", 10), std::vector<std::string>{""});
  EXPECT_EQ(wrap("aa bb cc", 5), (std::vector<std::string>{"aa bb", "cc"}));
  EXPECT_EQ(wrap("abcdefgh", 3), (std::vector<std::string>{"abc", "def", "gh"}));
  EXPECT_EQ(wrap("模型模型", 3), (std::vector<std::string>{"模", "型", "模", "型"}));
  EXPECT_EQ(wrap("a\nb", 9), (std::vector<std::string>{"a", "b"}));
}

TEST(Text, Shorten) {
  EXPECT_EQ(shorten("abcdef", 6, false), "abcdef");
  EXPECT_EQ(shorten("abcdefg", 6, false), "abcde…");
  EXPECT_EQ(shorten("abcdefg", 6, true), "abc...");
  EXPECT_EQ(shorten("abc", 1, true), "a");
}

}  // namespace
}  // namespace rooflens
