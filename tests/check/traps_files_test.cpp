// The traps of measured results that a file shows by itself, one test each, numbered as in the list
// of docs/results.md. The texts are ours, in the formats' shape; the arithmetic stands beside them.
#include "check/check_fixtures.h"
#include "readers/results_testing.h"
#include "rooflens/views/check_report.h"

namespace rooflens::check_tests {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using std::string;

string engine_window(const char* prompt, const char* generation) {
  return string("INFO Engine 000: Avg prompt throughput: ") + prompt +
         " tokens/s, Avg generation throughput: " + generation +
         " tokens/s, Running: 8 reqs, Waiting: 0 reqs, GPU KV cache usage: 3.9%, Prefix cache hit "
         "rate: 0.0%\n";
}

const char* const kBench =
    R"({"build_commit":"abc","build_number":6865,"gpu_info":"A GPU","backends":"CUDA","split_mode":"layer","n_gpu_layers":99,"model_type":"llama 8B F16","model_size":16060000000,"model_n_params":8030000000,"n_prompt":0,"n_gen":128,"n_depth":0,"avg_ns":2560000000,"stddev_ns":1,"avg_ts":50.0,"stddev_ts":0.1})";

// A reply of llama-server: 100 tokens computed at 250/s, 900 from the cache, 128 made at 100/s.
const char* const kReply =
    R"({"timings":{"cache_n":900,"prompt_n":100,"prompt_ms":400.0,"prompt_per_second":250.0,"predicted_n":128,"predicted_ms":1280.0,"predicted_per_second":100.0}})";

const char* const kServe = R"({"backend": "vllm", "model_id": "m", "num_prompts": 100,
    "max_concurrency": 64, "duration": 50.0, "completed": 100, "total_input_tokens": 25000,
    "total_output_tokens": 10100, "request_throughput": 2.0, "output_throughput": 202.0,
    "total_token_throughput": 702.0, "mean_ttft_ms": 215.0, "median_ttft_ms": 56.0,
    "mean_tpot_ms": 18.0, "median_tpot_ms": 17.0, "mean_e2el_ms": 2000.0})";

// 1. R requests/s of ISL and OSL tokens give R x ISL and R x OSL whatever the phases do.
TEST(Traps, t01_same_wall_rates_share_one_clock) {
  const MeasuredRun both = only(read(engine_window("3288.0", "108.0")));
  EXPECT_TRUE(trapped(both, "same_wall"));
  ASSERT_EQ(both.figures.size(), 2U);
  Scenario s = scenario("llama-3.1-8b", "", {});
  s.system = device(1e12, 312e12, 80e9);
  s.workload.prompt = 3288;
  s.workload.output = 108;  // one request a second
  s.workload.batch = 8;
  const Analysis a = analyze(s, Efficiency{});
  const double share = 3288 / a.prefill.roof_tokens_per_s + 108 / a.decode.roof_tokens_per_s;
  for (const Observation& o : both.figures) {
    EXPECT_EQ(o.counting, Counting::same_wall);
    EXPECT_NEAR(diagnose(o, a).fraction_of_roof, share, 1e-9);
  }
  // A window without prompts is decode alone.
  EXPECT_EQ(output_rate(only(read(engine_window("0.0", "108.0")))).counting, Counting::aggregate);
}

// 2. The same run is 22,853 tokens/s in all and 11,427 of output.
TEST(Traps, t02_tokens_per_second_say_what_they_count) {
  const MeasuredRun run = only(
      read("Throughput: 44.64 requests/s, 22853.00 total tokens/s, 11427.00 output tokens/s\n"));
  EXPECT_EQ(total_rate(run).value, 22853);
  EXPECT_EQ(output_rate(run).value, 11427);
  EXPECT_EQ(output_rate(run).counting, Counting::same_wall);
  EXPECT_EQ(input_rate(run).value, 22853 - 11427);
  EXPECT_TRUE(trapped(run, "total_tokens"));
  const MeasuredRun file = only(read(
      R"({"elapsed_time": 10.0, "num_requests": 100, "total_num_tokens": 51200, "requests_per_second": 10.0, "tokens_per_second": 5120.0})"));
  EXPECT_EQ(total_rate(file).value, 5120);
  EXPECT_EQ(output_rate(file).value, 0);  // it has none
}

// 4. Only computed tokens count.
TEST(Traps, t04_cached_prompt_tokens_are_not_computed) {
  const MeasuredRun run = only(read(kReply));
  EXPECT_TRUE(trapped(run, "prefix_cache"));
  EXPECT_EQ(input_rate(run).value, 250);
  EXPECT_EQ(input_rate(run).prompt, 1000);
  EXPECT_EQ(input_rate(run).cached_prefix, 900);
  EXPECT_FALSE(trapped(only(read(changed(kReply, "\"cache_n\":900,", ""))), "prefix_cache"));
  const MeasuredRun hits =
      only(read(changed(engine_window("300.0", "100.0"), "rate: 0.0%", "rate: 98.5%")));
  EXPECT_TRUE(trapped(hits, "prefix_cache"));
}

