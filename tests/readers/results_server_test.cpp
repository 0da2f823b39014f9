// Readers of servers' results: every format from a text of our own, every trap it can show, and
// every file of the corpus (ROOFLENS_CORPUS) by figures read from it by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "rooflens/readers/results.h"
#include "rooflens/readers/results_prometheus.h"

namespace rooflens {
namespace {

namespace fs = std::filesystem;

ResultFile read(const std::string& text) {
  const Result<ResultFile> file = read_results(text, "f");
  EXPECT_TRUE(file.has_value()) << (file ? "" : file.error().message);
  return file.value_or(ResultFile{});
}

MeasuredRun only(const ResultFile& file) {
  EXPECT_EQ(file.runs.size(), 1u);
  return file.runs.empty() ? MeasuredRun{} : file.runs.front();
}

bool trapped(const MeasuredRun& run, const char* tag) {
  return std::find(run.traps.begin(), run.traps.end(), tag) != run.traps.end();
}

// The one figure of a phase and a kind; value 0 = there is none.
Observation figure(const MeasuredRun& run, MeasuredPhase phase, Figure kind) {
  for (const Observation& o : run.figures) {
    if (o.phase == phase && o.figure == kind) return o;
  }
  return {};
}
Observation output_rate(const MeasuredRun& run) {
  return figure(run, MeasuredPhase::decode, Figure::tokens_per_s);
}
Observation input_rate(const MeasuredRun& run) {
  return figure(run, MeasuredPhase::prefill, Figure::tokens_per_s);
}
Observation total_rate(const MeasuredRun& run) {
  return figure(run, MeasuredPhase::mixed, Figure::tokens_per_s);
}
Observation step(const MeasuredRun& run) {
  return figure(run, MeasuredPhase::decode, Figure::time_per_token_s);
}
Observation first_token(const MeasuredRun& run) {
  return figure(run, MeasuredPhase::prefill, Figure::time_to_first_token_s);
}
Observation request(const MeasuredRun& run) {
  return figure(run, MeasuredPhase::mixed, Figure::request_s);
}

// 40 requests of 100 + 11 tokens in 20 s: 2 a second. A request takes 0.5 + 10 x 0.1 = 1.5 s: 3 in
// flight, of which 2 x 10 x 0.1 = 2 decode.
const char* const kServe = R"({
  "backend": "vllm", "model_id": "org/model", "max_concurrency": 8,
  "duration": 20.0, "completed": 40, "failed": 2,
  "total_input_tokens": 4000, "total_output_tokens": 440,
  "request_throughput": 2.0,
  "output_throughput": 22.0, "total_token_throughput": 222.0,
  "mean_ttft_ms": 500, "median_ttft_ms": 400,
  "mean_tpot_ms": 100, "median_tpot_ms": 90
})";

TEST(ResultsServe, JsonOfVllm) {
  const ResultFile file = read(kServe);
  EXPECT_EQ(file.format, "serving benchmark JSON");
  const MeasuredRun run = only(file);
  EXPECT_EQ(run.engine, "vLLM");
  EXPECT_EQ(run.model, "org/model");
  EXPECT_EQ(run.repetitions, 40);
  const Observation out = output_rate(run);
  EXPECT_EQ(out.value, 22);
  EXPECT_EQ(out.counting, Counting::same_wall);
  EXPECT_DOUBLE_EQ(out.batch.value_or(0), 2);
  EXPECT_EQ(out.prompt.value_or(0), 100);
  EXPECT_EQ(out.output.value_or(0), 11);
  EXPECT_EQ(out.source.line, 6);
  EXPECT_EQ(out.source.text, "\"output_throughput\": 22.0");
  EXPECT_EQ(out.source.file, "f");
  EXPECT_EQ(input_rate(run).value, 200);
  EXPECT_EQ(input_rate(run).counting, Counting::same_wall);
  EXPECT_EQ(total_rate(run).value, 222);
  EXPECT_DOUBLE_EQ(first_token(run).value, 0.4);
  EXPECT_DOUBLE_EQ(first_token(run).batch.value_or(0), 3);
  EXPECT_DOUBLE_EQ(step(run).value, 0.09);
  EXPECT_EQ(step(run).context.value_or(0), 105.5);
  for (const char* tag : {"same_wall", "total_tokens", "queueing"}) {
    EXPECT_TRUE(trapped(run, tag)) << tag;
  }
  EXPECT_FALSE(trapped(run, "warm_up"));
  EXPECT_EQ(run.traps.size(), 3u);
  EXPECT_EQ(run.notes.front().empty(), false);
}

