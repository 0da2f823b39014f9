// Every file of the manifest of result files (ROOFLENS_CORPUS): read in the format that the
// manifest says it has, or refused for the reason noted there. The figures themselves are looked at
// in results_local_corpus_test.cpp and results_server_corpus_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "cli/command.h"
#include "corpus.h"
#include "readers/results_testing.h"

namespace rooflens {
namespace {

namespace fs = std::filesystem;

// A format of the manifest as we name it; null = one person's own table, or YAML, which the command
// turns into JSON first: refused here.
const std::map<std::string, const char*> kFormats{
    {"llama-bench-jsonl", "llama-bench jsonl"},
    {"llama-bench-wrapped-jsonl", "llama-bench json (nested)"},
    {"llama-bench-json-in-log", "llama-bench json"},
    {"llama-bench-md", "llama-bench md"},
    {"llama-bench-doc", "llama-bench sql"},
    {"llama-server-completion", "llama-server timings"},
    {"custom-json-mtp", "llama-server timings"},
    {"llama-perf-console", "llama.cpp timings"},
    {"vllm-bench-serve", "serving benchmark JSON"},
    {"vllm-bench-sweep", "serving benchmark JSON"},
    {"inferencex-serve", "serving benchmark JSON"},
    {"sglang-bench-serving-jsonl", "serving benchmark JSON"},
    {"vllm-bench-serve-console", "serving benchmark console"},
    {"vllm-bench-console", "vLLM bench throughput console"},
    {"vllm-bench-throughput", "vLLM bench throughput JSON"},
    {"vllm-bench-latency", "vLLM bench latency JSON"},
    {"vllm-engine-log", "vLLM engine log"},
    {"prometheus-text", "Prometheus metrics"},
    {"genai-perf-console", "genai-perf table"},
    {"genai-bench-json", "genai-bench JSON"},
    {"llama-benchy-json", "llama-benchy json"},
    {"llama-benchy-md", "llama-benchy md"},
    {"mlperf-summary", "MLPerf summary"},
    {"mlperf-system", "MLPerf system JSON"},
    {"ollama-verbose", "ollama --verbose"},
    {"trtllm-bench-console", "trtllm-bench console"},
    {"trtllm-legacy-line", "TensorRT-LLM benchmark line"},
    {"custom-csv", nullptr},
    {"custom-jsonl", nullptr},
    {"inference-perf-yaml", "inference-perf report"},
    {"llmd-br-yaml", "llm-d benchmark report"},
};

// What the notes of the manifest say of a file beyond its format: the tag of a trap, or words of a
// refusal.
struct Noted {
  const char* trap = nullptr;
  const char* refusal = nullptr;
};
const std::map<std::string, Noted> kNoted{
    // the author's flattening of a reply, in columns that we know
    {"llama-server/results_qwen36-27b_bf16.csv", {"off_by_one", "a warm-up"}},
    {"llama-bench/rpc_glm46.md.log", {"rpc", nullptr}},
    {"llama-bench/upstream_readme_all_formats.md", {"documentation", "values stand under"}},
    {"llama-bench/wrapped_qwen3-32b_q8_sweep.jsonl", {nullptr, "the run failed"}},
    {"llama-server/perf_inf_rpc_readme.md", {"rpc", "nothing was timed"}},
    {"vllm/serve_v0.25.1.json", {"warm_up", nullptr}},
    {"vllm/serve_all_failed_v0.25.1.json", {nullptr, "0 requests were completed"}},
    {"vllm/serve_console_tpu_readme.md", {nullptr, "a block without numbers"}},
    {"vllm/metrics_loaded_v0.25.1.txt", {nullptr, "one scrape"}},
    {"vllm/inferencex_qwen35_isl8192_conc64.json", {"queueing", nullptr}},
    {"transcribed/ollama_verbose_bug_last_batch.txt", {"timing_gap", nullptr}},
    {"transcribed/vllm_engine_log_lines.txt", {"prefix_cache", nullptr}},
    {"transcribed/vllm_throughput_qwen25-32b_1024_1024.json", {"total_tokens", nullptr}},
    {"transcribed/trtllm_legacy_benchmark_line.txt", {"same_wall", nullptr}},
};

void expect_noted(const Noted& noted, const ResultFile& file) {
  const auto has = [](std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
  };
  if (noted.trap != nullptr) {
    EXPECT_TRUE(std::any_of(file.runs.begin(), file.runs.end(), [&](const MeasuredRun& run) {
      return test::trapped(run, noted.trap);
    })) << noted.trap;
  }
  if (noted.refusal == nullptr) {
    EXPECT_TRUE(file.refused.empty()) << file.refused.front().why;
  } else {
    EXPECT_TRUE(std::any_of(file.refused.begin(), file.refused.end(), [&](const Unmeasured& u) {
      return has(u.why, noted.refusal);
    })) << noted.refusal;
  }
}

// YAML is turned into JSON by the command: its own answer is looked at.
void expect_yaml(const fs::path& path, const char* format) {
  const cli::Outcome o = cli::command({"check", path.string(), "--json"}, cli::with_modules());
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(cli::text_at(o.out, "/results/files/0/format"), format);
}

TEST(ResultsManifest, every_row_is_read_or_refused_as_noted) {
  const fs::path folder = test::in_corpus("results");
  std::ifstream in(folder / "manifest.tsv");
  if (!in) GTEST_SKIP() << "no result files here";
  std::string line;
  std::getline(in, line);
  std::size_t read = 0, refused = 0, unread = 0;
  while (std::getline(in, line)) {
    const std::size_t tab = line.find('\t');
    const std::string name = line.substr(0, tab);
    const std::string format = line.substr(tab + 1, line.find('\t', tab + 1) - tab - 1);
    SCOPED_TRACE(name);
    ASSERT_EQ(kFormats.count(format), 1U) << format;
    const auto noted = kNoted.find(name);
    if (name.ends_with(".yaml")) {
      if (!cli::has_module("yaml")) {
        ++unread;  // no yaml-cpp when this was configured: CliYaml is skipped, too
        continue;
      }
      expect_yaml(folder / name, kFormats.at(format));
      ++read;
      continue;
    }
    const auto file = read_results(test::bytes_of(folder / name), name);
    if (kFormats.at(format) == nullptr && noted == kNoted.end()) {
      EXPECT_FALSE(file.has_value());
      EXPECT_TRUE(file || file.error().code == ErrorCode::unsupported);
      ++refused;
      continue;
    }
    ASSERT_TRUE(file.has_value()) << file.error().message;
    ++read;
    if (kFormats.at(format) != nullptr) {
      EXPECT_NE(file->format.find(kFormats.at(format)), std::string::npos) << file->format;
    }
    expect_noted(noted == kNoted.end() ? Noted{} : noted->second, *file);
    // Only a description of a machine, and what was refused, leaves no figure.
    const bool figures = std::any_of(file->runs.begin(), file->runs.end(),
                                     [](const MeasuredRun& r) { return !r.figures.empty(); });
    EXPECT_TRUE(figures || !file->refused.empty() || format == "mlperf-system");
  }
  EXPECT_EQ(unread, cli::has_module("yaml") ? 0U : 2U);
  EXPECT_EQ(read + refused + unread, 53U) << read << " read, " << refused << " refused";
}

}  // namespace
}  // namespace rooflens
