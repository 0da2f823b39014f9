// Logs that tell both how an engine started and how fast it was, through the whole command.
#include <gtest/gtest.h>

#include "cli/command.h"

namespace rooflens::cli {
namespace {

std::string vllm_log() { return content_of(ROOFLENS_SOURCE_DIR "/tests/cli/logs/vllm.log"); }

// Eight sequences decode at 160 tok/s for ten seconds.
const char* const kWindow =
    "INFO 11-30 12:00:00 [loggers.py:127] Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg "
    "generation throughput: 160.0 tokens/s, Running: 8 reqs, Waiting: 0 reqs, GPU KV cache usage: "
    "3.9%, Prefix cache hit rate: 0.0%\n";

TEST(CliLogFigures, start_up_and_figures_are_both_told) {
  const Folder f;
  const std::string path = f.file("vllm.log", vllm_log() + kWindow);
  const Outcome o = command("check " + path + " --json");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(valid_json(o.out));
  EXPECT_EQ(text_at(o.out, "/results/startup/engine"), "vLLM");
  EXPECT_EQ(number_at(o.out, "/results/files/0/runs/0/figures/0/value"), 160);
  EXPECT_EQ(number_at(o.out, "/results/files/0/runs/0/figures/0/batch"), 8);
  EXPECT_EQ(o.err.find("has no effect"), std::string::npos) << o.err;
  const Outcome text = command("check " + path);
  EXPECT_NE(text.out.find("tokens in the cache"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("160 tok/s"), std::string::npos) << text.out;
  EXPECT_LT(text.out.find("tokens in the cache"), text.out.find("160 tok/s"));
}

TEST(CliLogFigures, figures_of_a_log_are_held_against_their_roof) {
  const Folder f;
  const Outcome o = command("check " + f.file("vllm.log", vllm_log() + kWindow) +
                            " --model Qwen/Qwen3-0.6B --on h100-sxm --json");
  EXPECT_EQ(text_at(o.out, "/results/startup/engine"), "vLLM");
  EXPECT_EQ(text_at(o.out, "/results/observations/0/phase"), "decode");
  EXPECT_EQ(number_at(o.out, "/results/observations/0/batch"), 8);
}

// Two ranks of Qwen3-8B; 2 % of 873,808 tokens are 17,476, 2,184.5 of each of 8 sequences. The
// model, the ranks and the context are the log's own.
TEST(CliLogFigures, a_server_s_log_needs_the_device_alone) {
  const Folder f;
  const char* const start =
      "INFO 11-20 10:00:03 [core.py:58] Initializing a V1 LLM engine (v0.11.0) with config: "
      "model='Qwen/Qwen3-8B', dtype=torch.bfloat16, max_seq_len=8192, tensor_parallel_size=2, "
      "pipeline_parallel_size=1, data_parallel_size=1, quantization=None, kv_cache_dtype=auto\n"
      "INFO 11-20 10:01:00 [kv_cache_utils.py:1087] GPU KV cache size: 873,808 tokens\n"
      "INFO 11-20 10:02:10 [loggers.py:123] Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg "
      "generation throughput: 900.0 tokens/s, Running: 8 reqs, Waiting: 0 reqs, GPU KV cache "
      "usage: 2.0%, Prefix cache hit rate: 0.0%\n";
  const Outcome o = command("check " + f.file("vllm.log", start) + " --on h100-sxm --json");
  EXPECT_EQ(number_at(o.out, "/inputs/deployment/tensor"), 2) << o.out.substr(0, 400);
  EXPECT_NEAR(number_at(o.out, "/results/observations/0/context_tokens"), 2184.5, 0.1);
  // A rank reads half of 15,136,811,008 B (16 bits of 8,190,735,360 weights less the embedding's
  // 622,329,856) and of 8 x 2,184.5 tokens of 147,456 B, which takes 2.65 ms.
  const double step = (7568405504.0 * 2 + 8 * 2184.5 * 147456) / 2 / 3.35e12;
  EXPECT_NEAR(number_at(o.out, "/results/observations/0/fraction_of_roof"), 900 / (8 / step),
              0.003);
  EXPECT_EQ(o.out.find("Nothing told says"), std::string::npos);
}

TEST(CliLogFigures, a_difference_in_the_start_up_is_still_a_no) {
  const Folder f;
  std::string text = content_of(ROOFLENS_SOURCE_DIR "/tests/cli/logs/hybrid.log");
  text.replace(text.find("26.90 B"), 7, "26.10 B");
  text +=
      "eval time =    1280.00 ms /   128 tokens (   10.00 ms per token,   100.00 tokens per "
      "second)\n";
  const Outcome o = command("check " + f.file("a.log", text) + " --json");
  EXPECT_EQ(o.code, 1) << o.err;
  EXPECT_GT(number_at(o.out, "/results/files/0/runs/0/figures/0/value"), 99);
}

TEST(CliLogFigures, csv_says_what_it_leaves_out) {
  const Folder f;
  const Outcome o = command("check " + f.file("vllm.log", vllm_log() + kWindow) + " --format csv");
  EXPECT_EQ(o.out.substr(0, 4), "line") << o.out;
  EXPECT_NE(o.err.find("the start-up is in text"), std::string::npos) << o.err;
}

// 40 MB of lines around it: longer than results may be, and read as it comes.
TEST(CliLogFigures, a_long_log_is_read_once) {
  const Folder f;
  std::string text = vllm_log();
  const std::string access(200, '.');
  while (text.size() < (std::size_t{40} << 20)) text += "INFO 127.0.0.1 - GET " + access + "\n";
  const Outcome o = command("check " + f.file("vllm.log", text + kWindow) + " --json");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(text_at(o.out, "/results/startup/engine"), "vLLM");
  EXPECT_EQ(number_at(o.out, "/results/files/0/runs/0/figures/0/value"), 160);
  EXPECT_NE(o.out.find("longer than 32 MiB"), std::string::npos);
}

// Llama-3.1-8B in 8 bits, half of its 32 layers on a card: the file and the options tell it.
TEST(CliLogFigures, a_part_in_host_memory_is_held_against_both_memories) {
  const std::string claim =
      "check Llama-3.1-8B --weights q8_0 --on bw=504GB/s,fp16=117T,mem=6GB --claim '5 tok/s "
      "decode' ";
  const Outcome small = command(claim);
  EXPECT_NE(small.err.find("does not fit"), std::string::npos) << small.err;
  const Outcome o = command(claim + "--gpu-layers 16 --host-memory 51.2GB/s --json");
  EXPECT_EQ(text_at(o.out, "/results/observations/0/verdict"), "capacity") << o.out << o.err;
  EXPECT_NE(o.out.find("from both memories"), std::string::npos) << o.out;
  const Outcome idle =
      command("check Llama-3.1-8B --on rtx-4090 --claim '50 tok/s decode' --host-memory 50GB/s");
  EXPECT_NE(idle.err.find("--host-memory has no effect"), std::string::npos) << idle.err;
}

}  // namespace
}  // namespace rooflens::cli