std::string edited(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(ResultsServe, WarmUpTakesTheMedian) {
  const MeasuredRun run =
      only(read(edited(kServe, "\"mean_ttft_ms\": 500", "\"mean_ttft_ms\": 1500")));
  EXPECT_TRUE(trapped(run, "warm_up"));
  EXPECT_DOUBLE_EQ(first_token(run).value, 0.4);
}

TEST(ResultsServe, OneAtATimeIsNoQueue) {
  const MeasuredRun run =
      only(read(edited(kServe, "\"max_concurrency\": 8", "\"max_concurrency\": 1")));
  EXPECT_FALSE(trapped(run, "queueing"));
  EXPECT_EQ(step(run).batch.value_or(0), 1);
}

TEST(ResultsServe, SecondsWithoutAUnit) {
  std::string text = edited(kServe, "\"mean_ttft_ms\": 500, \"median_ttft_ms\": 400",
                            "\"median_ttft\": 0.4, \"median_e2el\": 1.4");
  text = edited(text, "\"mean_tpot_ms\": 100, \"median_tpot_ms\": 90", "\"median_tpot\": 0.09");
  const MeasuredRun run = only(read(text));
  EXPECT_DOUBLE_EQ(first_token(run).value, 0.4);
  EXPECT_DOUBLE_EQ(step(run).value, 0.09);
  EXPECT_DOUBLE_EQ(request(run).value, 1.4);
  EXPECT_DOUBLE_EQ(request(run).batch.value_or(0), 2.8);  // 2/s x 1.4 s
}

TEST(ResultsServe, FailedRunsAreRefused) {
  const ResultFile file = read(edited(kServe, "\"completed\": 40", "\"completed\": 0"));
  EXPECT_TRUE(file.runs.empty());
  ASSERT_EQ(file.refused.size(), 1u);
  EXPECT_EQ(file.refused[0].line, 3);
  EXPECT_EQ(file.refused[0].text, "\"completed\": 0");
  EXPECT_EQ(file.refused[0].why, "0 requests were completed");
}

TEST(ResultsServe, NumbersThatAreNone) {
  for (const char* bad : {"NaN", "Infinity", "\"inf\"", "0", "null", "-3"}) {
    const ResultFile file = read(edited(kServe, "\"output_throughput\": 22.0",
                                        std::string("\"output_throughput\": ") + bad));
    EXPECT_EQ(output_rate(only(file)).value, 0) << bad;
    EXPECT_EQ(file.refused.size(), 1u) << bad;
  }
}

TEST(ResultsServe, SweepsAndCutArrays) {
  const std::string one = kServe;
  EXPECT_EQ(read("[\n" + one + ",\n" + one + "\n]\n").runs.size(), 2u);
  const ResultFile cut = read("[\n" + one + ",\n" + one + ",\n{\"backend\": \"vl");
  ASSERT_EQ(cut.runs.size(), 2u);
  EXPECT_EQ(output_rate(cut.runs[1]).source.line, 10 + 6);
  EXPECT_EQ(read("INFO started\n" + one + "\nINFO done\n").runs.size(), 1u);
  EXPECT_EQ(read("\xEF\xBB\xBF" + one).runs.size(), 1u);
}

// 10 requests of 512 requested, at ratio 1: 300 made each; 3 tokens a pass.
TEST(ResultsServe, LinesOfSglang) {
  const std::string line =
      R"({"backend": "sglang", "dataset_name": "random", "request_rate": Infinity, )"
      R"("max_concurrency": null, "total_input_tokens": 1000, "total_output_tokens": 3000, )"
      R"("mean_e2e_latency_ms": 8000, "median_e2e_latency_ms": 7000, "mean_ttft_ms": 2000, )"
      R"("median_itl_ms": 20, "output_throughput": 300, "random_output_len": 512, )"
      R"("random_range_ratio": 1.0, "duration": 10, "completed": 10, "concurrency": 8.0, )"
      R"("accept_length": 3.0})";
  const ResultFile file = read("banner\n" + line + "\n" + line + "\n");
  ASSERT_EQ(file.runs.size(), 2u);
  const MeasuredRun& run = file.runs[1];
  EXPECT_EQ(run.engine, "SGLang");
  EXPECT_EQ(output_rate(run).source.line, 3);
  EXPECT_TRUE(trapped(run, "early_stop"));
  EXPECT_TRUE(trapped(run, "speculative"));
  EXPECT_EQ(run.tokens_per_pass, 3);
  EXPECT_EQ(request(run).batch.value_or(0), 8);
  EXPECT_EQ(output_rate(run).batch.value_or(0), 6);  // 1/s x (8 - 2) s
  EXPECT_DOUBLE_EQ(step(run).value, 0.02);
  // Spread lengths are no early stop: half of 512 is what is asked for, 300 are made.
  const MeasuredRun spread =
      only(read(edited(line, "\"random_range_ratio\": 1.0", "\"random_range_ratio\": 0.0") + "\n"));
  EXPECT_FALSE(trapped(spread, "early_stop"));
  EXPECT_NE(spread.notes.front().find("spread"), std::string::npos);
}

TEST(ResultsServe, ArgumentsOfSglang) {
  const MeasuredRun run = only(read(
      R"({"backend": "sglang", "total_input_tokens": 100, "total_output_tokens": 500,
          "output_throughput": 50, "duration": 10, "completed": 10,
          "server_info": {"model_path": "org/m", "version": "0.5.1", "tp_size": 8, "dp_size": 2,
                          "kv_cache_dtype": "fp8_e4m3", "quantization": "fp8"}})"));
  EXPECT_EQ(run.model, "org/m");
  EXPECT_EQ(run.build, "0.5.1");
  EXPECT_EQ(run.tensor, 8);
  EXPECT_EQ(run.data, 2);
  EXPECT_EQ(run.key_cache, "fp8_e4m3");
  EXPECT_EQ(run.quantisation, "fp8");
}

// Detailed results list every token's time and every text, which may hold anything.
TEST(ResultsServe, DetailsArePassedOver) {
  std::string details = "\"itls\": [";
  for (int i = 0; i < 2000; ++i) {
    details += i > 0 ? ",\n[" : "\n[";
    for (int j = 0; j < 100; ++j) details += j > 0 ? ", 0.5" : "0.5";
    details += ']';
  }
  details += "],\n\"generated_texts\": [\"a ] \\\" } \\\\\", \"b\"], \"mean_ttft_ms\": 500";
  const MeasuredRun run = only(read(edited(kServe, "\"mean_ttft_ms\": 500", details)));
  EXPECT_EQ(output_rate(run).value, 22);
  EXPECT_DOUBLE_EQ(step(run).value, 0.09);
  EXPECT_EQ(step(run).source.line, 8 + 2001);
}

TEST(ResultsServe, PromptsOfOneTokenAreDecode) {
  const MeasuredRun run = only(read(
      R"({"backend": "sglang", "total_input_tokens": 10, "total_output_tokens": 5000,
          "output_throughput": 500, "duration": 10, "completed": 10, "median_itl_ms": 15})"));
  EXPECT_EQ(output_rate(run).counting, Counting::aggregate);
  EXPECT_EQ(input_rate(run).value, 0);
  EXPECT_FALSE(trapped(run, "same_wall"));
}

TEST(ResultsServe, InferenceXTimesItsDevices) {
  const std::string text =
      R"({"hw": "h200", "conc": 64, "model": "m", "framework": "vllm", "precision": "fp8",
          "spec_decoding": "none", "disagg": false, "is_multinode": false, "isl": 1024, "osl": 101,
          "tp": 4, "ep": 1, "tput_per_gpu": 1000.0, "output_tput_per_gpu": 101.0,
          "input_tput_per_gpu": 899.0, "median_ttft": 0.5, "mean_tpot": 0.02, "median_tpot": 0.019})";
  const MeasuredRun run = only(read(text));
  EXPECT_EQ(run.device, "h200");
  EXPECT_EQ(run.devices, 4);
  EXPECT_EQ(run.tensor, 4);
  EXPECT_EQ(run.quantisation, "fp8");
  EXPECT_EQ(output_rate(run).value, 404);
  EXPECT_EQ(output_rate(run).counting, Counting::same_wall);
  EXPECT_DOUBLE_EQ(output_rate(run).batch.value_or(0), 8);  // 404/101 requests/s x 100 x 0.02 s
  EXPECT_EQ(total_rate(run).value, 4000);
  EXPECT_DOUBLE_EQ(step(run).value, 0.019);
  const MeasuredRun apart = only(read(edited(text, "\"disagg\": false", "\"disagg\": true")));
  EXPECT_EQ(apart.devices, 0);
  EXPECT_EQ(output_rate(apart).value, 101);
  EXPECT_EQ(output_rate(apart).counting, Counting::per_device);
}