// 5. A runner that times the last batch of a prompt alone: 10 s of the request are in no phase.
TEST(Traps, t05_time_that_is_in_no_phase_is_told) {
  const string good =
      "total duration:       12s\nload duration:        100ms\nprompt eval count:    35600 "
      "token(s)\nprompt eval duration: 10s\nprompt eval rate:     3560.00 tokens/s\neval count:    "
      "       190 token(s)\neval duration:        1.9s\neval rate:            100.00 tokens/s\n";
  EXPECT_FALSE(trapped(only(read(good)), "timing_gap"));
  string bug = changed(good, "prompt eval duration: 10s", "prompt eval duration: 0.25s");
  bug = changed(bug, "3560.00", "142400.00");
  EXPECT_TRUE(trapped(only(read(bug)), "timing_gap"));
}

// 6. Of 317 tokens 217 were accepted drafts: 100 passes, 3.17 tokens each.
TEST(Traps, t06_a_run_with_drafts_tells_its_tokens_a_pass) {
  const string drafts = changed(kReply, "\"predicted_n\":128",
                                R"("draft_n":300,"draft_n_accepted":217,"predicted_n":317)");
  const MeasuredRun run = only(read(drafts));
  EXPECT_TRUE(trapped(run, "speculative"));
  EXPECT_NEAR(run.tokens_per_pass, 3.17, 1e-12);
  EXPECT_NEAR(output_rate(run).tokens_per_pass.value_or(0), 3.17, 1e-12);
  EXPECT_FALSE(input_rate(run).tokens_per_pass.has_value());
  EXPECT_FALSE(output_rate(only(read(kReply))).tokens_per_pass.has_value());
}

// 10. Layers on two cards: one stream passes them one after the other.
TEST(Traps, t10_layer_split_is_told_to_each_figure) {
  const MeasuredRun run = only(read(changed(kBench, "\"A GPU\"", "\"A GPU, A GPU\"")));
  EXPECT_TRUE(trapped(run, "layer_split"));
  EXPECT_TRUE(figure(run).layers_split);
  const string rows = changed(changed(kBench, "\"A GPU\"", "\"A GPU, A GPU\""), "layer", "row");
  EXPECT_FALSE(figure(only(read(rows))).layers_split);
}

// 13. N tokens over N - 1 steps: x 127/128; below 32 tokens it is no evidence.
TEST(Traps, t13_one_token_too_many_is_taken_off) {
  EXPECT_DOUBLE_EQ(output_rate(only(read(kReply))).value, 100.0 * 127 / 128);
  const MeasuredRun mlx = only(read(
      "Prompt: 512 tokens, 1000.0 tokens-per-sec\nGeneration: 128 tokens, 100.0 tokens-per-sec\n"));
  EXPECT_DOUBLE_EQ(output_rate(mlx).value, 100.0 * 127 / 128);
  EXPECT_TRUE(trapped(mlx, "off_by_one"));
  // llama.cpp's console counts its runs, which are steps.
  const MeasuredRun console =
      only(read("llama_perf_context_print:        eval time =    1270.00 ms /   127 runs   (   "
                "10.00 ms per token,   100.00 tokens per second)\n"));
  EXPECT_DOUBLE_EQ(output_rate(console).value, 100);
  const MeasuredRun few = only(read(changed(kReply, "\"predicted_n\":128", "\"predicted_n\":20")));
  EXPECT_TRUE(trapped(few, "short_generation"));
}

// 14. guidellm's time per output token is the whole latency over the tokens.
TEST(Traps, t14_time_per_token_with_the_first_one_in_it) {
  const string file = R"({"benchmarks": [{"metrics": {
      "request_latency": {"successful": {"mean": 2.0, "median": 2.0, "count": 10}},
      "output_tokens_per_second": {"successful": {"mean": 50.0}},
      "time_per_output_token_ms": {"successful": {"median": 20.0}},
      "inter_token_latency_ms": {"successful": {"median": 10.0}}}}]})";
  const MeasuredRun both = only(read(file));
  EXPECT_DOUBLE_EQ(step(both).value, 0.010);
  const MeasuredRun alone = only(read(changed(
      file, R"("inter_token_latency_ms": {"successful": {"median": 10.0}})", R"("other": {})")));
  EXPECT_EQ(step(alone).value, 0);
  EXPECT_TRUE(trapped(alone, "tpot_includes_ttft"));
  // "Per User Output Throughput [w/ ctx]" holds the prompt as well: it is not read.
  const MeasuredRun user = only(
      read("= PERFORMANCE OVERVIEW\nRequest Throughput (req/sec):  2.0\nTotal Output Throughput "
           "(tokens/sec): 202.0\nPer User Output Throughput [w/ ctx] (tps/user): 33.3\n"));
  for (const Observation& o : user.figures) EXPECT_NE(o.value, 33.3);
}

