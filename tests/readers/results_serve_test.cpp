// vLLM and SGLang: benchmarks as files and consoles, engine logs. Every format from a text of our
// own, every trap it can show.
#include <gtest/gtest.h>

#include <string>

#include "readers/results_testing.h"

namespace rooflens {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

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
  EXPECT_EQ(out.source.file, "results.txt");
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

TEST(ResultsServe, WarmUpTakesTheMedian) {
  const MeasuredRun run =
      only(read(changed(kServe, "\"mean_ttft_ms\": 500", "\"mean_ttft_ms\": 1500")));
  EXPECT_TRUE(trapped(run, "warm_up"));
  EXPECT_DOUBLE_EQ(first_token(run).value, 0.4);
}

TEST(ResultsServe, OneAtATimeIsNoQueue) {
  const MeasuredRun run =
      only(read(changed(kServe, "\"max_concurrency\": 8", "\"max_concurrency\": 1")));
  EXPECT_FALSE(trapped(run, "queueing"));
  EXPECT_EQ(step(run).batch.value_or(0), 1);
}

TEST(ResultsServe, SecondsWithoutAUnit) {
  std::string text = changed(kServe, "\"mean_ttft_ms\": 500, \"median_ttft_ms\": 400",
                             "\"median_ttft\": 0.4, \"median_e2el\": 1.4");
  text = changed(text, "\"mean_tpot_ms\": 100, \"median_tpot_ms\": 90", "\"median_tpot\": 0.09");
  const MeasuredRun run = only(read(text));
  EXPECT_DOUBLE_EQ(first_token(run).value, 0.4);
  EXPECT_DOUBLE_EQ(step(run).value, 0.09);
  EXPECT_DOUBLE_EQ(request(run).value, 1.4);
  EXPECT_DOUBLE_EQ(request(run).batch.value_or(0), 2.8);  // 2/s x 1.4 s
}

TEST(ResultsServe, FailedRunsAreRefused) {
  const ResultFile file = read(changed(kServe, "\"completed\": 40", "\"completed\": 0"));
  EXPECT_TRUE(file.runs.empty());
  ASSERT_EQ(file.refused.size(), 1u);
  EXPECT_EQ(file.refused[0].line, 3);
  EXPECT_EQ(file.refused[0].text, "\"completed\": 0");
  EXPECT_EQ(file.refused[0].why, "0 requests were completed");
}

TEST(ResultsServe, NumbersThatAreNone) {
  for (const char* bad : {"NaN", "Infinity", "\"inf\"", "0", "null", "-3"}) {
    const ResultFile file = read(changed(kServe, "\"output_throughput\": 22.0",
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
  const MeasuredRun spread = only(
      read(changed(line, "\"random_range_ratio\": 1.0", "\"random_range_ratio\": 0.0") + "\n"));
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
  const MeasuredRun run = only(read(changed(kServe, "\"mean_ttft_ms\": 500", details)));
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
  const MeasuredRun apart = only(read(changed(text, "\"disagg\": false", "\"disagg\": true")));
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
  std::string block = changed(kBlock, "Successful requests",
                              "Backend:                                 sglang\n"
                              "Traffic request rate:                    inf\n"
                              "Successful requests");
  block = changed(block, "---------------Time",
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
  file = read(changed(kBlock, "40\n", "0\n"));
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


TEST(ResultsServe, CutAnywhereIsReadOrRefused) {
  expect_cut_is_told(kServe);
  expect_cut_is_told(kBlock);
}

}  // namespace
}  // namespace rooflens