TEST(ResultsVllm, Throughput) {
  const MeasuredRun run = only(read(
      R"({"elapsed_time": 10.0, "num_requests": 4, "total_num_tokens": 800,
          "requests_per_second": 0.4, "tokens_per_second": 80.0})"));
  EXPECT_EQ(total_rate(run).value, 80);
  EXPECT_EQ(total_rate(run).counting, Counting::aggregate);
  EXPECT_FALSE(total_rate(run).prompt.has_value());
  EXPECT_TRUE(trapped(run, "total_tokens"));
  EXPECT_NE(run.notes.back().find("200 tokens a request"), std::string::npos);
  const ResultFile none = read(
      R"({"elapsed_time": 10.0, "num_requests": 0, "total_num_tokens": 0,
          "requests_per_second": 0.0, "tokens_per_second": 0.0})");
  EXPECT_TRUE(none.runs.empty());
  EXPECT_EQ(none.refused.size(), 1u);
}

TEST(ResultsVllm, ThroughputLine) {
  const ResultFile file = read(
      "log\nThroughput: 2.00 requests/s, 600.00 total tokens/s, 200.00 output tokens/s\n"
      "Total num prompt tokens:  2010\nTotal num output tokens:  1000\n");
  const MeasuredRun run = only(file);
  EXPECT_EQ(output_rate(run).value, 200);
  EXPECT_EQ(input_rate(run).value, 400);
  EXPECT_EQ(total_rate(run).value, 600);
  EXPECT_EQ(output_rate(run).prompt.value_or(0), 201);  // of 10 requests
  EXPECT_EQ(output_rate(run).output.value_or(0), 100);
  EXPECT_EQ(output_rate(run).source.line, 2);
  EXPECT_TRUE(trapped(run, "same_wall"));
  const MeasuredRun old = only(read("Throughput: 2.50 requests/s, 640.00 tokens/s\n"));
  EXPECT_EQ(total_rate(old).value, 640);
  EXPECT_EQ(output_rate(old).value, 0);
  EXPECT_EQ(figure(old, MeasuredPhase::mixed, Figure::requests_per_s).value, 2.5);
  EXPECT_TRUE(trapped(old, "total_tokens"));
}

TEST(ResultsVllm, Latency) {
  const MeasuredRun run = only(read(R"({"avg_latency": 4.0, "latencies": [2.0, 2.0, 8.0],
                    "percentiles": {"10": 2.0, "50": 2.0, "99": 8.0}})"));
  EXPECT_EQ(request(run).value, 2);
  EXPECT_EQ(request(run).source.text, "percentiles.50: 2");
  EXPECT_TRUE(trapped(run, "warm_up"));
  const MeasuredRun line =
      only(read("Avg latency: 3.25 seconds\n10% percentile latency: 3.1 seconds\n"
                "50% percentile latency: 3.2 seconds\n"));
  EXPECT_EQ(request(line).value, 3.2);
  EXPECT_EQ(request(line).source.line, 3);
  EXPECT_FALSE(trapped(line, "warm_up"));
}

const char* const kBlock = R"(
============ Serving Benchmark Result ============
Successful requests:                     40
Maximum request concurrency:             8
Benchmark duration (s):                  20.00
Total input tokens:                      4000
Total generated tokens:                  440
Request throughput (req/s):              2.00
Output token throughput (tok/s):         22.00
Total Token throughput (tok/s):          222.00
---------------Time to First Token----------------
Mean TTFT (ms):                          500.00
Median TTFT (ms):                        400.00
-----Time per Output Token (excl. 1st token)------
Mean TPOT (ms):                          100.00
Median TPOT (ms):                        90.00
==================================================
)";