// 15. TTFT holds the queue: no rate is made of it, and AIPerf's own is not read.
TEST(Traps, t15_time_to_first_token_is_no_prefill_rate) {
  const MeasuredRun run = only(read(kServe));
  EXPECT_TRUE(trapped(run, "queueing"));
  EXPECT_EQ(first_token(run).figure, Figure::time_to_first_token_s);
  EXPECT_EQ(input_rate(run).counting, Counting::same_wall);  // 25,000 tokens in 50 s
  EXPECT_DOUBLE_EQ(input_rate(run).value, 500);
  const MeasuredRun aiperf = only(read(
      R"({"request_latency": {"unit": "ms", "avg": 2000.0}, "request_count": {"avg": 10},
          "time_to_first_token": {"unit": "ms", "avg": 100.0},
          "prefill_throughput": {"unit": "tokens/sec", "avg": 12345.0}})"));
  for (const Observation& o : aiperf.figures) EXPECT_NE(o.value, 12345);
}

// 16. 2 requests/s of 2 s each: 4 were under way, whatever the limit of 64 says.
TEST(Traps, t16_the_batch_is_what_ran_not_the_limit) {
  const MeasuredRun run = only(read(kServe));
  EXPECT_DOUBLE_EQ(request(run).batch.value_or(0), 4);
  // 100 steps of 18 ms on average, twice a second: 3.6 decode at a time.
  EXPECT_DOUBLE_EQ(step(run).batch.value_or(0), 2 * 100 * 0.018);
}

// 17. What was made, not what was asked for: 250 and 101 tokens a request.
TEST(Traps, t17_actual_lengths_not_requested_ones) {
  const string sglang = changed(kServe, "\"backend\": \"vllm\"",
                                R"("backend": "sglang", "dataset_name": "random",
      "random_input_len": 512, "random_output_len": 256, "random_range_ratio": 0.0)");
  const MeasuredRun run = only(read(sglang));
  EXPECT_DOUBLE_EQ(output_rate(run).prompt.value_or(0), 250);
  EXPECT_DOUBLE_EQ(output_rate(run).output.value_or(0), 101);
  // Uniform up to 256 means 128 on average: 101 is below nine tenths of it.
  EXPECT_TRUE(trapped(run, "early_stop"));
}

// 18. The same 17 ms of a step and 2 s of a request in every unit that tools use.
TEST(Traps, t18_units_differ_between_tools) {
  EXPECT_DOUBLE_EQ(step(only(read(kServe))).value, 0.017);
  string seconds = changed(kServe, "\"median_tpot_ms\": 17.0", "\"median_tpot\": 0.017");
  seconds = changed(seconds, "\"mean_tpot_ms\": 18.0", "\"mean_tpot\": 0.018");
  EXPECT_DOUBLE_EQ(step(only(read(seconds))).value, 0.017);  // InferenceX
  const MeasuredRun ollama = only(read(
      R"({"model":"m","total_duration":3000000000,"prompt_eval_count":10,"prompt_eval_duration":1000000000,"eval_count":100,"eval_duration":1700000000})"));
  EXPECT_NEAR(output_rate(ollama).value, 100 / 1.7, 1e-9);  // nanoseconds
  const MeasuredRun genai = only(read(
      R"({"request_latency": {"unit": "ms", "avg": 2000.0}, "request_count": {"avg": 10},
          "inter_token_latency": {"unit": "us", "avg": 17000.0}})"));
  EXPECT_DOUBLE_EQ(step(genai).value, 0.017);
  EXPECT_DOUBLE_EQ(request(genai).value, 2);
  const MeasuredRun table =
      only(read("| llama 8B F16 | 14.96 GiB | 8.03 B | CUDA | 99 | tg128 | "
                "50.00 \u00b1 0.1 |\n"));
  EXPECT_NEAR(table.model_bytes, 14.96 * 1073741824, 1);  // GiB, and parameters in 10^9
  EXPECT_NEAR(table.model_parameters, 8.03e9, 1);
}

