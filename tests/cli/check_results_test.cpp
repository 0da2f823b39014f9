// Result files through the whole command.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "cli/command.h"

namespace rooflens::cli {
namespace {

// A prefill of 512 tokens at 1,000 tok/s and 128 tokens of decode at 50 tok/s, as llama-bench says.
constexpr const char* kRows =
    R"({"build_commit":"abc","build_number":6865,"model_type":"qwen3 8B Q8_0","model_size":8709518336,"model_n_params":8190735360,"n_prompt":512,"n_gen":0,"n_depth":0,"avg_ns":512000000,"stddev_ns":1,"avg_ts":1000.0,"stddev_ts":0.1,"samples_ns":[512000000],"samples_ts":[1000.0],"n_gpu_layers":99}
{"build_commit":"abc","build_number":6865,"model_type":"qwen3 8B Q8_0","model_size":8709518336,"model_n_params":8190735360,"n_prompt":0,"n_gen":128,"n_depth":0,"avg_ns":2560000000,"stddev_ns":1,"avg_ts":50.0,"stddev_ts":0.1,"samples_ns":[2560000000],"samples_ts":[50.0],"n_gpu_layers":99}
)";

TEST(CliResults, what_was_measured_is_told) {
  const Folder f;
  const std::string path = f.file("bench.jsonl", kRows);
  const Outcome o = command("check " + path + " --json");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(valid_json(o.out));
  EXPECT_EQ(number_at(o.out, "/results/files/0/runs/0/figures/0/value"), 1000);
  EXPECT_EQ(text_at(o.out, "/results/files/0/runs/0/figures/0/phase"), "prefill");
  EXPECT_EQ(number_at(o.out, "/results/files/0/runs/1/figures/0/value"), 50);
  EXPECT_EQ(text_at(o.out, "/results/files/0/runs/1/figures/0/phase"), "decode");
  EXPECT_NE(o.err.find("the file names no device; --on DEVICE gives it"), std::string::npos)
      << o.err;
  const Outcome text = command("check " + path);
  EXPECT_NE(text.out.find("1,000 tok/s"), std::string::npos) << text.out;
}

TEST(CliResults, figures_are_held_against_their_roof) {
  const Folder f;
  const std::string path = f.file("bench.jsonl", kRows);
  const Outcome o =
      command("check " + path +
              " --model Qwen/Qwen3-8B --weights q8_0 --on bw=1TB/s,fp16=100T,mem=24GB "
              "--json");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(text_at(o.out, "/results/observations/1/phase"), "decode");
  // Decode reads 6,946,075,648 weights of the layers at 34 / 32 bytes, a head of 622,329,856 at 2
  // and about 64 tokens of 147,456 bytes from 1 TB/s: a roof of 115.8 tok/s.
  const double roof = 1e12 / (6946075648.0 * 34 / 32 + 622329856.0 * 2 + 64 * 147456.0);
  EXPECT_NEAR(number_at(o.out, "/results/observations/1/fraction_of_roof"), 50 / roof, 0.001);
}

// The same decode row with another model or on another device.
std::string row_of(const char* model, const char* size, const char* gpu) {
  return std::string(R"({"build_commit":"abc","build_number":6865,"gpu_info":")") + gpu +
         R"(","model_type":")" + model + R"(",)" + size +
         R"(,"n_prompt":0,"n_gen":128,"n_depth":0,"avg_ns":2560000000,"stddev_ns":1,)"
         R"("avg_ts":50.0,"stddev_ts":0.1,"samples_ns":[2560000000],"samples_ts":[50.0],)"
         R"("n_gpu_layers":99})"
         "\n";
}
constexpr const char* kQwen8 = R"("model_size":8709518336,"model_n_params":8190735360)";

TEST(CliResults, model_and_device_are_the_files) {
  const Folder f;
  const Outcome o = command(
      "check " + f.file("b.jsonl", row_of("qwen3 8B Q8_0", kQwen8, "NVIDIA GeForce RTX 4090")) +
      " --json");
  EXPECT_EQ(o.code, 0) << o.err;
  // All of the file is read but the embedding's 622,329,856 of 8,190,735,360 weights, and about 64
  // tokens of cache of 147,456 bytes, at 1,008 GB/s.
  const double roof = 1008e9 / (8709518336.0 * (1 - 622329856.0 / 8190735360.0) + 64 * 147456.0);
  EXPECT_NEAR(number_at(o.out, "/results/observations/0/fraction_of_roof"), 50 / roof, 0.001);
  EXPECT_NE(o.err.find("Qwen/Qwen3-8B by its name"), std::string::npos) << o.err;
}

