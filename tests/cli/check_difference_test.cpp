// Several figures of a file together, and two files against each other, through the whole command.
#include <gtest/gtest.h>

#include "cli/command.h"

namespace rooflens::cli {
namespace {

// A row of llama-bench: so many prompt tokens or generated tokens at a rate, of a build.
std::string row(int build, int prompt, int output, int depth, double rate) {
  const std::string ns = std::to_string((prompt + output) / rate * 1e9);
  return R"({"build_commit":"abc","build_number":)" + std::to_string(build) +
         R"(,"model_type":"qwen3 8B Q8_0","model_size":8709518336,"model_n_params":8190735360,)" +
         R"("n_prompt":)" + std::to_string(prompt) + R"(,"n_gen":)" + std::to_string(output) +
         R"(,"n_depth":)" + std::to_string(depth) + R"(,"avg_ns":)" + ns +
         R"(,"stddev_ns":1,"avg_ts":)" + std::to_string(rate) +
         R"(,"stddev_ts":0.1,"samples_ns":[)" + ns + R"(],"samples_ts":[)" + std::to_string(rate) +
         R"(],"n_gpu_layers":99})" + "\n";
}

// Qwen3-8B with Q8_0 weights and a bf16 head on 1 TB/s: 6,946,075,648 weights at 34 / 32 bytes,
// 622,329,856 at 2, and 147,456 bytes of cache a token.
constexpr const char* kOn =
    " --model Qwen/Qwen3-8B --weights q8_0 --on bw=1TB/s,fp16=100T,mem=64GB";
constexpr double kWeights = 6946075648.0 * 34 / 32 + 622329856.0 * 2, kCache = 147456;

// Tokens/s of 128 tokens after `depth`, at 3 ms a step and so many bytes a second.
double decode_rate(int depth, double bytes_per_s, double fixed = 0.003) {
  return 1 / (fixed + (kWeights + kCache * (depth + 64)) / bytes_per_s);
}

std::string decodes(int build, double bytes_per_s, double fixed = 0.003) {
  std::string text;
  for (const int depth : {0, 4096, 16384, 32768, 65536 - 128}) {
    text += row(build, 0, 128, depth, decode_rate(depth, bytes_per_s, fixed));
  }
  return text;
}

TEST(CliFit, depths_tell_bandwidth_and_fixed_time) {
  const Folder f;
  const std::string path = f.file("bench.jsonl", decodes(1, 0.7e12));
  const Outcome o = command("check " + path + kOn + " --json");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(valid_json(o.out));
  EXPECT_EQ(text_at(o.out, "/results/fits/0/phase"), "decode");
  EXPECT_NEAR(number_at(o.out, "/results/fits/0/bytes_per_s/value"), 0.7e12, 3e9);
  EXPECT_NEAR(number_at(o.out, "/results/fits/0/bytes_per_s/fraction_of_nominal"), 0.7, 0.003);
  EXPECT_NEAR(number_at(o.out, "/results/fits/0/fixed_seconds/value"), 0.003, 1e-4);
  const Outcome text = command("check " + path + kOn);
  EXPECT_NE(text.out.find("What the steps tell together"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("reached, fitted"), std::string::npos) << text.out;
  const std::string svg = f.path("chart.svg");
  EXPECT_EQ(command("check " + path + kOn + " --plot " + svg).code, 0);
  EXPECT_NE(content_of(svg).find("reached, 70.0 %"), std::string::npos);
}

TEST(CliDifference, two_files_are_told_part_by_part) {
  const Folder f;
  const std::string before = f.file("before.jsonl", row(1, 0, 128, 0, 50));
  const std::string after = f.file("after.jsonl", row(2, 0, 128, 4096, 40));
  const Outcome o = command("check " + before + " " + after + kOn + " --json");
  EXPECT_EQ(o.code, 0) << o.err;
  const std::string pair = "/results/difference/pairs/0/";
  EXPECT_EQ(text_at(o.out, "/results/difference/before"), "before.jsonl");
  EXPECT_NEAR(number_at(o.out, pair + "difference_seconds"), 1.0 / 40 - 1.0 / 50, 1e-12);
  // 4,096 tokens more of cache at 1 TB/s.
  EXPECT_NEAR(number_at(o.out, pair + "batch_seconds"), 4096 * kCache / 1e12, 1e-9);
  EXPECT_NEAR(number_at(o.out, pair + "unexplained_seconds"), 0.005 - 4096 * kCache / 1e12, 1e-9);
  const Outcome text = command("check " + before + " " + after + kOn);
  EXPECT_NE(text.out.find("From before.jsonl to after.jsonl"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("add up"), std::string::npos) << text.out;
}

// With depths on both sides the fits tell that the second build reads faster and waits less.
TEST(CliDifference, fits_of_two_builds_in_one_file) {
  const Folder f;
  const std::string path =
      f.file("both.jsonl", decodes(1, 0.5e12, 0.004) + decodes(2, 0.8e12, 0.001));
  const Outcome o = command("check " + path + kOn + " --json");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_NE(text_at(o.out, "/results/difference/after").find('2'), std::string::npos);
  const std::string pair = "/results/difference/pairs/0/";
  const double bytes = kWeights + kCache * 64;
  EXPECT_NEAR(number_at(o.out, pair + "bandwidth_reached_seconds"), bytes / 0.8e12 - bytes / 0.5e12,
              2e-4);
  EXPECT_NEAR(number_at(o.out, pair + "fixed_seconds"), -0.003, 2e-4);
  EXPECT_NEAR(number_at(o.out, pair + "unexplained_seconds"), 0, 2e-4);
  EXPECT_NE(text_at(o.out, "/results/fits/1/run").find('2'), std::string::npos);
}

TEST(CliDifference, files_with_nothing_in_common_say_why) {
  const Folder f;
  const std::string before = f.file("a.jsonl", row(1, 512, 0, 0, 1000));
  const std::string after = f.file("b.jsonl", row(1, 0, 128, 0, 50));
  const Outcome o = command("check " + before + " " + after + kOn);
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find("Nothing can be told against each other"), std::string::npos) << o.out;
}

}  // namespace
}  // namespace rooflens::cli
