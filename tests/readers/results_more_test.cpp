// CSV, consoles and single requests of benchmarks, every format from a text of our own.
#include <gtest/gtest.h>

#include <string>

#include "readers/results_testing.h"

namespace rooflens {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

// 10 requests in 5 s, each of 1 s: two at a time.
TEST(ResultsGenaiCsv, StatisticsThenValues) {
  const ResultFile file = read(
      "Metric,avg,min,max,p99,p95,p90,p75,p50,p25\r\n"
      "Time To First Token (ms),110.00,1,1,1,1,1,1,100.00,1\r\n"
      "Inter Token Latency (ms),9.50,1,1,1,1,1,1,9.00,1\r\n"
      "Request Latency (ms),\"1,000.00\",1,1,1,1,1,1,\"1,000.00\",1\r\n"
      "Output Sequence Length (tokens),101.00,1,1,1,1,1,1,101.00,1\r\n"
      "Input Sequence Length (tokens),500.00,1,1,1,1,1,1,500.00,1\r\n"
      "\r\nMetric,Value\r\nOutput Token Throughput (tokens/sec),202.00\r\n"
      "Request Throughput (requests/sec),2.00\r\nRequest Count,10.00\r\n");
  EXPECT_EQ(file.format, "genai-perf CSV");
  const MeasuredRun run = only(file);
  EXPECT_EQ(output_rate(run).value, 202);
  EXPECT_EQ(output_rate(run).counting, Counting::same_wall);
  EXPECT_EQ(output_rate(run).source.line, 9);
  EXPECT_DOUBLE_EQ(step(run).value, 0.009);
  EXPECT_DOUBLE_EQ(first_token(run).value, 0.1);
  EXPECT_DOUBLE_EQ(request(run).value, 1);
  EXPECT_DOUBLE_EQ(request(run).batch.value_or(0), 2);
  EXPECT_EQ(output_rate(run).output.value_or(0), 101);
  EXPECT_EQ(run.repetitions, 10);
}

std::string record(const char* phase, const char* start, const char* end, const char* first,
                   const char* more = "") {
  return std::string(R"({"metadata": {"request_start_ns": )") + start + R"(, "request_end_ns": )" +
         end + R"(, "benchmark_phase": ")" + phase +
         R"(", "was_cancelled": false}, "metrics": {"time_to_first_token": {"value": )" + first +
         R"(, "unit": "ms"}, "inter_token_latency": {"value": 10000, "unit": "us"},
           "request_latency": {"value": 1100, "unit": "ms"},
           "input_sequence_length": {"value": 500, "unit": "tokens"},
           "output_sequence_length": {"value": 101, "unit": "tokens"}})" +
         more + "}\n";
}

// Three requests of 1.1 s from 1 s to 4.3 s, one after the other; a warm-up and a failure beside.
TEST(ResultsAiperfRecords, LinesAreOneRun) {
  std::string text = record("warmup", "1", "900000000", "5000");
  text += record("profiling", "1000000000", "2100000000", "100");
  text += record("profiling", "2100000000", "3200000000", "120");
  text += record("profiling", "3200000000", "4300000000", "900");
  text += record("profiling", "4200000000", "4300000000", "1", R"(, "error": {"code": 500})");
  const ResultFile file = read(text);
  EXPECT_EQ(file.format, "AIPerf records");
  const MeasuredRun run = only(file);
  EXPECT_EQ(run.repetitions, 3);
  EXPECT_DOUBLE_EQ(first_token(run).value, 0.12);  // the median of 0.1, 0.12, 0.9
  EXPECT_TRUE(trapped(run, "warm_up"));            // their mean is 0.373
  EXPECT_DOUBLE_EQ(step(run).value, 0.01);
  EXPECT_NEAR(output_rate(run).value, 3 * 101 / 3.3, 1e-9);
  EXPECT_NEAR(input_rate(run).value, 3 * 500 / 3.3, 1e-9);
  EXPECT_NEAR(request(run).batch.value_or(0), 1, 1e-9);
  EXPECT_EQ(run.notes.back(), "1 requests failed");
}

// One request at a time: 0.1 s to the first response, 0.5 s to the last.
TEST(ResultsProfileExport, TimesWithoutTokens) {
  const MeasuredRun run = only(read(
      R"({"experiments": [{"experiment": {"mode": "concurrency", "value": 1}, "requests": [
          {"timestamp": 1000000000, "response_timestamps": [1100000000, 1300000000, 1500000000]},
          {"timestamp": 1500000000, "response_timestamps": [1600000000, 2000000000]},
          {"timestamp": 2000000000, "response_timestamps": []}]}]})"));
  EXPECT_NEAR(first_token(run).value, 0.1, 1e-9);
  EXPECT_NEAR(request(run).value, 0.5, 1e-9);
  EXPECT_EQ(request(run).batch.value_or(0), 1);
  EXPECT_NEAR(figure(run, MeasuredPhase::mixed, Figure::requests_per_s).value, 2, 1e-9);
  EXPECT_EQ(step(run).value, 0);  // a response may hold several tokens
}