TEST(ResultsConsole, BlocksOfVllm) {
  const std::string block = kBlock;
  const ResultFile file = read("vllm bench serve --model org/one \\\n" + block +
                               "Namespace(model='org/two', dataset_name='random', "
                               "random_output_len=20, random_range_ratio=0.0, x=1)\r\n" +
                               block);
  ASSERT_EQ(file.runs.size(), 2u);
  EXPECT_EQ(file.format, "serving benchmark console");
  EXPECT_EQ(file.runs[0].model, "org/one");
  EXPECT_EQ(file.runs[1].model, "org/two");
  EXPECT_EQ(file.runs[0].engine, "vLLM");
  EXPECT_EQ(output_rate(file.runs[0]).value, 22);
  EXPECT_EQ(output_rate(file.runs[0]).source.line, 10);
  EXPECT_EQ(total_rate(file.runs[0]).value, 222);
  EXPECT_DOUBLE_EQ(step(file.runs[0]).value, 0.09);
  EXPECT_DOUBLE_EQ(step(file.runs[0]).batch.value_or(0), 2);
  EXPECT_FALSE(trapped(file.runs[0], "early_stop"));
  EXPECT_TRUE(trapped(file.runs[1], "early_stop"));  // 11 of 20
}

TEST(ResultsConsole, RowsOfSglang) {
  std::string block = edited(kBlock, "Successful requests",
                             "Backend:                                 sglang\n"
                             "Traffic request rate:                    inf\n"
                             "Successful requests");
  block = edited(block, "---------------Time",
                 "Concurrency:                             3.00\n"
                 "Accept length:                           2.50\n"
                 "Mean E2E Latency (ms):                   1500.00\n"
                 "---------------Time");
  const MeasuredRun run = only(read(block));
  EXPECT_EQ(run.engine, "SGLang");
  EXPECT_EQ(run.tokens_per_pass, 2.5);
  EXPECT_TRUE(trapped(run, "speculative"));
  EXPECT_DOUBLE_EQ(request(run).value, 1.5);
  EXPECT_EQ(request(run).batch.value_or(0), 3);
}

TEST(ResultsConsole, BlocksWithoutNumbers) {
  ResultFile file = read(
      "============ Serving Benchmark Result ============\n"
      "Successful requests:                     XX\n"
      "Output token throughput (tok/s):         XX\n"
      "==================================================\n");
  EXPECT_TRUE(file.runs.empty());
  EXPECT_EQ(file.refused.size(), 1u);
  file = read(edited(kBlock, "40\n", "0\n"));
  EXPECT_TRUE(file.runs.empty());
  ASSERT_EQ(file.refused.size(), 1u);
  EXPECT_EQ(file.refused[0].line, 3);
}

TEST(ResultsConsole, EmbeddingsArePrefill) {
  const MeasuredRun run =
      only(read("============ Serving Benchmark Result ============\n"
                "Successful requests:                     10\n"
                "Benchmark duration (s):                  2.00\n"
                "Total input tokens:                      1000\n"
                "Request throughput (req/s):              5.00\n"
                "Total Token throughput (tok/s):          500.00\n"
                "==================================================\n"));
  EXPECT_EQ(input_rate(run).value, 500);
  EXPECT_EQ(input_rate(run).counting, Counting::aggregate);
  EXPECT_EQ(total_rate(run).value, 0);
}

std::string window(const char* prompt, const char* generation, const char* running,
                   const char* hits) {
  return std::string("INFO Engine 000: Avg prompt throughput: ") + prompt +
         " tokens/s, Avg generation throughput: " + generation + " tokens/s, Running: " + running +
         " reqs, Waiting: 0 reqs, GPU KV cache usage: 3.9%, Prefix cache hit rate: " + hits + "%\n";
}

TEST(ResultsEngineLog, Windows) {
  const MeasuredRun run =
      only(read("start\n" + window("300.0", "100.0", "8", "0.0") +
                window("0.0", "160.0", "8", "0.0") + window("0.0", "0.0", "0", "0.0")));
  EXPECT_EQ(run.engine, "vLLM");
  ASSERT_EQ(run.figures.size(), 3u);
  EXPECT_EQ(run.figures[0].counting, Counting::same_wall);
  EXPECT_EQ(run.figures[1].phase, MeasuredPhase::prefill);
  EXPECT_EQ(run.figures[1].value, 300);
  EXPECT_EQ(run.figures[2].counting, Counting::aggregate);
  EXPECT_EQ(run.figures[2].value, 160);
  EXPECT_EQ(run.figures[2].batch.value_or(0), 8);
  EXPECT_EQ(run.figures[2].source.line, 3);
  EXPECT_TRUE(trapped(run, "same_wall"));
  EXPECT_FALSE(trapped(run, "prefix_cache"));
  EXPECT_FALSE(trapped(run, "unsteady"));
}

TEST(ResultsEngineLog, CacheSpeculationAndChange) {
  const MeasuredRun run = only(read(window("300.0", "100.0", "8", "55.0") +
                                    "INFO SpecDecoding metrics: Mean acceptance length: 2.50, x\n" +
                                    window("0.0", "160.0", "4", "55.0")));
  EXPECT_TRUE(trapped(run, "prefix_cache"));
  EXPECT_TRUE(trapped(run, "speculative"));
  EXPECT_TRUE(trapped(run, "unsteady"));
  EXPECT_EQ(run.figures.back().batch.value_or(0), 6);
  const ResultFile idle = read(window("0.0", "0.0", "0", "0.0"));
  EXPECT_TRUE(idle.runs.empty());
  EXPECT_EQ(idle.refused.size(), 1u);
}

