// Every file of servers in the corpus (ROOFLENS_CORPUS), by figures read from it by hand.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "corpus.h"
#include "readers/results_testing.h"

namespace rooflens {
namespace {

namespace fs = std::filesystem;
using namespace test;  // NOLINT(google-build-using-namespace)

// What was read from a file of the corpus by hand.
struct Known {
  const char* file;
  const char* format;
  std::size_t runs, refused;
  std::size_t run;  // of which the figures are
  MeasuredPhase phase;
  Figure figure;
  Counting counting;
  double value;
  double batch;  // 0 = not looked at
  int line;
  const char* trap;  // "" = none looked for
};
constexpr auto kDecode = MeasuredPhase::decode;
constexpr auto kPrefill = MeasuredPhase::prefill;
constexpr auto kMixed = MeasuredPhase::mixed;
constexpr auto kRate = Figure::tokens_per_s;
constexpr auto kRequests = Figure::requests_per_s;
constexpr auto kStep = Figure::time_per_token_s;
constexpr auto kFirst = Figure::time_to_first_token_s;
constexpr auto kRequest = Figure::request_s;
constexpr auto kSame = Counting::same_wall;
constexpr auto kAll = Counting::aggregate;
constexpr auto kOne = Counting::per_stream;
const char* const kServeFormat = "serving benchmark JSON";
const char* const kBlockFormat = "serving benchmark console";
const char* const kAscend = "serving benchmark console, vLLM bench throughput console";

const Known kKnown[] = {
    // 8 requests in 1.544 s, each 0.2155 + 15 x 0.01127 s: 1.992 in flight.
    {"vllm/serve_v0.25.1.json", kServeFormat, 1, 0, 0, kDecode, kRate, kSame, 82.89297074037474, 1,
     21, "warm_up"},
    {"vllm/serve_v0.25.1.json", kServeFormat, 1, 0, 0, kPrefill, kFirst, kOne, 0.05568139649994919,
     1.99214, 18, "queueing"},
    {"vllm/serve_all_failed_v0.25.1.json", kServeFormat, 0, 1, 0, {}, {}, {}, 0, 0, 1, ""},
    {"vllm/sweep_run0_v0.25.1.json", kServeFormat, 1, 0, 0, kDecode, kStep, kOne,
     0.008323490332986694, 1, 29, "warm_up"},
    {"vllm/sweep_summary_v0.25.1.json", kServeFormat, 2, 0, 1, kDecode, kRate, kSame,
     199.36907134182283, 1.4976, 62, "same_wall"},
    {"vllm/inferencex_qwen35_isl8192_conc64.json", kServeFormat, 1, 0, 0, kDecode, kStep, kOne,
     0.6514810875542169, 54.52, 22, "queueing"},
    {"vllm/inferencex_glm5_isl10240_conc16.json", kServeFormat, 1, 0, 0, kPrefill, kRate, kSame,
     7633.278173727079, 15.988, 16, "same_wall"},
    {"vllm/metrics_loaded_v0.25.1.txt", "Prometheus metrics", 0, 1, 0, {}, {}, {}, 0, 0, 139, ""},
    {"vllm/serve_console_strix_halo_readme.md", kBlockFormat, 11, 0, 0, kDecode, kRate, kSame, 8.61,
     1, 156, "total_tokens"},
    {"vllm/serve_console_strix_halo_readme.md", kBlockFormat, 11, 0, 1, kDecode, kStep, kOne,
     0.13523, 6.644, 195, "queueing"},
    {"vllm/serve_console_strix_halo_readme.md", kBlockFormat, 11, 0, 10, kDecode, kRate, kSame,
     178.68, 0, 514, "same_wall"},
    {"vllm/serve_console_ascend_readme.md", kAscend, 4, 0, 0, kDecode, kStep, kOne, 0.02578, 3.443,
     137, "queueing"},
    {"vllm/serve_console_ascend_readme.md", kAscend, 4, 0, 2, kPrefill, kRate, kAll, 7726.76, 0,
     241, ""},
    {"vllm/serve_console_ascend_readme.md", kAscend, 4, 0, 3, kDecode, kRate, kSame, 349.97, 0, 161,
     "total_tokens"},
    {"vllm/serve_console_tpu_readme.md", kBlockFormat, 0, 1, 0, {}, {}, {}, 0, 0, 59, ""},
    {"sglang/llama33_70b_offline_h200.jsonl", kServeFormat, 7, 0, 2, kDecode, kRate, kSame,
     2051.287161036558, 420.36, 3, "queueing"},
    {"sglang/llama33_70b_offline_h200.jsonl", kServeFormat, 7, 0, 6, kMixed, kRequest, kOne,
     48.729666985571384, 0, 7, "same_wall"},
    {"sglang/llama33_70b_online_h200.jsonl", kServeFormat, 7, 0, 6, kDecode, kStep, kOne,
     0.017667690059170127, 0, 7, "queueing"},
    // 24.24 requests a second: those 381.2 - 10.0 s decode.
    {"sglang/deepseek_dp_mla_h200.jsonl", kServeFormat, 1, 0, 0, kDecode, kRate, kAll,
     12412.394674113431, 8999.5, 1, "queueing"},
    {"mlperf/h100nvl_x4_llama2-70b_offline_summary.txt", "MLPerf summary", 1, 0, 0, kDecode, kRate,
     kSame, 8858.78, 0, 8, "queueing"},
    {"mlperf/h100nvl_x4_llama2-70b_offline_summary.txt", "MLPerf summary", 1, 0, 0, kMixed,
     kRequests, kAll, 30.5175, 0, 7, "same_wall"},
    {"mlperf/h100_x8_llama2-70b_server_summary.txt", "MLPerf summary", 1, 0, 0, kPrefill, kFirst,
     kOne, 0.249613277, 1096.3, 37, "queueing"},
    {"mlperf/h100_x8_llama2-70b_server_summary.txt", "MLPerf summary", 1, 0, 0, kDecode, kStep,
     kOne, 0.139925199, 1092.9, 47, "same_wall"},
    {"mlperf/orin_gptj_singlestream_summary.txt", "MLPerf summary", 1, 0, 0, kMixed, kRequest, kOne,
     2.602915653, 1, 27, ""},
    {"mlperf/h100nvl_x4_system.json", "MLPerf system JSON", 1, 0, 0, {}, {}, {}, 0, 0, 0, ""},
    {"transcribed/vllm_engine_log_lines.txt", "vLLM engine log", 1, 0, 0, kDecode, kRate, kSame,
     700.6, 132, 1, "prefix_cache"},
    {"transcribed/vllm_latency_qwen25-32b_bs8_1024_1024.json", "vLLM bench latency JSON", 1, 0, 0,
     kMixed, kRequest, kOne, 32.33122625260148, 0, 15, ""},
    {"transcribed/vllm_throughput_qwen25-32b_1024_1024.json", "vLLM bench throughput JSON", 1, 0, 0,
     kMixed, kRate, kAll, 513.1130237002451, 0, 6, "total_tokens"},
    // 43.2089 requests a second x 127 x 0.1829639 s.
    {"transcribed/trtllm_bench_console_throughput.txt", "trtllm-bench console", 1, 0, 0, kDecode,
     kStep, kOne, 0.2040463, 1004.03, 20, "queueing"},
    {"transcribed/trtllm_bench_console_throughput.txt", "trtllm-bench console", 1, 0, 0, kMixed,
     kRate, kAll, 94022.5497, 3279.7, 8, "total_tokens"},
    {"transcribed/trtllm_legacy_benchmark_line.txt", "TensorRT-LLM benchmark line", 1, 0, 0,
     kDecode, kRate, kAll, 50.379, 1, 1, "same_wall"},
    {"genai-perf/tutorial_console.md", "genai-perf table", 4, 0, 0, kDecode, kRate, kSame, 504.02,
     1, 81, "same_wall"},
    {"genai-perf/tutorial_console.md", "genai-perf table", 4, 0, 2, kMixed, kRequest, kOne, 1.91541,
     1, 160, ""},
    {"genai-bench/mock_run_data.json", "genai-bench JSON", 1, 0, 0, kDecode, kStep, kOne,
     0.017888436587527395, 1, 29, "warm_up"},
};

Result<ResultFile> read_path(const fs::path& path, const std::string& name) {
  return read_results(test::bytes_of(path), name);
}

void compare(const Known& known, const ResultFile& file) {
  SCOPED_TRACE(known.file);
  // A page may show other tools' results before these.
  const bool alone = file.format == known.format;
  EXPECT_NE(file.format.find(known.format), std::string::npos) << file.format;
  ASSERT_GE(file.runs.size(), known.runs);
  ASSERT_GE(file.refused.size(), known.refused);
  if (alone) {
    ASSERT_EQ(file.runs.size(), known.runs);
    ASSERT_EQ(file.refused.size(), known.refused);
  }
  if (known.refused > 0) {
    EXPECT_EQ(file.refused.back().line, known.line);
  }
  if (known.value == 0) return;
  const MeasuredRun& run = file.runs[file.runs.size() - known.runs + known.run];
  const Observation o = figure(run, known.phase, known.figure);
  EXPECT_NEAR(o.value, known.value, 1e-8 * known.value);
  EXPECT_EQ(o.counting, known.counting);
  EXPECT_EQ(o.source.line, known.line);
  EXPECT_EQ(o.source.file, known.file);
  if (known.batch > 0) {
    EXPECT_NEAR(o.batch.value_or(0), known.batch, 1e-3 * known.batch);
  }
  if (*known.trap != 0) {
    EXPECT_TRUE(trapped(run, known.trap)) << known.trap;
  }
}

TEST(ResultsServer, Corpus) {
  const fs::path folder = test::in_corpus("results");
  if (!fs::exists(folder / "manifest.tsv")) GTEST_SKIP() << "no corpus at " << folder;
  std::size_t figures = 0;
  for (const Known& known : kKnown) {
    if (!fs::exists(folder / known.file)) continue;
    const Result<ResultFile> file = read_path(folder / known.file, known.file);
    ASSERT_TRUE(file.has_value()) << known.file << ": " << file.error().message;
    compare(known, *file);
    ++figures;
  }
  std::printf("corpus: %zu hand-read facts of servers' results hold\n", figures);
  EXPECT_EQ(figures, std::size(kKnown));
  // Every file of these folders is among them, or is refused.
  for (const char* part : {"vllm", "sglang", "mlperf", "genai-perf", "genai-bench", "guidellm"}) {
    for (const auto& entry : fs::directory_iterator(folder / part)) {
      const std::string name = std::string(part) + "/" + entry.path().filename().string();
      const bool listed = std::any_of(std::begin(kKnown), std::end(kKnown),
                                      [&](const Known& known) { return name == known.file; });
      if (listed) continue;
      const Result<ResultFile> file = read_path(entry.path(), name);
      EXPECT_FALSE(file.has_value()) << name << " has no row in the table";
      std::printf("  refused: %s\n", name.c_str());
    }
  }
}

}  // namespace
}  // namespace rooflens