// The old table prints seconds under "ms": no request of 4 ms has its first token after 60.
TEST(ResultsGuidellmConsole, OldTables) {
  const ResultFile file = read(
      "Benchmarks Info:\n"
      "==========================\n"
      "Metadata |||| Requests Made ||| Prompt Tok/Req ||| Output Tok/Req |||\n"
      "Benchmark| Start| End| Duration (s)| Comp| Inc| Err| Comp| Inc| Err| Comp| Inc| Err\n"
      "---------|------|----|-------------|-----|----|----|-----|----|----|-----|----|----\n"
      "synchronous| 1| 2| 30.0| 7| 0| 0| 512.0| 0.0| 0.0| 256.0| 0.0| 0.0\n"
      "throughput| 1| 2| 30.0| 90| 0| 0| 512.0| 0.0| 0.0| 256.0| 0.0| 0.0\n"
      "==========================\n"
      "Benchmarks Stats:\n"
      "==========================\n"
      "Metadata | Request Stats || Out Tok/sec| Tot Tok/sec| Req Latency (ms)||| TTFT (ms) ||| ITL "
      "(ms) ||| TPOT (ms) ||\n"
      "Benchmark| Per Second| Concurrency| mean| mean| mean| median| p99| mean| median| p99| mean| "
      "median| p99| mean| median| p99\n"
      "---------|-----------|------------|-----|-----|-----|-------|----|-----|-------|----|-----|-"
      "------|----|-----|-------|----\n"
      "synchronous| 0.25| 1.00| 64.0| 192.0| 4.36| 4.27| 4.91| 59.8| 59.1| 63.1| 16.8| 16.5| 19.0| "
      "17.0| 16.7| 18.9\n"
      "throughput| 3.00| 22.9| 768.0| 2304.0| 7.62| 7.62| 7.68| 817.7| 784.0| 1387.9| 26.7| 26.8| "
      "29.3| 29.0| 29.1| 29.2\n"
      "==========================\n");
  EXPECT_EQ(file.format, "guidellm console");
  ASSERT_EQ(file.runs.size(), 2U);
  const MeasuredRun& one = file.runs[0];
  EXPECT_EQ(output_rate(one).value, 64);
  EXPECT_EQ(output_rate(one).prompt.value_or(0), 512);
  EXPECT_EQ(output_rate(one).output.value_or(0), 256);
  EXPECT_DOUBLE_EQ(step(one).value, 0.0165);
  EXPECT_DOUBLE_EQ(first_token(one).value, 0.0591);
  EXPECT_DOUBLE_EQ(request(one).value, 4.27);
  EXPECT_EQ(total_rate(one).value, 192);
  EXPECT_EQ(one.repetitions, 7);
  EXPECT_DOUBLE_EQ(request(file.runs[1]).batch.value_or(0), 22.9);
  EXPECT_EQ(output_rate(file.runs[1]).source.line, 15);
}