TEST(ResultsSglang, OneBatch) {
  const MeasuredRun run =
      only(read(R"({"run_name": "default", "batch_size": 4, "input_len": 256, "output_len": 32,
               "prefill_latency": 0.1, "prefill_throughput": 10240.0,
               "median_decode_latency": 0.01, "median_decode_throughput": 400.0,
               "total_latency": 0.41, "overall_throughput": 2809.7})"));
  EXPECT_EQ(input_rate(run).value, 10240);
  EXPECT_EQ(input_rate(run).counting, Counting::aggregate);
  EXPECT_EQ(output_rate(run).value, 400);
  EXPECT_EQ(output_rate(run).batch.value_or(0), 4);
  EXPECT_EQ(output_rate(run).context.value_or(0), 272);
  EXPECT_DOUBLE_EQ(request(run).value, 0.41);
  EXPECT_TRUE(run.traps.empty());
}

TEST(ResultsTrtllm, Console) {
  const MeasuredRun run =
      only(read("Model:\t\t\torg/model\nKV Cache Dtype:\t\tFP8\nTP Size: 2\n"
                "= PERFORMANCE OVERVIEW\n"
                "Request Throughput (req/sec):                     2.0\n"
                "Total Output Throughput (tokens/sec):             202.0\n"
                "Per GPU Output Throughput (tps/gpu):              101.0\n"
                "Total Token Throughput (tokens/sec):              1202.0\n"
                "Average request latency (ms):                     3000.0\n"
                "Average time-to-first-token [TTFT] (ms):          1000.0\n"
                "Average time-per-output-token [TPOT] (ms):        20.0\n"
                "[TPOT] P50    : 19.0\n[TTFT] P50    : 900.0\n"));
  EXPECT_EQ(run.devices, 2);
  EXPECT_EQ(output_rate(run).value, 202);
  EXPECT_EQ(output_rate(run).output.value_or(0), 101);
  EXPECT_EQ(output_rate(run).prompt.value_or(0), 500);
  EXPECT_DOUBLE_EQ(output_rate(run).batch.value_or(0), 4);  // 2/s x 100 x 0.02 s
  EXPECT_DOUBLE_EQ(request(run).batch.value_or(0), 6);      // 2/s x 3 s
  EXPECT_DOUBLE_EQ(step(run).value, 0.019);
  EXPECT_DOUBLE_EQ(first_token(run).value, 0.9);
  EXPECT_TRUE(trapped(run, "queueing"));
}

TEST(ResultsTrtllm, Report) {
  const MeasuredRun run = only(read(R"({
    "engine": {"model": "org/model", "version": "1.0", "dtype": "bfloat16",
               "kv_cache_dtype": "FP8", "quantization": "FP8"},
    "machine": {"name": "NVIDIA H200"},
    "world_info": {"tp_size": 2, "pp_size": 1, "ep_size": null, "world_size": 2},
    "request_info": {"num_requests": 100, "avg_num_concurrent_requests": 5.5,
                     "avg_input_length": 1000, "avg_output_length": 28.0},
    "performance": {"total_latency_ms": 50000, "avg_request_latency_ms": 2000,
                    "request_throughput_req_s": 2.0, "system_output_throughput_tok_s": 56.0},
    "streaming_metrics": {"avg_ttft_ms": 1000, "avg_tpot_ms": 37},
    "dataset": {"avg_isl": 1000, "osl_stats": {"average": 128}}})"));
  EXPECT_EQ(run.build, "1.0");
  EXPECT_EQ(run.quantisation, "FP8");
  EXPECT_EQ(run.key_cache, "FP8");
  EXPECT_EQ(run.device, "NVIDIA H200");
  EXPECT_EQ(run.tensor, 2);
  EXPECT_TRUE(trapped(run, "early_stop"));
  EXPECT_EQ(output_rate(run).value, 56);
  EXPECT_EQ(request(run).value, 2);
  EXPECT_EQ(request(run).batch.value_or(0), 5.5);
  EXPECT_EQ(request(run).source.line, 8);
}

TEST(ResultsTrtllm, LegacyLine) {
  const MeasuredRun run = only(read(
      "[BENCHMARK] model_name m_7b world_size 2 precision float16 batch_size 4 input_length 100 "
      "output_length 50 tokens_per_sec 80.5 latency(ms) 2500.0 generation_time(ms) 2000 "
      "generation_tokens_per_second 99.5\n"));
  ASSERT_EQ(run.figures.size(), 3u);
  EXPECT_EQ(run.figures[0].value, 99.5);
  EXPECT_EQ(run.figures[0].counting, Counting::aggregate);
  EXPECT_EQ(run.figures[0].context.value_or(0), 125);
  EXPECT_EQ(run.figures[1].value, 80.5);
  EXPECT_EQ(run.figures[1].counting, Counting::same_wall);
  EXPECT_EQ(run.model, "m_7b");
  EXPECT_EQ(run.devices, 2);
}

const char* const kMlperf =
    "================================================\n"
    "MLPerf Results Summary\n"
    "================================================\n"
    "SUT name : model-9b-Server-SUT-LoadGen\n"
    "Scenario : Server\n"
    "Mode     : PerformanceOnly\n"
    "Completed samples per second    : 2.00\n"
    "Completed tokens per second: 202.00\n"
    "Result is : VALID\n"
    "Mean latency (ns)               : 3000000000\n"
    "Mean First Token latency (ns)                : 1000000000\n"
    "50.00 percentile first token latency (ns)   : 900000000\n"
    "Mean Time to Output Token (ns)               : 20000000\n"
    "50.00 percentile time to output token (ns)   : 19000000\n";

