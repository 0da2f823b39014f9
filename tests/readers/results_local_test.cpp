// llama-server, llama.cpp's console, Ollama, mlx_lm, llama-benchy: every format from a small text
// of our own, with the figures worked out from that text by hand; every trap; text that lies.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "readers/results_testing.h"

namespace rooflens {
namespace {

using std::string;
using namespace test;  // NOLINT(google-build-using-namespace)

constexpr std::string_view kReply =
    R"({"content": "a { \"b\": 1 }", "model": "m.gguf", "tokens_evaluated": 300, "stop": true, )"
    R"("system_fingerprint": "b7002-abc", "timings": {"cache_n": 100, "prompt_n": 200, )"
    R"("prompt_ms": 400.0, "prompt_per_second": 500.0, "predicted_n": 101, )"
    R"("predicted_ms": 2020.0, "predicted_per_second": 50.5}})";

TEST(ResultsLlamaServer, AReply) {
  const ResultFile file = read(kReply);
  EXPECT_EQ(file.format, "llama-server timings");
  EXPECT_EQ(file.notes.size(), 1U);  // how many shared the passes is not told
  const MeasuredRun run = run_of(file);
  EXPECT_EQ(run.model, "m.gguf");
  EXPECT_EQ(run.build, "b7002");
  EXPECT_EQ(run.cached_prompt, 100);
  EXPECT_TRUE(trapped(run, "prefix_cache"));
  EXPECT_TRUE(trapped(run, "off_by_one"));
  EXPECT_FALSE(trapped(run, "speculative"));
  const Observation prompt = figure(run), output = figure(run, 1);
  EXPECT_EQ(prompt.value, 500);
  EXPECT_EQ(prompt.counting, Counting::per_stream);
  EXPECT_EQ(prompt.prompt, 300);
  EXPECT_EQ(prompt.cached_prefix, 100);
  EXPECT_FALSE(prompt.batch.has_value());
  EXPECT_DOUBLE_EQ(output.value, 50);  // 50.5 x 100 / 101
  EXPECT_EQ(output.output, 101);
  EXPECT_EQ(output.context, 350.5);  // 300 + 101 / 2
}

TEST(ResultsLlamaServer, AnOldReplyTellsTheCacheByTheWholePrompt) {
  const MeasuredRun run = run_of(read(changed(kReply, R"("cache_n": 100, )", "")));
  EXPECT_EQ(run.cached_prompt, 100);  // 300 - 200
}

TEST(ResultsLlamaServer, DraftsAreSpeculation) {
  const MeasuredRun run = run_of(read(changed(
      kReply, R"("predicted_ms")", R"("draft_n": 90, "draft_n_accepted": 51, "predicted_ms")")));
  EXPECT_TRUE(trapped(run, "speculative"));
  EXPECT_EQ(run.drafts, 90);
  EXPECT_DOUBLE_EQ(run.tokens_per_pass, 2.02);  // 101 / (101 - 51)
}

TEST(ResultsLlamaServer, OneTokenIsNoGeneration) {
  const ResultFile file = read(changed(kReply, R"("predicted_n": 101)", R"("predicted_n": 1)"));
  EXPECT_EQ(run_of(file).figures.size(), 1U);
  EXPECT_EQ(file.refused.size(), 1U);
}

TEST(ResultsLlamaServer, AStreamCountsItsEndAlone) {
  const string chunk =
      R"(data: {"choices":[{"finish_reason":null,"delta":{"content":"a"}}],"timings":)"
      R"({"predicted_n":40,"predicted_per_second":80}})";
  const string text = chunk + "\n\n" + changed(chunk, ":null", R"(:"stop")") + "\n\ndata: [DONE]\n";
  const ResultFile file = read(text);
  ASSERT_EQ(file.runs.size(), 1U);
  EXPECT_EQ(figure(file.runs[0]).source.line, 3);
  EXPECT_DOUBLE_EQ(figure(file.runs[0]).value, 78);  // 80 x 39 / 40
}

TEST(ResultsLlamaServer, RepliesFlattenedToCsv) {
  const ResultFile file = read(
      "test,phase,prompt_n,prompt_tps,predicted_n,predicted_tps\n"
      "a,warmup,10,100,64,9.9\n"
      "a,measured,10,120,64,32\n");
  EXPECT_EQ(file.format, "llama-server csv");
  EXPECT_EQ(file.refused.size(), 1U);
  EXPECT_EQ(figure(run_of(file)).value, 120);
  EXPECT_DOUBLE_EQ(figure(run_of(file), 1).value, 31.5);  // 32 x 63 / 64
}

TEST(ResultsLlamaServer, TheLog) {
  const ResultFile file = read(
      "build: 7003 (0123abc) with cc (GCC) 13 for x86_64-linux-gnu\n"
      "load_tensors: offloaded 20/33 layers to GPU\n"
      "slot launch_slot_: id  2 | task 7 | processing task\n"
      "slot update_slots: id  2 | task 7 | n_tokens = 50, memory_seq_rm [50, end)\n"
      "slot update_slots: id  2 | task 7 | n_tokens = 70, memory_seq_rm [70, end)\n"
      "slot print_timing: id  2 | task 7 | n_decoded = 40, tg = 9.77 t/s\n"
      "slot print_timing: id  2 | task 7 |\n"
      "prompt eval time =     200.00 ms /   100 tokens (    2.00 ms per token,   500.00 tokens per "
      "second)\n"
      "       eval time =    1000.00 ms /    51 tokens (   19.61 ms per token,    51.00 tokens per "
      "second)\n"
      "      total time =    1200.00 ms /   151 tokens\n"
      "draft acceptance rate = 0.50000 (   17 accepted /    34 generated)\n"
      "slot print_timing: id  2 | task 8 | prompt eval time = 100.00 ms / 10 tokens (10.00 ms per "
      "token, 100.00 tokens per second)\n");
  EXPECT_EQ(file.format, "llama-server log");
  ASSERT_EQ(file.runs.size(), 2U);
  const MeasuredRun& run = file.runs[0];
  EXPECT_EQ(run.build, "b7003");
  EXPECT_EQ(run.offloaded_layers, 20);
  EXPECT_TRUE(trapped(run, "partial_offload"));
  EXPECT_EQ(run.cached_prompt, 50);
  EXPECT_TRUE(trapped(run, "prefix_cache"));
  EXPECT_TRUE(trapped(run, "speculative"));
  EXPECT_EQ(run.drafts, 34);
  EXPECT_DOUBLE_EQ(run.tokens_per_pass, 1.5);  // 51 / (51 - 17)
  EXPECT_EQ(figure(run).value, 500);
  EXPECT_EQ(figure(run).prompt, 150);
  EXPECT_EQ(figure(run).counting, Counting::per_stream);
  EXPECT_DOUBLE_EQ(figure(run, 1).value, 50);  // 51 x 50 / 51
  EXPECT_EQ(figure(run, 1).context, 175.5);
  EXPECT_EQ(file.runs[1].cached_prompt, 0);
  EXPECT_EQ(figure(file.runs[1]).value, 100);
}

TEST(ResultsLlamaPerf, TheConsoleCountsSteps) {
  const ResultFile file = read(
      "llama_perf_context_print:        load time =     500.00 ms\n"
      "llama_perf_context_print: prompt eval time =     100.00 ms /    40 tokens (    2.50 ms per "
      "token,   400.00 tokens per second)\n"
      "llama_perf_context_print:        eval time =    2000.00 ms /    99 runs   (   20.20 ms per "
      "token,    49.50 tokens per second)\n"
      "llama_perf_context_print:       total time =    2100.00 ms /   139 tokens\n"
      "llama_print_timings:        eval time =  1000.00 ms /    20 runs   (   50.00 ms per "
      "token)\n");
  EXPECT_EQ(file.format, "llama.cpp timings");
  ASSERT_EQ(file.runs.size(), 2U);
  EXPECT_EQ(figure(file.runs[0]).value, 400);
  EXPECT_EQ(figure(file.runs[0]).batch, 1);
  EXPECT_EQ(figure(file.runs[0], 1).value, 49.5);
  EXPECT_EQ(figure(file.runs[0], 1).context, 89.5);  // 40 + 99 / 2
  EXPECT_FALSE(trapped(file.runs[0], "off_by_one"));
  EXPECT_DOUBLE_EQ(figure(file.runs[1]).value, 20);  // 20 tokens in 1 s
  EXPECT_TRUE(trapped(file.runs[1], "short_generation"));
}

TEST(ResultsLlamaPerf, CountsThatCannotBeAreNone) {
  const ResultFile file = read(
      "prompt eval time = 200.00 ms / 100 tokens (2.00 ms per token, 500.00 tokens per second)\n"
      "eval time = 1000.00 ms / 1e+300 tokens (1.00 ms per token)\n");
  EXPECT_EQ(run_of(file).figures.size(), 1U);
}

TEST(ResultsLlamaPerf, NoTimeIsNoRate) {
  const ResultFile file = read(
      "llama_perf_context_print: prompt eval time = 0.00 ms / 1 tokens ( 0.00 ms per token, inf "
      "tokens per second)\n"
      "llama_perf_context_print:        eval time = 0.00 ms / 641 runs ( 0.00 ms per token, nan "
      "tokens per second)\n");
  EXPECT_TRUE(file.runs.empty());
  ASSERT_EQ(file.refused.size(), 2U);
  EXPECT_EQ(file.refused[1].line, 2);
}

TEST(ResultsOllama, Verbose) {
  const ResultFile file = read(
      ">>> hello\nsome { \"text\n\n"
      "total duration:       1m10.5s\nload duration:        250ms\n"
      "prompt eval count:    20 token(s)\nprompt eval duration: 10s\n"
      "prompt eval rate:     2.00 tokens/s\n"
      "eval count:           120 token(s)\neval duration:        1m0s\n"
      "eval rate:            2.01 tokens/s\n");
  EXPECT_EQ(file.format, "ollama --verbose");
  const MeasuredRun run = run_of(file);
  EXPECT_EQ(run.engine, "Ollama");
  EXPECT_EQ(figure(run).value, 2);
  EXPECT_EQ(figure(run).prompt, 20);
  EXPECT_EQ(figure(run, 1).value, 2.01);
  EXPECT_EQ(figure(run, 1).output, 120);
  EXPECT_EQ(figure(run, 1).context, 80);
  EXPECT_EQ(figure(run, 1).source.line, 11);
  EXPECT_FALSE(trapped(run, "timing_gap"));  // 70.5 - 0.25 - 10 - 60 = 0.25 s
}

TEST(ResultsOllama, TimeInNoPhase) {
  const MeasuredRun run = run_of(read(
      "total duration:       30s\nload duration:        1s\nprompt eval count:    30000 token(s)\n"
      "prompt eval duration: 200ms\nprompt eval rate:     150000.00 tokens/s\n"
      "eval count:           2000 token(s)\neval duration:        20s\n"
      "eval rate:            100.00 tokens/s\n"));
  EXPECT_TRUE(trapped(run, "timing_gap"));  // 30 - 1 - 0.2 - 20 = 8.8 s
}

TEST(ResultsOllama, AReplyIsInNanoseconds) {
  const ResultFile file =
      read(R"({"model":"gemma3","response":"x","done":true,"total_duration":6000000000,)"
           R"("load_duration":1000000000,"prompt_eval_count":50,"prompt_eval_duration":500000000,)"
           R"("eval_count":90,"eval_duration":4500000000})");
  EXPECT_EQ(file.format, "Ollama reply");
  EXPECT_EQ(file.notes.size(), 1U);  // the cache
  EXPECT_EQ(run_of(file).model, "gemma3");
  EXPECT_DOUBLE_EQ(figure(run_of(file)).value, 100);
  EXPECT_DOUBLE_EQ(figure(run_of(file), 1).value, 20);
}

TEST(ResultsOllama, APromptWhollyCachedHasNoRate) {
  const ResultFile file = read(
      R"({"model":"m","prompt_eval_duration":500,"eval_count":90,"eval_duration":4500000000})");
  EXPECT_EQ(run_of(file).figures.size(), 1U);
  EXPECT_EQ(file.refused.size(), 1U);
}

TEST(ResultsOllama, ItsBenchmark) {
  const ResultFile file = read(
      "# Model: gemma3 | Params 4.3B\n"
      "BenchmarkModel/name=gemma3/step=prefill 1 80000.00 ns/token 12500.00 token/sec\n"
      "BenchmarkModel/name=gemma3/step=generate 1 20000000.00 ns/token 50.00 token/sec\n"
      "BenchmarkModel/name=gemma3/step=ttft 1 5 ns/request\n");
  EXPECT_EQ(file.format, "ollama bench");
  ASSERT_EQ(file.runs.size(), 2U);
  EXPECT_EQ(figure(file.runs[0]).value, 12500);
  EXPECT_EQ(figure(file.runs[0]).phase, MeasuredPhase::prefill);
  EXPECT_EQ(figure(file.runs[1]).value, 50);
  EXPECT_EQ(file.runs[1].model, "gemma3");
}

TEST(ResultsMlx, Generate) {
  const ResultFile file = read(
      "==========\nPrompt: 40 tokens, 200.500 tokens-per-sec\n"
      "Generation: 101 tokens, 50.500 tokens-per-sec\nPeak memory: 4.500 GB\n");
  EXPECT_EQ(file.format, "mlx_lm");
  const MeasuredRun run = run_of(file);
  EXPECT_EQ(run.engine, "mlx_lm");
  EXPECT_EQ(figure(run).value, 200.5);
  EXPECT_DOUBLE_EQ(figure(run, 1).value, 50);  // 50.5 x 100 / 101
  EXPECT_EQ(figure(run, 1).context, 90.5);
  EXPECT_TRUE(trapped(run, "off_by_one"));
}

TEST(ResultsMlx, Benchmark) {
  const ResultFile file = read(
      "Timing with prompt_tokens=2048, generation_tokens=128, batch_size=4.\n"
      "Trial 1:  prompt_tps=900.0, generation_tps=99.0, peak_memory=9.1, total_time=4.0\n"
      "Trial 2:  prompt_tps=1100.0, generation_tps=101.0, peak_memory=9.1, total_time=4.0\n"
      "Averages: prompt_tps=1000.0, generation_tps=100.0, peak_memory=9.1\n");
  EXPECT_EQ(file.format, "mlx_lm benchmark");
  const MeasuredRun run = run_of(file);
  EXPECT_EQ(run.repetitions, 2);
  EXPECT_EQ(figure(run).value, 1000);
  EXPECT_EQ(figure(run).batch, 4);
  EXPECT_EQ(figure(run).prompt, 2048);
  EXPECT_EQ(figure(run, 1).value, 100);
  EXPECT_EQ(figure(run, 1).context, 2112);
}

TEST(ResultsLlamaBenchy, Markdown) {
  const ResultFile file = read(
      "| model | test | t/s | peak t/s | ttfr (ms) | est_ppt (ms) | e2e_ttft (ms) |\n"
      "|:------|-----:|----:|---------:|----------:|-------------:|--------------:|\n"
      "| M | pp2000 | 1000.00 ± 1.0 | | 2010.0 | 2000.00 ± 2 | 2010.0 |\n"
      "| M | tg100 | 50.00 ± 1.0 | 60 ± 1 | | | |\n"
      "| M | pp2000 @ d1000 | 1000.00 | | 3010.0 | 3000.00 ± 2 | 3010.0 |\n"
      "| M | pp2000 @ d1000 | 1000.00 | | 2010.0 | 2000.00 ± 2 | 2010.0 |\n"
      "| M | tg100 @ d1000 (c2) | 80.00 | | | | |\n");
  EXPECT_EQ(file.format, "llama-benchy md");
  ASSERT_EQ(file.runs.size(), 5U);
  EXPECT_TRUE(trapped(file.runs[0], "client_side"));
  EXPECT_EQ(figure(file.runs[0]).prompt, 2000);
  EXPECT_EQ(figure(file.runs[1]).context, 2050);
  EXPECT_EQ(figure(file.runs[2]).prompt, 3000);  // 1000 t/s x 3 s: the depth is counted
  EXPECT_EQ(figure(file.runs[2]).cached_prefix, 0);
  EXPECT_EQ(figure(file.runs[3]).prompt, 3000);  // 1000 t/s x 2 s: it is not
  EXPECT_EQ(figure(file.runs[3]).cached_prefix, 1000);
  EXPECT_TRUE(trapped(file.runs[3], "prefix_cache"));
  EXPECT_EQ(figure(file.runs[4]).batch, 2);
  EXPECT_EQ(figure(file.runs[4]).context, 3050);
}

TEST(ResultsLlamaBenchy, Json) {
  const ResultFile file = read(R"({"version": "0.2", "model": "M", "prefix_caching_enabled": true,
  "benchmarks": [
    {"concurrency": 2, "context_size": 1000, "prompt_size": 500, "response_size": 100,
     "is_context_prefill_phase": false,
     "pp_throughput": {"mean": 800.0, "values": [790.0, 810.0]},
     "tg_throughput": {"mean": 60.0, "values": [59.0, 61.0]}},
    {"concurrency": 1, "context_size": 1000, "prompt_size": 500, "response_size": 100,
     "is_context_prefill_phase": true,
     "pp_throughput": {"mean": 700.0, "values": [700.0]}, "tg_throughput": null}
  ]})");
  EXPECT_EQ(file.format, "llama-benchy json");
  ASSERT_EQ(file.runs.size(), 2U);
  const MeasuredRun& run = file.runs[0];
  EXPECT_EQ(run.model, "M");
  EXPECT_EQ(run.repetitions, 2);
  EXPECT_TRUE(trapped(run, "prefix_cache"));
  EXPECT_EQ(figure(run).value, 800);
  EXPECT_EQ(figure(run).batch, 2);
  EXPECT_EQ(figure(run).prompt, 1500);
  EXPECT_EQ(figure(run).cached_prefix, 1000);
  EXPECT_EQ(figure(run).source.line, 5);
  EXPECT_EQ(figure(run, 1).value, 60);
  EXPECT_EQ(figure(run, 1).context, 1550);
  EXPECT_EQ(figure(file.runs[1]).prompt, 1000);
  EXPECT_EQ(figure(file.runs[1]).source.line, 9);
}

TEST(ResultsLocal, ALongLineIsCutBetweenCharacters) {
  string row = "| llama 7B Q4_0 | 3.50 GiB | 6.74 B | CUDA | x";
  for (int i = 0; i < 200; ++i) row += "\u00b1";  // two bytes each
  const string shifted = "| llama 70B Q4_0" + row.substr(row.find(" | 3.50"));
  for (const string& line : {row, shifted}) {
    const string text = figure(run_of(read(line + " | tg128 | 5.50 |\n"))).source.text;
    ASSERT_GT(text.size(), 6U);
    EXPECT_EQ(text.substr(text.size() - 6), "\u00b1 ...");
  }
}

TEST(ResultsLocal, WhatIsNoResultIsRefused) {
  for (const char* text : {"", "hello", "{}", "eval time", "| model | test | t/s | params |\n",
                           "\"avg_ts\"", "n_gen,avg_ts,model_type,a,b\n"}) {
    EXPECT_FALSE(read_results(text, "x").has_value()) << text;
  }
}

TEST(ResultsLocal, LongTextsThatLeadNowhereTakeNoLong) {
  string braces = "\"avg_ts\" ";
  for (int i = 0; i < 200000; ++i) braces += "{\"a\":[";
  (void)read_results(braces, "x");
  string pipes = "| test | t/s | params |";
  pipes.append(400000, '|');
  (void)read_results(pipes, "x");
  string rows = "n_gen,avg_ts,model_type,a,b\n";
  for (int i = 0; i < 100000; ++i) rows += "1,2\n";
  const auto file = read_results(rows, "x");
  ASSERT_TRUE(file.has_value());
  EXPECT_LE(file->refused.size(), 1000U);
  const string blanks = "\"avg_ts\"{" + string(1 << 20, ' ') + "\"";
  (void)read_results(blanks, "x");
}

TEST(ResultsLocal, MoreThanTheMostIsRefused) {
  const auto file = read_results(string(kResultBytes + 1, ' '), "x");
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code, ErrorCode::out_of_range);
}

}  // namespace
}  // namespace rooflens
