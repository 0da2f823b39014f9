// Results in YAML through the whole command: modules/yaml, then the reader of the same as JSON.
#include <gtest/gtest.h>

#include "cli/command.h"

namespace rooflens::cli {
namespace {

#define NEEDS_YAML()                                             \
  if (!has_module("yaml"))                                       \
  GTEST_SKIP() << "no yaml-cpp (libyaml-cpp-dev) when this was " \
                  "configured"

// Four requests of 100 + 51 tokens in 10 s: 0.4 requests/s, 20.4 output tokens/s, 40 of input.
constexpr const char* kLifecycle =
    "# a report\n"
    "benchmark_time_seconds: 10\n"
    "failures: {count: 0}\n"
    "successes:\n"
    "  count: 4\n"
    "  latency:\n"
    "    request_latency: {mean: 1.1, median: 1.0}\n"
    "    time_per_output_token: {mean: 0.021, median: 0.02}\n"
    "    time_to_first_token:\n"
    "      mean: 0.2\n"
    "      median: 0.1\n"
    "  prompt_len: {mean: 100.0}\n"
    "  output_len: {mean: 51.0}\n"
    "  throughput:\n"
    "    requests_per_sec: 0.4\n"
    "    output_tokens_per_sec: 20.4\n"
    "    input_tokens_per_sec: 40.0\n"
    "    total_tokens_per_sec: 60.4\n";

TEST(CliYaml, inference_perf_is_read_with_its_lines) {
  NEEDS_YAML();
  const Folder f;
  const Outcome o =
      command("check " + f.file("report.yaml", kLifecycle) + " --json", with_modules());
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(text_at(o.out, "/results/files/0/format"), "inference-perf report");
  EXPECT_EQ(number_at(o.out, "/results/files/0/runs/0/figures/0/value"), 20.4);
  EXPECT_EQ(number_at(o.out, "/results/files/0/runs/0/figures/0/line"), 16);
  EXPECT_EQ(text_at(o.out, "/results/files/0/runs/0/figures/4/figure"), "time_to_first_token_s");
  EXPECT_EQ(number_at(o.out, "/results/files/0/runs/0/figures/4/value"), 0.1);
  EXPECT_EQ(number_at(o.out, "/results/files/0/runs/0/figures/4/line"), 9);
}

// An engine of two ranks on H200s; rates of 2 requests/s of 1,000 + 100 tokens.
std::string llmd(const char* output_rate) {
  return std::string(
             "version: '0.2'\n"
             "scenario:\n"
             "  stack:\n"
             "  - standardized:\n"
             "      kind: inference_engine\n"
             "      tool: vLLM\n"
             "      tool_version: \"0.11\"\n"
             "      model: {name: Qwen/Qwen3-8B}\n"
             "      accelerator:\n"
             "        model: NVIDIA H200\n"
             "        parallelism: {tp: 2, pp: 1, dp: 1, ep: 1}\n"
             "results:\n"
             "  request_performance:\n"
             "    aggregate:\n"
             "      requests:\n"
             "        total: 20\n"
             "        failures: 0\n"
             "        input_length: {units: count, mean: 1000}\n"
             "        output_length: {units: count, mean: 100}\n"
             "      throughput:\n"
             "        request_rate: {units: queries/s, mean: 2}\n"
             "        input_token_rate: {units: tokens/s, mean: 2000}\n"
             "        output_token_rate: {units: tokens/s, mean: ") +
         output_rate +
         "}\n"
         "      latency:\n"
         "        time_per_output_token: {units: ms/token, mean: 20}\n"
         "        request_latency: {units: s, mean: 2.5}\n";
}

TEST(CliYaml, llm_d_names_model_device_and_ranks) {
  NEEDS_YAML();
  const Folder f;
  const Outcome o =
      command("check " + f.file("report.yaml", llmd("200")) + " --json", with_modules());
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(text_at(o.out, "/inputs/model/name"), "Qwen/Qwen3-8B");
  EXPECT_NE(o.out.find("\"h200"), std::string::npos) << o.out.substr(0, 600);
  // 2 requests/s x 99 tokens x 20 ms decode at a time.
  EXPECT_EQ(text_at(o.out, "/results/files/0/runs/0/figures/3/figure"), "time_per_token_s");
  EXPECT_EQ(number_at(o.out, "/results/files/0/runs/0/figures/3/value"), 0.02);
}

TEST(CliYaml, figures_that_contradict_each_other_are_no_measurement) {
  NEEDS_YAML();
  const Folder f;
  const Outcome o =
      command("check " + f.file("report.yaml", llmd("1000")) + " --json", with_modules());
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_NE(text_at(o.out, "/results/files/0/refused/0/why").find("contradict"), std::string::npos);
}

TEST(CliYaml, broken_yaml_names_its_line) {
  NEEDS_YAML();
  const Folder f;
  const std::string path = f.file("report.yaml", "successes:\n  count: [1, 2\n  latency: }\n");
  const Outcome o = command("check " + path, with_modules());
  EXPECT_EQ(o.code, 2);
  EXPECT_NE(o.err.find("line 3"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find(path), std::string::npos) << o.err;
}

// Ten anchors, each ten times the one before, are 10^10 values.
TEST(CliYaml, anchors_do_not_explode) {
  NEEDS_YAML();
  const Folder f;
  std::string text = "successes: 1\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int k = 1; k < 10; ++k) text += ", " + before;
    text += "]\n";
  }
  const Outcome o = command("check " + f.file("report.yaml", text), with_modules());
  EXPECT_EQ(o.code, 2);
  EXPECT_NE(o.err.find("too large"), std::string::npos) << o.err;
}

TEST(CliYaml, without_the_module_the_package_is_named) {
  const Folder f;
  World world;
  world.env["ROOFLENS_MODULES"] = f.folder("none");
  const Outcome o = command("check " + f.file("report.yaml", kLifecycle), world);
  EXPECT_EQ(o.code, 2);
  EXPECT_NE(o.err.find("libyaml-cpp-dev"), std::string::npos) << o.err;
}

}  // namespace
}  // namespace rooflens::cli