TEST(ResultsMlperf, Server) {
  const MeasuredRun run = only(read(kMlperf));
  EXPECT_EQ(run.model, "model-9b");
  EXPECT_EQ(output_rate(run).value, 202);
  EXPECT_EQ(output_rate(run).output.value_or(0), 101);
  EXPECT_DOUBLE_EQ(step(run).value, 0.019);
  EXPECT_DOUBLE_EQ(step(run).batch.value_or(0), 4);
  EXPECT_DOUBLE_EQ(first_token(run).value, 0.9);
  EXPECT_DOUBLE_EQ(first_token(run).batch.value_or(0), 6);
}

TEST(ResultsMlperf, RunsThatDoNotCount) {
  ResultFile file = read(edited(kMlperf, "is : VALID", "is : INVALID"));
  EXPECT_TRUE(file.runs.empty());
  ASSERT_EQ(file.refused.size(), 1u);
  EXPECT_EQ(file.refused[0].text, "Result is : INVALID");
  file = read(edited(kMlperf, "PerformanceOnly", "AccuracyOnly"));
  EXPECT_TRUE(file.runs.empty());
  EXPECT_EQ(file.refused.size(), 1u);
}

TEST(ResultsMlperf, SystemBesideTheSummary) {
  const std::string system =
      R"({"accelerator_model_name": "Chip 9", "accelerators_per_node": "4", "number_of_nodes": 2,
          "framework": "TensorRT 10.2.0, CUDA 12.4"})";
  const MeasuredRun alone = only(read(system));
  EXPECT_EQ(alone.device, "Chip 9");
  EXPECT_EQ(alone.devices, 8);
  EXPECT_EQ(alone.engine, "TensorRT");
  EXPECT_EQ(alone.build, "10.2.0");
  EXPECT_TRUE(alone.figures.empty());
  const MeasuredRun both = only(read(kMlperf + system + "\n"));
  EXPECT_EQ(both.device, "Chip 9");
  EXPECT_EQ(both.model, "model-9b");
  EXPECT_EQ(output_rate(both).value, 202);
}

TEST(ResultsGenai, Tables) {
  const MeasuredRun run =
      only(read("              NVIDIA AIPerf | LLM Metrics\n"
                "┃                      Metric ┃      avg ┃  min ┃  p50 ┃\n"
                "│    Time to First Token (ms) │   100.00 │ 1.00 │ 40.0 │\n"
                "│    Inter Token Latency (ms) │    20.00 │ 1.00 │ 19.0 │\n"
                "│        Request Latency (ms) │ 2,100.00 │ 1.00 │ 2000 │\n"
                "│ Output Sequence Length (t)  │   101.00 │ 1.00 │  101 │\n"
                "│  Input Sequence Length (t)  │   200.00 │ 1.00 │  200 │\n"
                "│ Output Token Throughput (tokens/sec) │ 202.00 │ N/A │ N/A │\n"
                "│ Request Throughput (requests/sec)    │   2.00 │ N/A │ N/A │\n"));
  EXPECT_EQ(output_rate(run).value, 202);
  EXPECT_DOUBLE_EQ(first_token(run).value, 0.04);
  EXPECT_TRUE(trapped(run, "warm_up"));
  EXPECT_DOUBLE_EQ(step(run).value, 0.019);
  EXPECT_DOUBLE_EQ(step(run).batch.value_or(0), 4);
  EXPECT_DOUBLE_EQ(request(run).value, 2);
  EXPECT_DOUBLE_EQ(request(run).batch.value_or(0), 4.2);
  EXPECT_EQ(input_rate(run).value, 400);
}

TEST(ResultsGenai, Json) {
  const MeasuredRun run = only(read(R"({
    "request_throughput": {"unit": "requests/sec", "avg": 2.0},
    "request_latency": {"unit": "ms", "avg": 2100.0, "p50": 2000.0},
    "time_to_first_token": {"unit": "ms", "avg": 100.0, "p50": 90.0},
    "inter_token_latency": {"unit": "us", "avg": 20000.0, "p50": 19000.0},
    "output_token_throughput": {"unit": "tokens/sec", "avg": 202.0},
    "output_sequence_length": {"unit": "tokens", "avg": 101.0},
    "input_sequence_length": {"unit": "tokens", "avg": 200.0},
    "request_count": {"unit": "requests", "avg": 40},
    "input_config": {"endpoint": {"model_names": ["org/model"]}}})"));
  EXPECT_EQ(run.model, "org/model");
  EXPECT_EQ(output_rate(run).value, 202);
  EXPECT_EQ(output_rate(run).source.line, 6);
  EXPECT_DOUBLE_EQ(step(run).value, 0.019);
  EXPECT_DOUBLE_EQ(first_token(run).value, 0.09);
  EXPECT_DOUBLE_EQ(request(run).value, 2);
  EXPECT_FALSE(trapped(run, "warm_up"));
}