// 19. JSON that is not JSON.
TEST(Traps, t19_infinity_nan_and_cut_arrays) {
  const string odd =
      changed(kServe, "\"num_prompts\": 100",
              "\"request_rate\": Infinity, \"p99_ttft_ms\": NaN, \"num_prompts\": 1");
  EXPECT_EQ(output_rate(only(read(odd))).value, 202);
  EXPECT_EQ(output_rate(only(read(changed(odd, "Infinity", "\"inf\"")))).value, 202);
  EXPECT_EQ(read(string(kBench) + kBench).runs.size(), 2U);  // one behind the other
  const string array = "[\n" + string(kBench) + ",\n" + string(kBench).substr(0, 90);
  const ResultFile cut = read(array);
  EXPECT_EQ(cut.runs.size(), 1U);
  EXPECT_EQ(read("banner\n" + string(kBench) + "\nmore\n" + kBench + "\n").runs.size(), 2U);
}

// 20. Mean 215 ms, median 56 ms: first requests warmed up.
TEST(Traps, t20_the_median_is_taken) {
  const MeasuredRun run = only(read(kServe));
  EXPECT_DOUBLE_EQ(first_token(run).value, 0.056);
  EXPECT_DOUBLE_EQ(step(run).value, 0.017);
  EXPECT_TRUE(trapped(run, "warm_up"));
  EXPECT_FALSE(trapped(only(read(changed(kServe, "215.0", "60.0"))), "warm_up"));
}

// 21. Zeros and infinities are no points.
TEST(Traps, t21_failed_runs_are_no_points) {
  const ResultFile failed = read(changed(kServe, "\"completed\": 100", "\"completed\": 0"));
  EXPECT_TRUE(failed.runs.empty());
  ASSERT_EQ(failed.refused.size(), 1U);
  EXPECT_EQ(failed.refused[0].why, "0 requests were completed");
  const ResultFile off = read(
      "llama_perf_context_print: prompt eval time =       0.00 ms /    14 tokens (    0.00 ms "
      "per token,      inf tokens per second)\n");
  EXPECT_TRUE(off.runs.empty());
  EXPECT_EQ(off.refused.size(), 1U);
  EXPECT_TRUE(read(engine_window("0.0", "0.0")).runs.empty());
}

// 25. Pages that explain a tool print invented numbers: 51,200 tokens/s at 19.5 us a token are 2 ms
// apart from themselves.
TEST(Traps, t25_documentation_is_no_measurement) {
  const string table = "| llama 8B F16 | 14.96 GiB | 8.03 B | CUDA | 99 | tg128 | 50.00 |\n";
  const MeasuredRun page = only(read("# a tool\n\nusage: tool [options]\n\n" + table));
  EXPECT_TRUE(trapped(page, "documentation"));
  EXPECT_FALSE(trapped(only(read(table)), "documentation"));
  const ResultFile bench = read(
      "BenchmarkModel/name=m/step=prefill 1 78125.00 ns/token 12800.00 token/sec\n"
      "BenchmarkModel/name=m/step=generate 1 20000000.00 ns/token 51200.00 token/sec\n");
  ASSERT_EQ(bench.runs.size(), 1U);  // 78,125 ns are 12,800 a second; 20 ms are 50
  EXPECT_EQ(bench.refused.size(), 1U);
}

// 26. A fraction has its version beside it.
TEST(Traps, t26_the_build_stands_beside_the_fraction) {
  const MeasuredRun run = only(read(kBench));
  EXPECT_EQ(figure(run).made_by, "llama.cpp b6865");
  Scenario s = scenario("llama-3.1-8b", "", {});
  s.system = device(1008e9, 165e12, 24e9);
  const Analysis a = analyze(s, Efficiency{});
  const Report report = check_report({diagnose(figure(run), a)}, a);
  const string text = report_text(report, {.width = 120});
  EXPECT_NE(text.find("llama.cpp b6865"), string::npos) << text;
}

// 27. The same rate to the last digit from weights of half the size is one row copied.
TEST(Traps, t27_copied_rows_are_suspected) {
  const string half = changed(kBench, "16060000000", "8540000000");
  const ResultFile file = read(string(kBench) + "\n" + half + "\n");
  ASSERT_EQ(file.runs.size(), 2U);
  EXPECT_FALSE(trapped(file.runs[0], "suspect_copy"));
  EXPECT_TRUE(trapped(file.runs[1], "suspect_copy"));
  const ResultFile honest = read(string(kBench) + "\n" + changed(half, "50.0", "85.0") + "\n");
  EXPECT_FALSE(trapped(honest.runs.at(1), "suspect_copy"));
  EXPECT_FALSE(trapped(read(string(kBench) + "\n" + kBench).runs.at(1), "suspect_copy"));
}

}  // namespace
}  // namespace rooflens::check_tests
