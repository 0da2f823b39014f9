// Fits and differences as text, JSON and chart.
#include "rooflens/views/fit_report.h"

#include <nlohmann/json.hpp>

#include "check/check_fixtures.h"
#include "rooflens/render/roofline_chart.h"
#include "rooflens/render/terminal.h"
#include "rooflens/views/check_report.h"
#include "rooflens/views/difference_report.h"

namespace rooflens::check_tests {
namespace {

// Llama-3.1-8B bf16 on 1 TB/s and 312 TFLOP/s: TPOT of 2 ms and bytes at 800 GB/s, so that the fit
// gives both back; 131,072 B of cache a token.
Scenario plain() {
  Scenario s = scenario("llama-3.1-8b", "", {});
  s.system = device(1e12, 312e12, 200e9);
  s.workload.batch = 1;
  s.workload.prompt = 1024;
  s.workload.output = 128;
  s.workload.context = 1024;
  return s;
}

Observation tpot(double batch, double context, double seconds) {
  Observation o;
  o.phase = MeasuredPhase::decode;
  o.figure = Figure::time_per_token_s;
  o.counting = Counting::per_stream;
  o.value = seconds;
  o.batch = batch;
  o.context = context;
  o.source = {"bench.jsonl", 3, "tpot"};
  return o;
}

struct Checked {
  Analysis analysis;
  std::vector<Diagnosis> all;
  std::vector<Fit> fits;
};

// `count` steps of growing batches at 8,192 tokens.
Checked checked(int count, double fixed = 0.002, double bandwidth = 0.8e12) {
  Checked c{analyze(plain(), Efficiency{}), {}, {}};
  std::vector<Observation> figures;
  for (int i = 0; i < count; ++i) {
    const double batch = 1 + 2 * i;
    const double bytes = decode_at(c.analysis, batch, 8192).totals.ideal_bytes;
    figures.push_back(tpot(batch, 8192, fixed + bytes / bandwidth));
  }
  c.all = diagnose_all(figures, c.analysis);
  c.fits = fits_of(c.all);
  return c;
}

TEST(FitReport, real_steps_give_their_engine_back) {
  const Checked c = checked(8);
  ASSERT_EQ(c.fits.size(), 1U);
  ASSERT_TRUE(c.fits[0].bytes_per_s.value && c.fits[0].fixed_s.value);
  EXPECT_NEAR(*c.fits[0].bytes_per_s.value, 0.8e12, 1e6);
  EXPECT_NEAR(*c.fits[0].fixed_s.value, 0.002, 1e-8);
}

TEST(FitReport, the_report_has_numbers_ranges_and_evidence) {
  const Checked c = checked(8);
  const std::string text =
      report_text(check_report(c.all, c.analysis, c.fits), {.width = 120, .ascii = true});
  for (const char* said :
       {"What the steps tell together", "800 GB/s", "80.0 %", "2.00 ms",
        "8 of 8 sizes, batch 1 to 15", "not determined", "no step is bound by its FLOPs"}) {
    EXPECT_NE(text.find(said), std::string::npos) << said << "\n" << text;
  }
  const std::string csv = report_csv(check_report(c.all, c.analysis, c.fits), "fits");
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "phase,number,value,low,high,fraction_of_nominal");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);
}

TEST(FitReport, json_has_the_fields_of_the_contract) {
  const Checked c = checked(8);
  JsonWriter out;
  fits_json(c.fits, out);
  const auto j = nlohmann::json::parse(out.take(), nullptr, false);
  ASSERT_TRUE(j.is_array());
  ASSERT_EQ(j.size(), 1U);
  for (const char* key :
       {"run", "phase", "overlap", "fixed_seconds", "bytes_per_s", "flops_per_s", "points", "sizes",
        "sizes_used", "batch", "prompt_tokens", "context_tokens", "residual", "apart", "notes"}) {
    EXPECT_TRUE(j[0].contains(key)) << key;
  }
  EXPECT_NEAR(j[0]["bytes_per_s"]["fraction_of_nominal"].get<double>(), 0.8, 1e-5);
  EXPECT_TRUE(j[0]["flops_per_s"]["value"].is_null());
  EXPECT_EQ(j[0]["flops_per_s"]["doubt"], "other_bound");
  EXPECT_TRUE(j[0]["run"].is_null());
  EXPECT_EQ(j[0]["sizes_used"], 8);
}

