// What options mean: engine spellings, lists, defaults, formats, ranks. Expected figures are
// published ones or the founding documents'.
#include <gtest/gtest.h>

#include <sstream>

#include "cli/command.h"

namespace rooflens::cli {
namespace {

std::string json_of(const std::string& line) {
  const Outcome r = command(line + " --json");
  EXPECT_LE(r.code, 1) << line << "\n" << r.err;
  EXPECT_TRUE(valid_json(r.out)) << line;
  return r.out;
}

// "" when both are equal, else the first line that differs, as "one <> other".
std::string difference(std::string a, std::string b) {
  std::istringstream x(std::move(a)), y(std::move(b));
  std::string one, other;
  while (true) {
    const bool more = static_cast<bool>(std::getline(x, one));
    if (more != static_cast<bool>(std::getline(y, other)) || (more && one != other)) {
      return one + " <> " + other;
    }
    if (!more) return "";
  }
}

TEST(CliOptions, the_verb_analyze_may_be_left_out) {
  EXPECT_EQ(difference(json_of("Qwen/Qwen3-8B --on h100-sxm"),
                       json_of("analyze Qwen/Qwen3-8B --on h100-sxm")),
            "");
  EXPECT_EQ(difference(json_of("--on h100-sxm qwen3-8b"), json_of("Qwen/Qwen3-8B --on=h100-sxm")),
            "");
}

TEST(CliOptions, engines_spellings_are_the_same_options) {
  const std::string m = "Qwen3-30B-A3B --on h100-sxm ";
  const std::string ours = json_of(
      m +
      "--tp 2 --batch 64 --prompt 2048 --output-tokens 256 --kv fp8 --utilisation 0.85 --ep 2 "
      "--page 32");
  EXPECT_EQ(
      difference(ours, json_of(m + "--tensor-parallel-size 2 --max-num-seqs 64 --input-len 2048 "
                                   "--output-len 256 --kv-cache-dtype fp8_e4m3 "
                                   "--gpu-memory-utilization 0.85 --enable-expert-parallel "
                                   "--block-size 32")),
      "");
  EXPECT_EQ(difference(
                ours, json_of(m + "--tp-size 2 --max-running-requests 64 --isl 2Ki --osl 256 "
                                  "--kv-cache-dtype fp8_e5m2 --mem-fraction-static 85% --ep-size 2 "
                                  "--page-size 32")),
            "");
  EXPECT_EQ(
      difference(ours,
                 json_of(m + "--tp_size=2 --max_batch_size=64 --input_len=2048 --osl=256 --kv=fp8 "
                             "--utilization=0.85 --ep=2 --block_size=32")),
      "");
  EXPECT_EQ(difference(json_of(m + "-b 8 -c 4k -ctk q8_0 -ctv q4_0"),
                       json_of(m + "-b8 --context=4000 --kv q8_0/q4_0")),
            "");
}

TEST(CliOptions, numbers_have_units) {
  const std::string j =
      json_of("Qwen3-8B --on h100-sxm --prompt 8k --context 128Ki --overhead 2GiB");
  EXPECT_EQ(number_at(j, "/inputs/workload/prompt_tokens"), 8000);
  EXPECT_EQ(number_at(j, "/inputs/workload/context_tokens"), 131072);
  EXPECT_EQ(number_at(j, "/inputs/deployment/overhead_bytes"), 2147483648.0);
}

TEST(CliOptions, defaults) {
  const std::string j = json_of("Qwen3-8B --on h100-sxm");
  EXPECT_EQ(number_at(j, "/schema"), 1);
  EXPECT_EQ(text_at(j, "/tool/name"), "rooflens");
  EXPECT_EQ(number_at(j, "/inputs/workload/batch"), 1);
  EXPECT_EQ(number_at(j, "/inputs/workload/prompt_tokens"), 1024);
  EXPECT_EQ(number_at(j, "/inputs/workload/output_tokens"), 128);
  EXPECT_EQ(number_at(j, "/inputs/workload/context_tokens"), 1024 + 64);
  EXPECT_EQ(number_at(j, "/inputs/system/count"), 1);
}

// The bar: published roofs within 0.6 %.
TEST(CliOptions, llama_8b_on_h100_sxm) {
  const std::string m = "meta-llama/Llama-3.1-8B --on h100-sxm --context 4096 --prompt 2048 ";
  const std::string one = json_of(m + "--batch 1"), eight = json_of(m + "--batch 8");
  EXPECT_NEAR(number_at(one, "/results/phases/decode/roof_seconds"), 4.64e-3, 0.006 * 4.64e-3);
  EXPECT_NEAR(number_at(eight, "/results/phases/decode/roof_seconds"), 5.76e-3, 0.006 * 5.76e-3);
  EXPECT_NEAR(number_at(one, "/results/phases/prefill/roof_seconds"), 30.0e-3, 0.006 * 30.0e-3);
}

// The founding box: ridges 214 and 428, and memory runs out at 76, 239 and 436 sequences.
TEST(CliOptions, founding_box) {
  const std::string m = "Qwen/Qwen3.6-27B-FP8 --on bw=3.9TB/s,bf16=836T,fp8=1670T,mem=94GB ";
  const std::string long_one = json_of(m + "--prompt 8064 --output-tokens 128");
  EXPECT_NEAR(number_at(long_one, "/results/ridge/flop_per_byte/bf16"), 214, 0.5);
  EXPECT_NEAR(number_at(long_one, "/results/ridge/flop_per_byte/fp8"), 428, 0.5);
  EXPECT_EQ(number_at(long_one, "/results/memory/max_batch"), 76);
  EXPECT_EQ(number_at(json_of(m + "--prompt 896 --output-tokens 128"), "/results/memory/max_batch"),
            239);
  EXPECT_EQ(number_at(json_of(m + "--prompt 8064 --output-tokens 128 --tp 4 --link 300GB/s"),
                      "/results/memory/max_batch"),
            436);
}

TEST(CliOptions, the_machine_brings_its_count) {
  const std::string eight = json_of("meta-llama/Llama-3.1-70B --on p5.48xlarge");
  EXPECT_EQ(number_at(eight, "/inputs/system/count"), 8);
  EXPECT_EQ(number_at(eight, "/inputs/deployment/tensor"), 8);
  const std::string four = json_of("meta-llama/Llama-3.1-70B --on p5.48xlarge --tp 4");
  EXPECT_EQ(number_at(four, "/inputs/system/count"), 4);
  EXPECT_NE(text_at(four, "/warnings/0").find("has 8 devices"), std::string::npos);
  const std::string split = json_of("meta-llama/Llama-3.1-70B --on h100-sxm --gpus 8 --pp 2");
  EXPECT_EQ(number_at(split, "/inputs/deployment/tensor"), 4);
  EXPECT_EQ(number_at(split, "/inputs/deployment/pipeline"), 2);
}

TEST(CliOptions, lists_give_one_scenario_each) {
  const Outcome r =
      command("Qwen3-8B --on h100-sxm --on a100-sxm-80 --batch 1-8*2 --tp 1,2 --json");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(number_at(r.out, "/results/scenarios/15/inputs/workload/batch"), 8);
  EXPECT_EQ(text_at(r.out, "/results/scenarios/16"), "null");
  EXPECT_EQ(number_at(r.out, "/results/scenarios/4/inputs/deployment/tensor"), 2);
  EXPECT_EQ(text_at(r.out, "/results/scenarios/0/inputs/system/id"), "h100-sxm");
  EXPECT_EQ(text_at(r.out, "/results/scenarios/8/inputs/system/id"), "a100-sxm-80");
}

TEST(CliOptions, what_cannot_be_is_left_out_of_a_table) {
  const Outcome r = command("Qwen3-8B --on h100-sxm --tp 1,2,3");
  EXPECT_EQ(r.code, 0);
  EXPECT_NE(r.err.find("1 combination left out: "), std::string::npos) << r.err;
  EXPECT_EQ(command("Qwen3-8B --on h100-sxm --tp 3,5").code, 2);
}

// The shape of the answer is what was asked for, not what came of it.
TEST(CliOptions, a_list_gives_a_list_even_of_one) {
  for (const char* list : {"--tp 1,3", "--batch 8-8", "--prompt 1k-1k*2", "--tp 1,2 --gpus 1"}) {
    const std::string j = json_of(std::string("Qwen3-8B --on h100-sxm ") + list);
    EXPECT_EQ(text_at(j, "/results/phases"), "null") << list;
    EXPECT_EQ(number_at(j, "/results/scenarios/0/inputs/deployment/tensor"), 1) << list;
    EXPECT_EQ(text_at(j, "/results/scenarios/1"), "null") << list;
  }
  EXPECT_EQ(number_at(json_of("Qwen3-8B --on h100-sxm --batch 8"), "/inputs/workload/batch"), 8);
  EXPECT_EQ(command("Qwen3-8B --on h100-sxm --tp 1,3 --format csv").code, 0);
  EXPECT_EQ(command("check Qwen3-8B --on h100-sxm --tp 1,3 --claim '9 tok/s'").code, 2);
}

// The bridge of two cards stays inside the link that joins all four.
TEST(CliOptions, a_link_keeps_the_levels_inside_it) {
  const std::string m = "Qwen3-32B --on h100-nvl --gpus 4 ";
  const std::string j = json_of(m + "--link 32GB/s");
  EXPECT_EQ(number_at(j, "/inputs/system/links/0/size"), 2);
  EXPECT_EQ(number_at(j, "/inputs/system/links/0/bytes_per_s"), 300e9);
  EXPECT_EQ(number_at(j, "/inputs/system/links/1/bytes_per_s"), 32e9);
  EXPECT_EQ(text_at(j, "/inputs/system/links/2"), "null");
  EXPECT_NE(text_at(j, "/warnings/0").find("latency of --link"), std::string::npos);
  const std::string told = json_of(m + "--link 32GB/s --link-latency 9us");
  EXPECT_EQ(number_at(told, "/inputs/system/links/1/latency_s"), 9e-6);
  EXPECT_NE(number_at(told, "/inputs/system/links/0/latency_s"), 9e-6);
  EXPECT_EQ(text_at(told, "/warnings/0"), "null");
  const std::string figures = "Qwen3-32B --on bw=4TB/s,bf16=800T,mem=94GB --gpus 4 ";
  EXPECT_NE(text_at(json_of(figures + "--link 32GB/s"), "/warnings/0").find("is not counted"),
            std::string::npos);
}

TEST(CliOptions, formats) {
  const auto input = [](const std::string& options, const char* key) {
    return text_at(json_of("Qwen3-8B --on h100-sxm " + options),
                   std::string("/inputs/deployment/") + key);
  };
  EXPECT_EQ(input("", "gemm_input"), "bf16");
  EXPECT_EQ(input("--weights fp8_channel", "gemm_input"), "fp8");
  EXPECT_EQ(input("--weights int8_channel", "gemm_input"), "int8");
  EXPECT_EQ(input("--weights awq4_g128", "gemm_input"), "bf16");
  EXPECT_EQ(input("--quantization awq_marlin", "gemm_input"), "bf16");
  EXPECT_EQ(input("--weights awq4_g128 --gemm-input w4a8", "gemm_input"), "int8");
  EXPECT_EQ(input("--weights fp8 --gemm-input w8a16", "gemm_input"), "bf16");
  EXPECT_EQ(input("--dtype float16", "activation"), "fp16");
  EXPECT_EQ(input("--dtype half", "key_cache"), "fp16");
  EXPECT_EQ(input("--kv fp8", "value_cache"), "fp8");
  EXPECT_EQ(input("--kv q8_0/q4_0", "value_cache"), "Q4_0");
  EXPECT_EQ(input("--state-bytes bfloat16", "state_bytes"), "2");
  const std::string fp8 = json_of("Qwen3-8B-FP8 --on h100-sxm --quantization fp8");
  EXPECT_NE(text_at(fp8, "/warnings/0").find("quantised already"), std::string::npos);
}

// arithmetic.md section 2: an FP8 file on Ampere runs at the BF16 roof.
TEST(CliOptions, types_a_device_has_not) {
  const std::string j = json_of("Qwen3-8B-FP8 --on a100-sxm-80");
  EXPECT_EQ(text_at(j, "/inputs/deployment/gemm_input"), "bf16");
  EXPECT_NE(text_at(j, "/warnings/0").find("no FP8 arithmetic"), std::string::npos);
  const std::string t4 = json_of("Qwen3-8B --on t4 --weights awq4_g128");
  EXPECT_NE(t4.find("no BF16 arithmetic: the peak of FP16"), std::string::npos);
}

TEST(CliOptions, the_largest_step_is_also_the_chunk) {
  const std::string m = "Qwen3-8B --on h100-sxm --prompt 8192 ";
  EXPECT_EQ(number_at(json_of(m), "/inputs/workload/chunk_tokens"), 0);
  const std::string j = json_of(m + "--max-num-batched-tokens 2048");
  EXPECT_EQ(number_at(j, "/inputs/workload/chunk_tokens"), 2048);
  EXPECT_EQ(number_at(j, "/inputs/deployment/batched_tokens"), 2048);
  EXPECT_EQ(
      number_at(json_of(m + "--max-num-batched-tokens 16384"), "/inputs/workload/chunk_tokens"), 0);
}

TEST(CliOptions, efficiency) {
  const std::string j = json_of("Qwen3-8B --on h100-sxm --efficiency 1 --launch 0s");
  EXPECT_EQ(text_at(j, "/results/phases/decode/expected_seconds/origin"), "given");
  const std::string part = json_of("Qwen3-8B --on h100-sxm --efficiency memory=0.8..0.9");
  EXPECT_EQ(
      text_at(part, "/results/phases/decode/expected_seconds/origin").rfind("given, the rest", 0),
      0U);
}

TEST(CliOptions, device_files_and_tables) {
  const Folder f;
  const std::string words =
      f.file("box.txt", "name=My box\nbw=2TB/s, bf16=400T\nmem=64GB  # small\n");
  EXPECT_EQ(text_at(json_of("Qwen3-8B --on " + words), "/inputs/system/device"), "My box");
  const std::string csv =
      f.file("d.csv", "id,name,mem_bw_gbs,bf16,mem_gb\nmine,Mine,1000,100,80\n");
  EXPECT_EQ(number_at(json_of("Qwen3-8B --on mine --devices " + csv), "/inputs/system/bytes_per_s"),
            1e12);
}

}  // namespace
}  // namespace rooflens::cli