TEST(ResultsGenai, Bench) {
  const MeasuredRun run = only(read(R"({"aggregated_metrics": {"num_concurrency": 4,
    "num_completed_requests": 20, "requests_per_minute": 60,
    "mean_output_throughput_tokens_per_s": 101.0, "mean_input_throughput_tokens_per_s": 5000,
    "stats": {"ttft": {"mean": 0.5, "p50": 0.4}, "tpot": {"mean": 0.02, "p50": 0.019},
              "e2e_latency": {"mean": 2.5, "p50": 2.3},
              "num_input_tokens": {"mean": 90}, "num_output_tokens": {"mean": 101}}}})"));
  EXPECT_EQ(output_rate(run).value, 101);
  EXPECT_DOUBLE_EQ(output_rate(run).batch.value_or(0), 2);
  EXPECT_DOUBLE_EQ(request(run).batch.value_or(0), 2.5);
  EXPECT_DOUBLE_EQ(step(run).value, 0.019);
  EXPECT_DOUBLE_EQ(first_token(run).value, 0.4);
  EXPECT_EQ(input_rate(run).value, 90);  // 1 request/s, not the 5000 over the first token
}

const char* const kGuidellm = R"({"config": {"spec": {"backend": {"model": "org/model"},
    "data": [{"prompt_tokens": 90, "output_tokens": 200}]}},
  "benchmarks": [{"metrics": {
    "requests_per_second": {"successful": {"mean": 1.0, "median": 1.0}},
    "request_concurrency": {"successful": {"mean": 2.5}},
    "request_latency": {"successful": {"mean": 2.5, "median": 2.4, "count": 20}},
    "prompt_token_count": {"successful": {"mean": 90}},
    "output_token_count": {"successful": {"mean": 101}},
    "time_to_first_token_ms": {"successful": {"mean": 500, "median": 400}},
    "time_per_output_token_ms": {"successful": {"mean": 25, "median": 24}},
    "inter_token_latency_ms": {"successful": {"mean": 20, "median": 19}},
    "output_tokens_per_second": {"successful": {"mean": 101.0, "median": 7}}}}]})";

TEST(ResultsGuidellm, Benchmarks) {
  const MeasuredRun run = only(read(kGuidellm));
  EXPECT_EQ(run.model, "org/model");
  EXPECT_EQ(output_rate(run).value, 101);
  EXPECT_DOUBLE_EQ(step(run).value, 0.019);
  EXPECT_DOUBLE_EQ(step(run).batch.value_or(0), 2);
  EXPECT_EQ(request(run).value, 2.4);
  EXPECT_EQ(request(run).batch.value_or(0), 2.5);
  EXPECT_TRUE(trapped(run, "early_stop"));
  EXPECT_FALSE(trapped(run, "tpot_includes_ttft"));
}

TEST(ResultsGuidellm, TimePerTokenWithTheFirst) {
  const MeasuredRun run = only(read(edited(kGuidellm, "inter_token_latency_ms", "other")));
  EXPECT_EQ(step(run).value, 0);
  EXPECT_DOUBLE_EQ(figure(run, MeasuredPhase::mixed, Figure::time_per_token_s).value, 0.024);
  EXPECT_TRUE(trapped(run, "tpot_includes_ttft"));
}

std::string scrape(double prompt, double cached, double made, double itl, double first) {
  std::ostringstream out;
  const std::string labels = "{engine=\"0\",model_name=\"org/a}b\"} ";
  out << "# HELP vllm:prompt_tokens_total x\n"
      << "vllm:num_requests_running" << labels << "4.0\n"
      << "vllm:prompt_tokens_total" << labels << prompt << "\n"
      << "vllm:prompt_tokens_cached_total" << labels << cached << "\n"
      << "vllm:generation_tokens_total" << labels << made << "\n"
      << "vllm:generation_tokens_created" << labels << "1.7e+09\n"
      << "vllm:inter_token_latency_seconds_bucket{le=\"+Inf\"} 3\n"
      << "vllm:inter_token_latency_seconds_sum" << labels << itl << "\n"
      << "vllm:inter_token_latency_seconds_count" << labels << made << "\n"
      << "vllm:time_to_first_token_seconds_sum" << labels << first << "\n"
      << "vllm:time_to_first_token_seconds_count" << labels << first * 2 << "\n";
  return out.str();
}

TEST(ResultsPrometheus, OneScrapeIsNoRate) {
  const ResultFile file = read(scrape(1000, 0, 500, 10, 5));
  EXPECT_EQ(file.format, "Prometheus metrics");
  EXPECT_TRUE(file.runs.empty());
  ASSERT_EQ(file.refused.size(), 1u);
  EXPECT_EQ(file.refused[0].line, 5);
  EXPECT_NE(file.refused[0].why.find("Take two"), std::string::npos);
}

// 10 s: 2000 prompt tokens of which 500 cached, 1000 made in 40 s of inter-token time.
TEST(ResultsPrometheus, TwoScrapesInOneText) {
  const MeasuredRun run = only(read("1790000000.5\n" + scrape(1000, 0, 500, 10, 5) +
                                    "1790000010.5\n" + scrape(3000, 500, 1500, 50, 7)));
  EXPECT_EQ(run.engine, "vLLM");
  EXPECT_EQ(run.model, "org/a}b");
  EXPECT_EQ(output_rate(run).value, 100);
  EXPECT_EQ(output_rate(run).counting, Counting::same_wall);
  EXPECT_EQ(output_rate(run).batch.value_or(0), 4);
  EXPECT_EQ(output_rate(run).source.line, 18);
  EXPECT_EQ(input_rate(run).value, 150);
  EXPECT_DOUBLE_EQ(step(run).value, 0.04);
  EXPECT_DOUBLE_EQ(first_token(run).value, 0.5);
  EXPECT_TRUE(trapped(run, "prefix_cache"));
  EXPECT_TRUE(trapped(run, "same_wall"));
  EXPECT_TRUE(trapped(run, "queueing"));
}