// Ollama does not say which quantisation it served.
TEST(CliResults, an_unknown_weight_format_is_asked_for) {
  const Folder f;
  const std::string path = f.file("reply.txt",
                                  "eval count:           298 token(s)\n"
                                  "eval duration:        3.2s\n"
                                  "eval rate:            93.13 tokens/s\n");
  const std::string line = "check " + path + " --model Qwen/Qwen3-8B --on rtx-4090";
  EXPECT_NE(command(line).err.find("--weights q4_k"), std::string::npos);
  const Outcome told = command(line + " --weights q4_k");
  EXPECT_EQ(told.err.find("does not tell how the weights"), std::string::npos) << told.err;
  EXPECT_EQ(told.code, 0) << told.out;
}

TEST(CliResults, a_file_that_is_not_there_is_said_to_be_so) {
  const Outcome o = command("check nofile.json");
  EXPECT_EQ(o.code, 2);
  EXPECT_NE(o.err.find("error: there is no file 'nofile.json'"), std::string::npos) << o.err;
}

TEST(CliResults, a_device_of_several_meanings_is_told_for_each) {
  const Folder f;
  const std::string path =
      f.file("b.jsonl", row_of("qwen3 8B Q8_0", kQwen8, "NVIDIA GeForce RTX 3080"));
  const Outcome o = command("check " + path + " --json");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(text_at(o.out, "/results/observations/0/device"), "rtx-3080-10");
  EXPECT_EQ(text_at(o.out, "/results/observations/1/device"), "rtx-3080-12");
  const Outcome text = command("check " + path);
  EXPECT_NE(text.out.find("RTX 3080 (12GB)?"), std::string::npos) << text.out;
}

TEST(CliResults, a_model_of_a_size_alone_is_coarse_on_every_figure) {
  const Folder f;
  const char* size = R"("model_size":4000000000,"model_n_params":7000000000)";
  const std::string rows = row_of("zephyrus 7B Q4_0", size, "NVIDIA GeForce RTX 4090") +
                           row_of("qwen3 8B Q8_0", kQwen8, "NVIDIA GeForce RTX 4090");
  const std::string path = f.file("b.jsonl", rows);
  const Outcome o = command("check " + path + " --json");
  EXPECT_EQ(o.code, 0) << o.err;
  // 4 GB at 1,008 GB/s: 252 tok/s.
  EXPECT_NEAR(number_at(o.out, "/results/observations/0/fraction_of_roof"), 50 / 252.0, 0.001);
  EXPECT_NE(o.out.find("\"coarse\": true"), std::string::npos) << o.out;
  EXPECT_NE(command("check " + path).out.find("zephyrus 7B Q4_0 (coarse)"), std::string::npos);
}

TEST(CliResults, what_is_neither_log_nor_result_says_what_was_looked_for) {
  const Folder f;
  const Outcome o = command("check " + f.file("x.txt", "nothing of the kind\n"));
  EXPECT_EQ(o.code, 2);
  EXPECT_NE(o.err.find("llama-bench"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("server_args"), std::string::npos) << o.err;
}

TEST(CliResults, the_chart_is_drawn) {
  const Folder f;
  const std::string svg = f.path("chart.svg");
  const Outcome o = command("check " + f.file("bench.jsonl", kRows) +
                            " --model Qwen/Qwen3-8B --on h100-sxm --plot " + svg);
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_NE(content_of(svg).find("decode measured"), std::string::npos);
}

TEST(CliResults, nothing_was_measured_on_what_does_not_fit) {
  const Folder f;
  const Outcome o = command("check " + f.file("bench.jsonl", kRows) +
                            " --model Qwen/Qwen3-8B --on bw=1TB/s,fp16=100T,mem=8GB --json");
  EXPECT_EQ(o.code, 1);
  EXPECT_NE(o.err.find("it does not fit"), std::string::npos) << o.err;
}

// A pipe can be read once only.
TEST(CliResults, a_pipe_is_read) {
  const Folder f;
  const std::string path = f.path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path) << kRows; });
  const Outcome o = command("check " + path + " --json");
  writer.join();
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(number_at(o.out, "/results/files/0/runs/1/figures/0/value"), 50);
}

TEST(CliResults, logs_and_results_are_told_one_after_the_other) {
  const Folder f;
  const std::string log = f.file("a.log",
                                 "llama_model_loader: - kv   0: general.architecture str = llama\n"
                                 "print_info: model params     = 8.03 B\n");
  const Outcome o = command("check " + f.file("bench.jsonl", kRows) + " " + log + " --json");
  EXPECT_TRUE(valid_json(o.out)) << o.out << o.err;
  EXPECT_EQ(text_at(o.out, "/results/startup/engine"), "llama.cpp");
  EXPECT_EQ(number_at(o.out, "/results/files/0/runs/1/figures/0/value"), 50);
}

}  // namespace
}  // namespace rooflens::cli
