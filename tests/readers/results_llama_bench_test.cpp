// llama-bench, batched-bench and sweep-bench: every format from a small text of our own, with the
// figures worked out from that text by hand; every trap.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "readers/results_testing.h"

namespace rooflens {
namespace {

using std::string;
using namespace test;  // NOLINT(google-build-using-namespace)

constexpr std::string_view kRecord =
    R"({"build_commit": "abc12345", "build_number": 7000, "cpu_info": "A CPU", )"
    R"("gpu_info": "A GPU", "backends": "CUDA", "model_filename": "/m/x.gguf", )"
    R"("model_type": "llama 8B Q4_K - Medium", "model_size": 4912898048, )"
    R"("model_n_params": 8030261248, "type_k": "q8_0", "type_v": "f16", "n_gpu_layers": 99, )"
    R"("split_mode": "layer", "n_prompt": 0, "n_gen": 128, "n_depth": 4096, )"
    R"("avg_ns": 1280000000, "avg_ts": 100.25, "samples_ts": [ 100, 100.5 ]})";

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

}  // namespace
}  // namespace rooflens
