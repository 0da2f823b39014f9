// TensorRT-LLM, MLPerf, GenAI-Perf, guidellm, Prometheus: every format from a text of our own,
// every trap it can show.
#include <gtest/gtest.h>

#include <string>

#include "readers/results_testing.h"
#include "rooflens/readers/results_prometheus.h"

namespace rooflens {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

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
  ResultFile file = read(changed(kMlperf, "is : VALID", "is : INVALID"));
  EXPECT_TRUE(file.runs.empty());
  ASSERT_EQ(file.refused.size(), 1u);
  EXPECT_EQ(file.refused[0].text, "Result is : INVALID");
  file = read(changed(kMlperf, "PerformanceOnly", "AccuracyOnly"));
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
  const MeasuredRun run = only(read(changed(kGuidellm, "inter_token_latency_ms", "other")));
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


TEST(ResultsSuites, CutAnywhereIsReadOrRefused) {
  expect_cut_is_told(kMlperf);
  expect_cut_is_told(kGuidellm);
  expect_cut_is_told(scrape(1, 0, 1, 1, 1));
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

}  // namespace
}  // namespace rooflens