TEST(ResultsPrometheus, TwoTexts) {
  const std::string before = scrape(1000, 0, 500, 10, 5), after = scrape(1000, 0, 1500, 50, 5);
  const Result<ResultFile> pure = read_scrapes({before, 100}, {after, 110}, "f");
  ASSERT_TRUE(pure.has_value());
  EXPECT_EQ(output_rate(only(*pure)).counting, Counting::aggregate);  // no prompt between
  EXPECT_EQ(output_rate(only(*pure)).value, 100);
  const Result<ResultFile> untimed = read_scrapes({before, 0}, {after, 0}, "f");
  ASSERT_TRUE(untimed.has_value());
  EXPECT_EQ(output_rate(only(*untimed)).value, 0);
  EXPECT_DOUBLE_EQ(step(only(*untimed)).value, 0.04);
  EXPECT_FALSE(step(only(*untimed)).batch.has_value());
  const Result<ResultFile> swapped = read_scrapes({after, 100}, {before, 110}, "f");
  ASSERT_FALSE(swapped.has_value());
  EXPECT_NE(swapped.error().message.find("fell"), std::string::npos);
  EXPECT_FALSE(read_scrapes({before, 110}, {after, 100}, "f").has_value());
  EXPECT_FALSE(read_scrapes({"nothing", 1}, {after, 2}, "f").has_value());
  EXPECT_FALSE(read_scrapes({before, 1}, {before, 2}, "f").has_value());
}

TEST(ResultsPrometheus, LlamaServer) {
  const auto text = [](double prompt, double prompt_s, double made, double made_s) {
    std::ostringstream out;
    out << "llamacpp:prompt_tokens_total " << prompt << "\nllamacpp:prompt_seconds_total "
        << prompt_s << "\nllamacpp:tokens_predicted_total " << made
        << "\nllamacpp:tokens_predicted_seconds_total " << made_s << "\n";
    return out.str();
  };
  const std::string before = text(100, 1, 50, 5), after = text(1100, 3, 250, 15);
  const MeasuredRun run = only(read(before + after));
  EXPECT_EQ(run.engine, "llama.cpp");
  EXPECT_EQ(input_rate(run).value, 500);
  EXPECT_EQ(output_rate(run).value, 20);
  EXPECT_EQ(output_rate(run).counting, Counting::per_stream);
  EXPECT_EQ(read(before).refused.size(), 1u);
}

TEST(ResultsPrometheus, Sglang) {
  const MeasuredRun run =
      only(read("1790000000\nsglang:prompt_tokens_total{model_name=\"m\"} 0\n"
                "sglang:generation_tokens_total{model_name=\"m\"} 0\n"
                "sglang:time_per_output_token_seconds_sum{model_name=\"m\"} 0\n"
                "sglang:time_per_output_token_seconds_count{model_name=\"m\"} 0\n"
                "1790000010\nsglang:prompt_tokens_total{model_name=\"m\"} 100\n"
                "sglang:generation_tokens_total{model_name=\"m\"} 1000\n"
                "sglang:time_per_output_token_seconds_sum{model_name=\"m\"} 20\n"
                "sglang:time_per_output_token_seconds_count{model_name=\"m\"} 1000\n"));
  EXPECT_EQ(run.engine, "SGLang");
  EXPECT_EQ(output_rate(run).value, 100);
  EXPECT_DOUBLE_EQ(step(run).value, 0.02);
  EXPECT_EQ(step(run).batch.value_or(0), 2);
}

TEST(ResultsServer, HostileTextsAreBounded) {
  const auto mib = [](const char* unit) {
    std::string text;
    while (text.size() < (std::size_t{1} << 20)) text += unit;
    return text;
  };
  const std::string mark = "log\n{\"output_throughput\": 1, \"x\": 2}\n";
  for (const char* unit :
       {"{", "[", "{}\n", "\n{\"", "{\"completed\":1,\"duration\":\n", "│", "\n",
        "Serving Benchmark Result\n", "Avg prompt throughput: 1\n", "vllm:a{b=\"\\\n",
        "PERFORMANCE OVERVIEW\n", "| LLM Metrics\n", "MLPerf Results Summary\n"}) {
    const Result<ResultFile> file = read_results(mark + mib(unit), "f");
    if (file) {
      EXPECT_LE(file->runs.size(), 5000u) << unit;
      EXPECT_LE(file->refused.size(), 1001u) << unit;
    }
  }
  EXPECT_FALSE(read_results(std::string(kResultBytes + 1, ' '), "f").has_value());
  EXPECT_FALSE(read_results("", "f").has_value());
}

TEST(ResultsServer, CutAnywhereIsReadOrRefused) {
  for (const std::string& text : {std::string(kServe), std::string(kBlock), std::string(kMlperf),
                                  std::string(kGuidellm), scrape(1, 0, 1, 1, 1)}) {
    for (std::size_t size = 0; size < text.size(); size += 7) {
      const Result<ResultFile> file = read_results(text.substr(0, size), "f");
      EXPECT_TRUE(file.has_value() || !file.error().message.empty());
    }
  }
}

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

fs::path corpus() {
  const char* folder = std::getenv("ROOFLENS_CORPUS");
#ifdef ROOFLENS_CORPUS_DEFAULT
  if (folder == nullptr) folder = ROOFLENS_CORPUS_DEFAULT;
#endif
  return folder != nullptr ? fs::path(folder) / "results" : fs::path();
}

Result<ResultFile> read_path(const fs::path& path, const std::string& name) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return read_results(text.str(), name);
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
  const fs::path folder = corpus();
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