TEST(ResultsGuidellmConsole, NewTables) {
  const MeasuredRun run =
      only(read("Request Token Statistics (Completed Requests)\n"
                "|===========|=====|=====|=====|=====|\n"
                "| Benchmark | Input Tok || Output Tok ||\n"
                "| Strategy  | Per Req || Per Req ||\n"
                "|           | Mdn | p95 | Mdn | p95 |\n"
                "|-----------|-----|-----|-----|-----|\n"
                "| constant  | 50.0 | 50.0 | 51.0 | 51.0 |\n"
                "|===========|=====|=====|=====|=====|\n"
                "Request Latency Statistics (Completed Requests)\n"
                "|===========|=====|=====|=====|=====|=====|=====|=====|=====|\n"
                "| Benchmark | Request Latency || TTFT || ITL || TPOT ||\n"
                "| Strategy  | Sec || ms || ms || ms ||\n"
                "|           | Mdn | p95 | Mdn | p95 | Mdn | p95 | Mdn | p95 |\n"
                "|-----------|-----|-----|-----|-----|-----|-----|-----|-----|\n"
                "| constant  | 0.6 | 0.7 | 15.8 | 19.8 | 2.2 | 2.3 | 2.5 | 2.6 |\n"
                "|===========|=====|=====|=====|=====|=====|=====|=====|=====|\n"
                "Server Throughput Statistics\n"
                "|===========|=====|=====|=====|=====|=====|=====|\n"
                "| Benchmark | Requests |||| Output Tokens ||\n"
                "| Strategy  | Per Sec || Concurrency || Per Sec ||\n"
                "|           | Mdn | Mean | Mdn | Mean | Mdn | Mean |\n"
                "|-----------|-----|-----|-----|-----|-----|-----|\n"
                "| constant  | 4.0 | 5.0 | 3.0 | 3.5 | 200.0 | 255.0 |\n"
                "|===========|=====|=====|=====|=====|=====|=====|\n"));
  EXPECT_EQ(output_rate(run).value, 255);  // rates are means over the run
  EXPECT_EQ(output_rate(run).prompt.value_or(0), 50);
  EXPECT_DOUBLE_EQ(step(run).value, 0.0022);
  EXPECT_DOUBLE_EQ(first_token(run).value, 0.0158);
  EXPECT_DOUBLE_EQ(request(run).value, 0.6);
  EXPECT_EQ(request(run).batch.value_or(0), 3.5);
}

TEST(ResultsGuidellmCsv, OneRowABenchmark) {
  const MeasuredRun run = only(
      read("Type,Id,Name,Successful Requests per second mean,Successful Request concurrency mean,"
           "Successful Output tokens per second mean,Successful Prompt token count mean,"
           "Successful Output token count mean,Successful Request latency mean,"
           "Successful Time to first token ms median,Successful Time per output token ms mean,"
           "Successful Inter token latency ms mean,Errored Inter token latency ms mean,Args\n"
           "a,1,constant@2,2.0,3.0,202.0,500.0,101.0,1.5,100.0,15.0,14.0,99.0,\"{1, 2}\"\n"));
  EXPECT_EQ(output_rate(run).value, 202);
  EXPECT_EQ(output_rate(run).prompt.value_or(0), 500);
  EXPECT_DOUBLE_EQ(first_token(run).value, 0.1);
  EXPECT_DOUBLE_EQ(step(run).value, 0.014);
  EXPECT_EQ(request(run).batch.value_or(0), 3);
}

// 4 sequences: 339.57 x 0.01178 = 4.0; 10,240 x 0.1 / 4 = 256 prompt tokens; 2,809.8 x 0.41 / 4 =
// 288, 32 of output.
TEST(ResultsSglangConsole, OneBatchAndItsWarmUp) {
  const std::string run =
      "Prefill. latency: 0.10000 s, throughput:  10240.00 token/s\n"
      "Decode 0. Batch size: 4, latency: 0.01200 s, throughput:    333.33 token/s\n"
      "Decode.  median latency: 0.01178 s, median throughput:    339.57 token/s\n"
      "Total. latency:  0.410 s, throughput:   2809.80 token/s\n";
  const ResultFile file = read("Warmup ...\n" + run + "Benchmark ...\n" + run);
  ASSERT_EQ(file.runs.size(), 1U);
  EXPECT_EQ(file.refused.size(), 1U);
  const MeasuredRun& one = file.runs[0];
  EXPECT_EQ(output_rate(one).value, 339.57);
  EXPECT_EQ(output_rate(one).batch.value_or(0), 4);
  EXPECT_EQ(output_rate(one).source.line, 9);
  EXPECT_EQ(input_rate(one).prompt.value_or(0), 256);
  EXPECT_EQ(input_rate(one).output.value_or(0), 32);
  EXPECT_EQ(output_rate(one).context.value_or(0), 272);
}

// 8 x 100 tokens in 10 - 2 s are 100/s, over all 10 s 80/s: versions print either.
TEST(ResultsSglangServer, OneBatchSentAtOnce) {
  const std::string row =
      R"({"run_name": "a", "batch_size": 8, "input_len": 1000, "output_len": 100, "latency": 10.0,
          "ttft": 2.0, "input_throughput": 4000.0, "output_throughput": 100.0,
          "overall_throughput": 880.0, "last_gen_throughput": 120.0, "acc_length": 2.5})";
  const MeasuredRun run = only(read(row));
  EXPECT_EQ(input_rate(run).value, 4000);
  EXPECT_EQ(output_rate(run).counting, Counting::aggregate);
  EXPECT_EQ(output_rate(run).context.value_or(0), 1050);
  EXPECT_EQ(output_rate(run).tokens_per_pass.value_or(0), 2.5);
  EXPECT_FALSE(trapped(run, "same_wall"));
  const MeasuredRun whole =
      only(read(changed(row, R"("output_throughput": 100.0)", R"("output_throughput": 80.0)")));
  EXPECT_EQ(output_rate(whole).counting, Counting::same_wall);
  EXPECT_TRUE(trapped(whole, "same_wall"));
}

