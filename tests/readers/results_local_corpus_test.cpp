// Result files of llama.cpp and its kin as people published them (ROOFLENS_CORPUS, default the
// folder CMake names): each is read, with its runs counted and figures read by eye, or refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "corpus.h"
#include "rooflens/readers/results.h"

namespace rooflens {
namespace {

namespace fs = std::filesystem;

struct SeenByEye {
  std::size_t run, figure;
  double value;
  int line;
};

struct ResultOnDisk {
  std::string file, format;
  std::size_t runs, refused;
  std::vector<SeenByEye> seen;
  std::string trap;  // of every run; "" = none is looked for
};

const std::vector<ResultOnDisk>& results_on_disk() {
  static const std::vector<ResultOnDisk> files{
      {"llama-bench/cpu_lfm2.5-230m_q4k_prefill_json_in_log.txt",
       "llama-bench json",
       5,
       0,
       {{0, 0, 1255.454126, 47}, {4, 0, 1181.633945, 227}},
       ""},
      {"llama-bench/cpu_qwen3-4b_q4km_decode_json_in_log.txt",
       "llama-bench json",
       1,
       0,
       {{0, 0, 15.851951, 47}},
       ""},
      {"llama-bench/cpu_qwen3-4b_q8_prefill_json_in_log.txt",
       "llama-bench json",
       1,
       0,
       {{0, 0, 83.507247, 47}},
       ""},
      {"llama-bench/hip_llama32-1b_2025-10.jsonl",
       "llama-bench jsonl",
       10,
       0,
       {{0, 0, 4884.423568, 1}, {9, 0, 27.345715, 10}},
       ""},
      {"llama-bench/quick-test.jsonl",
       "llama-bench jsonl",
       6,
       0,
       {{0, 0, 5007.643797, 5}, {5, 0, 142.840121, 10}},
       ""},
      {"llama-bench/rocm_llama2-7b_q4_0.md.log",
       "llama-bench md",
       2,
       0,
       {{0, 0, 1532.82, 5}, {1, 0, 50.83, 6}},
       ""},
      {"llama-bench/rocm_qwen36-35b-a3b_prefill_depth.jsonl",
       "llama-bench jsonl",
       9,
       0,
       {{0, 0, 1563.773999, 1}, {8, 0, 495.521558, 9}},
       ""},
      {"llama-bench/rpc_glm46.md.log",
       "llama-bench md",
       2,
       0,
       {{0, 0, 18.41, 5}, {1, 0, 4.12, 6}},
       "rpc"},
      // Its examples of csv and sql have one value more than columns.
      {"llama-bench/upstream_readme_all_formats.md",
       "llama-bench md, llama-bench csv, llama-bench json, llama-bench jsonl, llama-bench sql",
       44,
       4,
       {{0, 0, 132.19, 85}, {42, 0, 2410.974041, 257}, {43, 0, 130.965708, 258}},
       "documentation"},
      {"llama-bench/vulkan_gpt-oss-20b.md.log",
       "llama-bench md",
       2,
       0,
       {{0, 0, 1376.47, 5}, {1, 0, 74.15, 6}},
       ""},
      {"llama-bench/vulkan_qwen36-35b-a3b_gen_depth.jsonl",
       "llama-bench jsonl",
       9,
       0,
       {{0, 0, 62.758008, 1}, {8, 0, 44.332563, 9}},
       ""},
      {"llama-bench/wrapped_llama2-7b_q4_0_sweep.jsonl",
       "llama-bench json (nested)",
       364,
       0,
       {{0, 0, 50.041847, 1}, {363, 0, 37.739053, 364}},
       ""},
      // The second half of its rows are runs that failed: null.
      {"llama-bench/wrapped_qwen3-32b_q8_sweep.jsonl",
       "llama-bench json (nested)",
       260,
       260,
       {{0, 0, 6.346474, 1}, {5, 0, 147.93395, 6}, {259, 0, 5.415705, 260}},
       ""},
      // 9.283110184226404 x 511 / 512
      {"llama-server/completion_qwen36-27b_bf16.json",
       "llama-server timings",
       1,
       0,
       {{0, 0, 150.58233955263495, 1}, {0, 1, 9.264979109647836, 1}},
       "off_by_one"},
      // 6.48 x 191 / 192, 6.46 x 191 / 192
      {"llama-server/mtp_baseline_qwen36-27b_q8.json",
       "llama-server timings",
       9,
       0,
       {{0, 0, 6.44625, 13}, {8, 0, 6.426354166666667, 85}},
       "off_by_one"},
      // Its lines of "inf tokens per second" are the two refused.
      {"llama-server/perf_inf_rpc_readme.md",
       "llama-bench md, llama.cpp timings",
       20,
       2,
       {{0, 0, 404.67, 45}, {1, 0, 33.50, 46}, {19, 0, 6.66, 272}},
       "rpc"},
      // 9.67504801714993 x 255 / 256; four warm-ups
      {"llama-server/results_qwen36-27b_bf16.csv",
       "llama-server csv",
       20,
       4,
       {{0, 0, 107.51119268309542, 3}, {0, 1, 9.637254860833, 3}},
       "off_by_one"},
      {"llama-benchy/qwen36_27b_int4.md",
       "llama-benchy md",
       20,
       0,
       {{0, 0, 2265.07, 3}, {1, 0, 75.79, 4}, {19, 0, 59.64, 22}},
       "client_side"},
      {"llama-benchy/sample.json",
       "llama-benchy json",
       2,
       0,
       {{0, 0, 987.0987514675164, 16}, {1, 1, 98.70484912562281, 641}},
       "client_side"},
      {"transcribed/llama_print_timings_xeon8336c_f16.txt",
       "llama.cpp timings",
       1,
       0,
       {{0, 0, 43.05, 3}, {0, 1, 4.43, 4}},
       ""},
      {"transcribed/ollama_verbose_after_fix.txt",
       "ollama --verbose",
       1,
       0,
       {{0, 0, 4212.03, 5}, {0, 1, 103.16, 8}},
       ""},
      {"transcribed/ollama_verbose_bug_last_batch.txt",
       "ollama --verbose",
       1,
       0,
       {{0, 0, 139356.80, 5}, {0, 1, 103.06, 8}},
       "timing_gap"},
      {"transcribed/ollama_verbose_minutes.txt",
       "ollama --verbose",
       1,
       0,
       {{0, 0, 0.66, 5}, {0, 1, 8.87, 8}},
       ""},
  };
  return files;
}

void expect_as_seen(const ResultOnDisk& known, const ResultFile& file) {
  EXPECT_EQ(file.format, known.format);
  EXPECT_EQ(file.runs.size(), known.runs);
  EXPECT_EQ(file.refused.size(), known.refused);
  for (const SeenByEye& s : known.seen) {
    ASSERT_LT(s.run, file.runs.size());
    ASSERT_LT(s.figure, file.runs[s.run].figures.size());
    const Observation& o = file.runs[s.run].figures[s.figure];
    EXPECT_NEAR(o.value, s.value, 1e-9 * s.value);
    EXPECT_EQ(o.source.line, s.line);
  }
  for (const MeasuredRun& run : file.runs) {
    if (known.trap.empty()) continue;
    EXPECT_NE(std::find(run.traps.begin(), run.traps.end(), known.trap), run.traps.end());
    EXPECT_GE(run.notes.size(), run.traps.size());
  }
}

TEST(ResultsLocalCorpus, EveryFileIsReadAsSeenByEye) {
  const fs::path folder = test::in_corpus("results");
  if (folder.empty()) GTEST_SKIP() << "no result files here";
  std::size_t read = 0, runs = 0, refused = 0;
  for (const ResultOnDisk& known : results_on_disk()) {
    SCOPED_TRACE(known.file);
    if (!fs::exists(folder / known.file)) continue;
    const auto file = read_results(test::bytes_of(folder / known.file), known.file);
    ASSERT_TRUE(file.has_value()) << file.error().message;
    ++read;
    runs += file->runs.size();
    refused += file->refused.size();
    expect_as_seen(known, *file);
  }
  std::printf("results: %zu files read, %zu runs, %zu figures refused\n", read, runs, refused);
}

// A file that comes to these folders must come to the table too.
TEST(ResultsLocalCorpus, NoFileIsLeftOut) {
  const fs::path folder = test::in_corpus("results");
  if (folder.empty()) GTEST_SKIP() << "no result files here";
  std::set<std::string> known;
  for (const ResultOnDisk& f : results_on_disk()) known.insert(f.file);
  for (const char* part : {"llama-bench", "llama-server", "llama-benchy"}) {
    if (!fs::exists(folder / part)) continue;
    for (const auto& entry : fs::directory_iterator(folder / part)) {
      EXPECT_EQ(known.count(part + ("/" + entry.path().filename().string())), 1U) << entry.path();
    }
  }
}

}  // namespace
}  // namespace rooflens
