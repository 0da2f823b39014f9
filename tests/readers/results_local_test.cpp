// llama.cpp and its kin: every format from a small text of our own, with the figures worked out
// from that text by hand; every trap; text that lies.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "rooflens/readers/results.h"

namespace rooflens {
namespace {

using std::string;

ResultFile read(std::string_view text) {
  const auto file = read_results(text, "results.txt");
  EXPECT_TRUE(file.has_value()) << (file ? "" : file.error().message);
  return file ? *file : ResultFile{};
}

// The only figure of a run, or of a file of one run.
Observation figure(const MeasuredRun& run, std::size_t i = 0) {
  EXPECT_GT(run.figures.size(), i);
  return i < run.figures.size() ? run.figures[i] : Observation{};
}

MeasuredRun run_of(const ResultFile& file, std::size_t i = 0) {
  EXPECT_GT(file.runs.size(), i);
  return i < file.runs.size() ? file.runs[i] : MeasuredRun{};
}

bool trapped(const MeasuredRun& run, std::string_view tag) {
  return std::find(run.traps.begin(), run.traps.end(), tag) != run.traps.end();
}

constexpr std::string_view kRecord =
    R"({"build_commit": "abc12345", "build_number": 7000, "cpu_info": "A CPU", )"
    R"("gpu_info": "A GPU", "backends": "CUDA", "model_filename": "/m/x.gguf", )"
    R"("model_type": "llama 8B Q4_K - Medium", "model_size": 4912898048, )"
    R"("model_n_params": 8030261248, "type_k": "q8_0", "type_v": "f16", "n_gpu_layers": 99, )"
    R"("split_mode": "layer", "n_prompt": 0, "n_gen": 128, "n_depth": 4096, )"
    R"("avg_ns": 1280000000, "avg_ts": 100.25, "samples_ts": [ 100, 100.5 ]})";

string changed(std::string_view text, std::string_view from, std::string_view to) {
  string out(text);
  const std::size_t at = out.find(from);
  EXPECT_NE(at, string::npos) << from;
  if (at != string::npos) out.replace(at, from.size(), to);
  return out;
}

TEST(ResultsLlamaBench, OneRecordOfJsonLines) {
  const ResultFile file = read(kRecord);
  EXPECT_EQ(file.format, "llama-bench jsonl");
  ASSERT_EQ(file.runs.size(), 1U);
  const MeasuredRun& run = file.runs[0];
  EXPECT_EQ(run.engine, "llama.cpp");
  EXPECT_EQ(run.build, "b7000");
  EXPECT_EQ(run.model, "llama 8B Q4_K - Medium");
  EXPECT_EQ(run.quantisation, "Q4_K - Medium");
  EXPECT_EQ(run.model_bytes, 4912898048.0);
  EXPECT_EQ(run.model_parameters, 8030261248.0);
  EXPECT_EQ(run.device, "A GPU");
  EXPECT_EQ(run.devices, 1);
  EXPECT_EQ(run.split, "layer");
  EXPECT_EQ(run.offloaded_layers, 99);
  EXPECT_EQ(run.key_cache, "q8_0");
  EXPECT_EQ(run.value_cache, "f16");
  EXPECT_EQ(run.repetitions, 2);
  EXPECT_TRUE(run.traps.empty());
  const Observation o = figure(run);
  EXPECT_EQ(o.phase, MeasuredPhase::decode);
  EXPECT_EQ(o.figure, Figure::tokens_per_s);
  EXPECT_EQ(o.counting, Counting::aggregate);
  EXPECT_EQ(o.value, 100.25);
  EXPECT_EQ(o.batch, 1);
  EXPECT_EQ(o.devices, 1);
  EXPECT_EQ(o.output, 128);
  EXPECT_EQ(o.context, 4160);  // 4096 + 128 / 2
  EXPECT_EQ(o.source.file, "results.txt");
  EXPECT_EQ(o.source.line, 1);
  EXPECT_EQ(o.source.text, "\"avg_ts\": 100.25");
}

TEST(ResultsLlamaBench, APromptComesBehindTheDepth) {
  const string text = changed(changed(kRecord, R"("n_prompt": 0)", R"("n_prompt": 512)"),
                              R"("n_gen": 128)", R"("n_gen": 0)");
  const Observation o = figure(run_of(read(text)));
  EXPECT_EQ(o.phase, MeasuredPhase::prefill);
  EXPECT_EQ(o.prompt, 4608);  // 4096 + 512, of which
  EXPECT_EQ(o.cached_prefix, 4096);
  EXPECT_FALSE(o.context.has_value());
}

TEST(ResultsLlamaBench, BothAtOnceAreMixed) {
  const MeasuredRun run = run_of(read(changed(kRecord, R"("n_prompt": 0)", R"("n_prompt": 512)")));
  EXPECT_EQ(figure(run).phase, MeasuredPhase::mixed);
  EXPECT_TRUE(trapped(run, "mixed"));
}

TEST(ResultsLlamaBench, ShortGenerationsAreTold) {
  const auto of = [](const char* n) {
    return run_of(read(changed(kRecord, R"("n_gen": 128)", string(R"("n_gen": )") + n)));
  };
  EXPECT_TRUE(trapped(of("31"), "short_generation"));
  EXPECT_FALSE(trapped(of("32"), "short_generation"));
}

TEST(ResultsLlamaBench, LayersOverTwoDevicesWorkOneAfterTheOther) {
  const string two = changed(kRecord, R"("A GPU")", R"("A GPU, A GPU")");
  const MeasuredRun layers = run_of(read(two));
  EXPECT_EQ(layers.devices, 2);
  EXPECT_TRUE(trapped(layers, "layer_split"));
  EXPECT_FALSE(trapped(run_of(read(changed(two, R"("layer")", R"("row")"))), "layer_split"));
  const MeasuredRun one = run_of(read(changed(two, R"("layer")", R"("none")")));
  EXPECT_EQ(one.devices, 1);
  EXPECT_FALSE(trapped(one, "layer_split"));
}

TEST(ResultsLlamaBench, WhatIsLeftToTheCpuIsTold) {
  const auto of = [](std::string_view layers, std::string_view more) {
    return run_of(read(changed(kRecord, R"("n_gpu_layers": 99)",
                               string(R"("n_gpu_layers": )") + string(layers) + string(more))));
  };
  EXPECT_FALSE(trapped(of("99", ""), "partial_offload"));
  EXPECT_FALSE(trapped(of("-1", ""), "partial_offload"));
  EXPECT_EQ(of("-1", "").offloaded_layers, -1);
  EXPECT_TRUE(trapped(of("20", ""), "partial_offload"));
  EXPECT_TRUE(trapped(of("99", R"(, "n_cpu_moe": 12)"), "partial_offload"));
  EXPECT_TRUE(trapped(of("99", R"(, "no_kv_offload": true)"), "partial_offload"));
}

TEST(ResultsLlamaBench, OnTheCpuTheCpuIsTheDevice) {
  const string text = changed(changed(kRecord, R"("gpu_info": "A GPU")", R"("gpu_info": "")"),
                              R"("backends": "CUDA")", R"("backends": "CPU")");
  const MeasuredRun run = run_of(read(text));
  EXPECT_EQ(run.device, "A CPU");
  EXPECT_EQ(run.devices, 1);
  EXPECT_FALSE(trapped(run, "partial_offload"));
}

TEST(ResultsLlamaBench, OverRpcTheDevicesAreUnknown) {
  const MeasuredRun run = run_of(read(changed(kRecord, R"("CUDA")", R"("CUDA,RPC")")));
  EXPECT_TRUE(trapped(run, "rpc"));
  EXPECT_EQ(run.devices, 0);
  EXPECT_FALSE(figure(run).devices.has_value());
}

TEST(ResultsLlamaBench, AnArrayInALogThatWasCutShort) {
  string record = changed(kRecord, R"("n_prompt": 0)", "\n    \"n_prompt\": 0");
  const string text = "loading { the model }\n=== stdout ===\n[\n  " + record + ",\n  " + record +
                      ",\n  {\n    \"build_commit\": \"abc\",\n    \"avg_ts\": 5.5";
  const ResultFile file = read(text);
  EXPECT_EQ(file.format, "llama-bench json");
  ASSERT_EQ(file.runs.size(), 2U);
  EXPECT_EQ(figure(file.runs[0]).source.line, 5);
  EXPECT_EQ(figure(file.runs[1]).source.line, 7);
  ASSERT_EQ(file.refused.size(), 1U);
  EXPECT_EQ(file.refused[0].line, 8);
}

TEST(ResultsLlamaBench, RecordsOnOneLineAndWithinOthers) {
  const string one(kRecord);
  EXPECT_EQ(read("[" + one + "," + one + "]").runs.size(), 2U);
  const ResultFile nested = read("{\"mode\":\"pp\",\"bench_raw\":" + one + ",\"watts\":50}\n" +
                                 "{\"mode\":\"pp\",\"bench_raw\": null}\n");
  EXPECT_EQ(nested.format, "llama-bench json (nested)");
  EXPECT_EQ(nested.runs.size(), 1U);
  ASSERT_EQ(nested.refused.size(), 1U);
  EXPECT_EQ(nested.refused[0].line, 2);
}

TEST(ResultsLlamaBench, NothingIsNoRate) {
  for (const char* rate : {"0", "Infinity", "NaN", "-3", "null", "1e300"}) {
    const auto file = read_results(changed(kRecord, "100.25", rate), "results.txt");
    ASSERT_TRUE(file.has_value()) << rate;
    EXPECT_TRUE(file->runs.empty()) << rate;
    EXPECT_EQ(file->refused.size(), 1U) << rate;
  }
}

TEST(ResultsLlamaBench, Csv) {
  const ResultFile file = read(
      "build_commit,build_number,gpu_info,backends,model_type,n_prompt,n_gen,avg_ts,stddev_ts\n"
      "\"abc\",\"7000\",\"A GPU, B GPU\",\"CUDA\",\"qwen3 4B Q8_0\",\"64\",\"0\",\"812.5\",\"1\"\n"
      "\"abc\",\"7000\",\"A GPU\",\"CUDA\",\"qwen3 4B Q8_0\",\"64\",\"0\",\"812.5\"\n");
  EXPECT_EQ(file.format, "llama-bench csv");
  ASSERT_EQ(file.runs.size(), 1U);
  EXPECT_EQ(file.runs[0].device, "A GPU, B GPU");
  EXPECT_EQ(file.runs[0].quantisation, "Q8_0");
  EXPECT_EQ(figure(file.runs[0]).value, 812.5);
  EXPECT_EQ(figure(file.runs[0]).prompt, 64);
  EXPECT_EQ(figure(file.runs[0]).source.line, 2);
  ASSERT_EQ(file.refused.size(), 1U);
  EXPECT_EQ(file.refused[0].line, 3);
  EXPECT_NE(file.refused[0].why.find("8 values stand under 9 columns"), string::npos);
}

TEST(ResultsLlamaBench, Sql) {
  const ResultFile file = read(
      "CREATE TABLE IF NOT EXISTS llama_bench (\n  n_gen INTEGER\n);\n\n"
      "INSERT INTO llama_bench (build_number, model_type, n_prompt, n_gen, avg_ts) VALUES "
      "('7000', 'it''s 4B F16', '0', '64', '31.5');\n");
  EXPECT_EQ(file.format, "llama-bench sql");
  const MeasuredRun run = run_of(file);
  EXPECT_EQ(run.model, "it's 4B F16");
  EXPECT_EQ(run.quantisation, "F16");
  EXPECT_EQ(figure(run).value, 31.5);
  EXPECT_EQ(figure(run).context, 32);
}

constexpr std::string_view kTable =
    "ggml_cuda_init: found 2 CUDA devices:\n"
    "  Device 0: A GPU, compute capability 8.9, VMM: yes\n"
    "  Device 1: A GPU, compute capability 8.9, VMM: yes\n"
    "| model | size | params | backend | ngl | sm | type_k | test | t/s |\n"
    "| ----- | ---: | -----: | ------- | --: | -- | -----: | ---: | --: |\n"
    "| llama 7B mostly Q4_0 | 3.50 GiB | 6.74 B | CUDA | 99 | layer | q8_0 | pp 512 | 1,000.50 ± "
    "2.00 |\n"
    "| llama 7B mostly Q4_0 | 512.00 MiB | 500.00 M | CUDA | 20 | row | q8_0 | tg32 @ d1000 | "
    "50.25 "
    "± 0.1 |\n"
    "| llama 7B mostly Q4_0 | 3.50 GiB | 6.74 B | CUDA | 99 | layer | q8_0 | pp512+tg128 | 200 |\n"
    "| llama 7B mostly Q4_0 | 3.50 GiB | 6.74 B | CUDA | 99 | layer | q8_0 | tg128 | inf |\n"
    "\nbuild: 0123abcd (7001)\n";

TEST(ResultsLlamaBench, MarkdownBetweenBannerAndBuild) {
  const ResultFile file = read(kTable);
  EXPECT_EQ(file.format, "llama-bench md");
  ASSERT_EQ(file.runs.size(), 3U);
  const MeasuredRun& first = file.runs[0];
  EXPECT_EQ(first.build, "b7001");
  EXPECT_EQ(first.device, "A GPU, A GPU");
  EXPECT_EQ(first.devices, 2);
  EXPECT_EQ(first.model_bytes, 3.5 * 1073741824);
  EXPECT_EQ(first.model_parameters, 6.74e9);
  EXPECT_EQ(first.key_cache, "q8_0");
  EXPECT_EQ(first.quantisation, "Q4_0");
  EXPECT_TRUE(trapped(first, "layer_split"));
  EXPECT_EQ(figure(first).value, 1000.5);
  EXPECT_EQ(figure(first).prompt, 512);
  EXPECT_EQ(figure(first).source.line, 6);
  const MeasuredRun& second = file.runs[1];
  EXPECT_EQ(second.model_bytes, 512.0 * 1048576);
  EXPECT_EQ(second.model_parameters, 5e8);
  EXPECT_EQ(second.offloaded_layers, 20);
  EXPECT_TRUE(trapped(second, "partial_offload"));
  EXPECT_FALSE(trapped(second, "layer_split"));
  EXPECT_EQ(figure(second).context, 1016);
  EXPECT_EQ(figure(file.runs[2]).phase, MeasuredPhase::mixed);
  EXPECT_EQ(file.refused.size(), 1U);
}

TEST(ResultsLlamaBench, MarkdownRowsWhoseHeaderIsLost) {
  const ResultFile file = read(
      "load_tensors: ready\n| llama 70B Q4_0 | 36.20 GiB | 70.55 B | ROCm | 999 | 0 | tg128 | "
      "5.50 ± 0.01 |\n");
  const MeasuredRun run = run_of(file);
  EXPECT_EQ(run.model, "llama 70B Q4_0");
  EXPECT_EQ(run.offloaded_layers, -1);
  EXPECT_EQ(figure(run).value, 5.5);
}

TEST(ResultsLlamaBench, APageThatExplainsTheToolIsTold) {
  const string page = "# A tool\n\n```\nusage: ./tool [options]\n```\n\n" + string(kTable);
  EXPECT_TRUE(trapped(run_of(read(page)), "documentation"));
  EXPECT_TRUE(trapped(run_of(read("# A tool\n\n## Usage\n\n" + string(kTable))), "documentation"));
  EXPECT_FALSE(trapped(run_of(read("# My runs\n\n" + string(kTable))), "documentation"));
}

TEST(ResultsBatchedBench, Table) {
  const ResultFile file = read(
      "|    PP |     TG |    B |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |  T s | S t/s "
      "|\n"
      "|-------|--------|------|--------|----------|----------|----------|----------|------|-------"
      "|\n"
      "|   100 |     40 |    4 |    560 |      0.4 |   1000.0 |      2.0 |     80.0 |  2.4 | 233.3 "
      "|\n"
      "|   100 |     40 |    4 |    260 |      0.1 |   1000.0 |      2.0 |     80.0 |  2.1 | 123.8 "
      "|\n");
  EXPECT_EQ(file.format, "llama-batched-bench md");
  ASSERT_EQ(file.runs.size(), 2U);
  const Observation prompt = figure(file.runs[0]), output = figure(file.runs[0], 1);
  EXPECT_EQ(prompt.phase, MeasuredPhase::prefill);
  EXPECT_EQ(prompt.value, 1000);
  EXPECT_EQ(prompt.batch, 4);
  EXPECT_EQ(prompt.prompt, 100);
  EXPECT_EQ(output.phase, MeasuredPhase::decode);
  EXPECT_EQ(output.counting, Counting::aggregate);
  EXPECT_EQ(output.value, 80);
  EXPECT_EQ(output.batch, 4);
  EXPECT_EQ(output.context, 120);  // 100 + 40 / 2
  EXPECT_FALSE(trapped(file.runs[0], "shared_prompt"));
  EXPECT_TRUE(trapped(file.runs[1], "shared_prompt"));  // 260 = 100 + 4 x 40
  EXPECT_EQ(figure(file.runs[1]).batch, 1);
}

TEST(ResultsBatchedBench, JsonLines) {
  const ResultFile file = read(
      R"({"n_kv_max": 2048, "n_gpu_layers": 99, "pp": 128, "tg": 32, "pl": 2, "n_kv": 320, )"
      R"("t_pp": 0.5, "speed_pp": 512.0, "t_tg": 1.0, "speed_tg": 64.0, "speed": 213.3})"
      "\n"
      R"({"n_kv_max": 2048, "pp": 128, "tg": 32, "n_kv": 512, "speed_pp": 512.0, "speed_tg": 16})"
      "\n");
  EXPECT_EQ(file.format, "llama-batched-bench jsonl, sweep-bench jsonl");
  ASSERT_EQ(file.runs.size(), 2U);
  EXPECT_EQ(figure(file.runs[0]).batch, 2);
  EXPECT_EQ(figure(file.runs[0], 1).value, 64);
  EXPECT_EQ(figure(file.runs[1]).prompt, 640);
  EXPECT_EQ(figure(file.runs[1]).cached_prefix, 512);
  EXPECT_EQ(figure(file.runs[1], 1).context, 528);  // 512 + 32 / 2
}

TEST(ResultsBatchedBench, SweepTable) {
  const ResultFile file = read(
      "|    PP |     TG |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |\n"
      "|-------|--------|--------|----------|----------|----------|----------|\n"
      "|   512 |    128 |   1024 |    0.512 |  1000.00 |    2.000 |    64.00 |\n");
  EXPECT_EQ(file.format, "sweep-bench md");
  EXPECT_EQ(figure(run_of(file)).prompt, 1536);
  EXPECT_EQ(figure(run_of(file)).cached_prefix, 1024);
  EXPECT_EQ(figure(run_of(file), 1).context, 1088);
}

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