// One request after the other: 100 tokens in 5.05 s; the "total" is of output alone.
TEST(ResultsTrtllmLatency, OneRequestAfterTheOther) {
  const MeasuredRun run = only(
      read("= GENERAL OVERVIEW\nNumber of requests:\t\t10\nAverage Input Length (tokens):\t1000.0\n"
           "Average Output Length (tokens):\t101.0\nAverage request latency (ms):\t5050.0\n"
           "= THROUGHPUT OVERVIEW\nRequest Throughput (req/sec):\t 0.198\n"
           "Total Token Throughput (tokens/sec):\t 20.0\n"
           "Generation Token Throughput (tokens/sec): 20.2\n"
           "= LATENCY OVERVIEW\nTotal Latency (ms):\t 50500.0\n"
           "Average time-to-first-token (ms): 50.0\nAverage inter-token latency (ms): 50.0\n"
           "Acceptance Rate (Speculative):\t 1.00\n"));
  EXPECT_DOUBLE_EQ(step(run).value, 0.05);
  EXPECT_EQ(step(run).batch.value_or(0), 1);
  EXPECT_DOUBLE_EQ(first_token(run).value, 0.05);
  EXPECT_FALSE(trapped(run, "queueing"));
  EXPECT_EQ(output_rate(run).value, 20);
  EXPECT_EQ(output_rate(run).prompt.value_or(0), 1000);
  EXPECT_EQ(total_rate(run).value, 0);
}

TEST(ResultsOllamaBench, CsvAndLinesWithTheirHeader) {
  const std::string header =
      "# Model: gemma3 | Params: 4.3B | Quant: Q4_K_M | Family: gemma3 | Size: 4080218931 | VRAM: "
      "4080218931\n";
  const ResultFile csv =
      read("NAME,STEP,COUNT,NS_PER_COUNT,TOKEN_PER_SEC\n" + header +
           "gemma3,prefill,128,1000000.00,1000.00\ngemma3,generate,512,20000000.00,50.00\n"
           "gemma3,ttft,1,45123000,0\ngemma3,load,1,1500000000,0\n");
  EXPECT_EQ(csv.format, "ollama bench csv");
  ASSERT_EQ(csv.runs.size(), 2U);
  EXPECT_EQ(input_rate(csv.runs[0]).value, 1000);
  EXPECT_EQ(output_rate(csv.runs[1]).value, 50);
  EXPECT_EQ(csv.runs[1].quantisation, "Q4_K_M");
  EXPECT_NEAR(csv.runs[1].model_parameters, 4.3e9, 1);
  EXPECT_EQ(csv.runs[1].model_bytes, 4080218931);
  const ResultFile lines =
      read(header +
           "BenchmarkModel/name=gemma3/step=generate 1 20000000.00 ns/token 50.00 "
           "token/sec\nBenchmarkModel/name=gemma3/step=load 1 1500000000 ns/op\n");
  ASSERT_EQ(lines.runs.size(), 1U);
  EXPECT_EQ(lines.runs[0].model, "gemma3");
  EXPECT_EQ(lines.runs[0].quantisation, "Q4_K_M");
}

TEST(ResultsOllamaTable, TheMedianOfItsRuns) {
  const std::string table =
      "Running benchmark 3 times using model: `llama3.2:3b`\n"
      "| Run | Eval Rate (Tokens/Second) |\n|-----|-----------------------------|\n"
      "| 1 | 10.00 tokens/s |\n| 2 | 40.00 tokens/s |\n| 3 | 41.00 tokens/s |\n"
      "|**Average Eval Rate**| 30.33 tokens/second |\n";
  const MeasuredRun run = only(read(table));
  EXPECT_EQ(run.model, "llama3.2:3b");
  EXPECT_EQ(output_rate(run).value, 40);
  EXPECT_EQ(run.repetitions, 3);
  const ResultFile todo = read(
      "Running benchmark 3 times using model: `m`\n| Run | Eval Rate (Tokens/Second) |\n|--|--|\n"
      "| 1 | TODO tokens/s |\n|**Average Eval Rate**| TODO tokens/second |\n");
  EXPECT_TRUE(todo.runs.empty());
  EXPECT_EQ(todo.refused.size(), 1U);
}

}  // namespace
}  // namespace rooflens