TEST(FitReport, labels_part_the_runs) {
  Checked c = checked(4);
  const Checked slow = checked(4, 0.002, 0.4e12);
  std::vector<Diagnosis> all = c.all;
  all.insert(all.end(), slow.all.begin(), slow.all.end());
  const std::vector<std::string> labels{"a", "a", "a", "a", "b", "b", "b", "b"};
  const std::vector<Fit> fits = fits_by_label(all, labels);
  ASSERT_EQ(fits.size(), 2U);
  EXPECT_EQ(fits[1].label, "b");
  ASSERT_TRUE(fits[0].bytes_per_s.value && fits[1].bytes_per_s.value);
  EXPECT_NEAR(*fits[0].bytes_per_s.value / *fits[1].bytes_per_s.value, 2, 1e-4);
  EXPECT_TRUE(reached_ceilings(fits, 1e14).empty());
}

std::size_t count_of(const RooflineChart& c, bool (*test)(const ChartPoint&)) {
  return static_cast<std::size_t>(std::count_if(c.points.begin(), c.points.end(), test));
}

// Every figure a hollow mark and a cross beside it, whatever their number; labels of a few.
TEST(FitReport, the_chart_shows_measured_and_expected) {
  for (const int n : {1, 3, 30}) {
    const Checked c = checked(n);
    const RooflineChart chart = check_chart(c.all, c.analysis, c.fits);
    const auto hollow = count_of(chart, [](const ChartPoint& p) { return p.measured; });
    const auto crosses =
        count_of(chart, [](const ChartPoint& p) { return p.kind == PointKind::expected; });
    const auto named =
        count_of(chart, [](const ChartPoint& p) { return p.measured && !p.label.empty(); });
    EXPECT_EQ(hollow, crosses);
    EXPECT_LE(hollow, static_cast<std::size_t>(n));  // those on one place are one
    EXPECT_GE(hollow, static_cast<std::size_t>(std::min(n, 10)));
    EXPECT_GE(named, 1U);
    EXPECT_LE(named, 8U);
    ChartNotes notes;
    (void)draw(chart, &notes);
    EXPECT_TRUE(notes.unlabelled.empty()) << n;
    const bool reached = std::any_of(chart.ceilings.begin(), chart.ceilings.end(),
                                     [](const ChartCeiling& k) { return k.reached; });
    EXPECT_EQ(reached, n > 1);
    const std::string text = roofline_text(chart, {.width = 100, .ascii = true});
    EXPECT_EQ(text.find("reached, fitted") != std::string::npos, n > 1) << text;
    EXPECT_EQ(text.find("x: expected") != std::string::npos, n > 3) << text;
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 45) << text;
  }
}

TEST(DifferenceReport, the_parts_are_told_and_add_up) {
  const Analysis a = analyze(plain(), Efficiency{});
  const std::vector<Diagnosis> before = diagnose_all(std::vector{tpot(1, 1024, 0.020)}, a);
  const std::vector<Diagnosis> after = diagnose_all(std::vector{tpot(8, 1024, 0.022)}, a);
  ComparedRuns runs{"a", "b", {{&before[0], &a, nullptr}}, {{&after[0], &a, nullptr}}, {}};
  runs.found = differences(runs.before_steps, runs.after_steps);
  Report report;
  report.sections = difference_sections(runs);
  const std::string text = report_text(report, {.width = 120, .ascii = true});
  // 7 x (1025 x 131,072 B of cache + 8,192 B of an embedding row) at 1 TB/s = 0.9405 of the 2 ms.
  for (const char* said : {"From a to b", "batch 1, context 1,024 -> batch 8", "+2.00 ms", "10.0 %",
                           "sizes +941", "unexplained +1.06 ms", "add up"}) {
    EXPECT_NE(text.find(said), std::string::npos) << said << "\n" << text;
  }
  JsonWriter out;
  difference_json(runs, out);
  const auto j = nlohmann::json::parse(out.take(), nullptr, false);
  const auto& pair = j["pairs"][0];
  double sum = 0;
  for (const char* part : {"batch_seconds", "bytes_seconds", "compute_seconds", "network_seconds",
                           "unexplained_seconds"}) {
    sum += pair[part].get<double>();
  }
  EXPECT_NEAR(sum, pair["difference_seconds"].get<double>(), 1e-12);
  EXPECT_TRUE(pair["fixed_seconds"].is_null());
  EXPECT_TRUE(j["why_none"].is_null());
}

}  // namespace
}  // namespace rooflens::check_tests
