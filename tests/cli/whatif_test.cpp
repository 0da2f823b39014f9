// What-if on a model, several models and devices at once, and what `model` tells.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/command.h"

namespace rooflens::cli {
namespace {

constexpr const char* kLlama =
    R"({"model_type":"llama","hidden_size":4096,"num_hidden_layers":32,"num_attention_heads":32,
        "num_key_value_heads":8,"intermediate_size":14336,"vocab_size":128256,
        "torch_dtype":"bfloat16"})";

std::string json_of(const std::string& line) {
  const Outcome r = command(line + " --json");
  EXPECT_LE(r.code, 1) << line << "\n" << r.err;
  EXPECT_TRUE(valid_json(r.out)) << line;
  return r.out;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Cache of a token: 2 x layers x KV heads x head size x 2 bytes.
TEST(WhatIf, a_key_is_set_before_the_config_is_read) {
  const Folder folder;
  const std::string file = folder.file("m/config.json", kLlama);
  for (const std::string& model : {file, folder.path("m"), std::string("Llama-3.1-8B")}) {
    const std::string before = json_of("model " + model);
    const std::string after = json_of("model " + model + " --set num_key_value_heads=4");
    EXPECT_EQ(number_at(before, "/results/kv_bytes_per_token"), 2 * 32 * 8 * 128 * 2);
    EXPECT_EQ(number_at(after, "/results/kv_bytes_per_token"), 2 * 32 * 4 * 128 * 2) << model;
    EXPECT_EQ(text_at(after, "/results/changes/0"), "num_key_value_heads=4");
  }
}

TEST(WhatIf, every_verb_sees_it_and_says_so) {
  const std::string what = " --set num_hidden_layers=16 --set num_key_value_heads=4 ";
  for (const std::string& line :
       {"model Llama-3.1-8B" + what, "Llama-3.1-8B --on h100-sxm --no-chart" + what,
        "Llama-3.1-8B --on h100-sxm --explain" + what,
        "Llama-3.1-8B --on h100-sxm --on a100-sxm-80" + what}) {
    const Outcome r = command(line);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(has(r.out, "with num_hidden_layers=16, num_key_value_heads=4")) << r.out;
  }
  const Outcome r =
      command({"check", "Llama-3.1-8B", "--on", "h100-sxm", "--set", "num_key_value_heads=4",
               "--requantise", "q4_k", "--claim", "100 tok/s decode"});
  EXPECT_TRUE(has(r.out, "with num_key_value_heads=4, weights Q4_K")) << r.out << r.err;
  const std::string json = json_of("Llama-3.1-8B --on h100-sxm" + what);
  EXPECT_EQ(text_at(json, "/inputs/model/changes/1"), "num_key_value_heads=4");
}

TEST(WhatIf, an_unknown_key_names_the_nearest) {
  const Outcome r = command("Llama-3.1-8B --on h100-sxm --set num_key_value_head=4");
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "num_key_value_heads")) << r.err;
  for (const char* wrong : {"num_key_value_heads", "=4", "num_key_value_heads=", "hidden_size=many",
                            "hidden_size=-1", "num_hidden_layers=1e300"}) {
    const Outcome e = command({"Llama-3.1-8B", "--on", "h100-sxm", "--set", wrong});
    EXPECT_EQ(e.code, 2) << wrong;
    EXPECT_FALSE(e.err.empty());
  }
}

TEST(WhatIf, requantise_is_another_name_of_weights) {
  const std::string model = "Qwen3-30B-A3B --on h100-sxm ";
  EXPECT_EQ(json_of(model + "--requantise q4_k"), json_of(model + "--weights q4_k"));
  const std::string facts = json_of("model Qwen3-30B-A3B --requantize q4_k");
  EXPECT_EQ(text_at(facts, "/results/changes/0"), "weights Q4_K");
  EXPECT_LT(number_at(facts, "/results/bits_per_weight"), 5);
}

TEST(WhatIf, an_assumed_family_is_told_with_every_figure) {
  const Folder folder;
  std::string text = kLlama;
  text.replace(text.find("\"llama\""), 7, "\"madeup9\"");
  const std::string file = folder.file("config.json", text);
  EXPECT_EQ(command(file + " --on h100-sxm").code, 2);
  EXPECT_EQ(command(file + " --on h100-sxm --assume gpt").code, 2);

  const Outcome r = command(file + " --on h100-sxm --assume llama-like");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "with llama-like assumed on NVIDIA")) << r.out;
  EXPECT_TRUE(has(r.err, "assumption")) << r.err;
  const std::string json = json_of(file + " --on h100-sxm --assume llama-like");
  EXPECT_TRUE(has(text_at(json, "/warnings/0"), "assumption")) << json;
  // A family that is known is read as what it is.
  EXPECT_EQ(json_of("Llama-3.1-8B --on h100-sxm --assume llama-like"),
            json_of("Llama-3.1-8B --on h100-sxm"));
}

TEST(Compare, models_and_devices_make_one_table) {
  const std::string json =
      json_of("Qwen/Qwen3-8B --compare Llama-3.1-8B --on h100-nvl --on a100-sxm-80 --batch 8");
  EXPECT_EQ(text_at(json, "/results/scenarios/0/inputs/model/name"), "Qwen/Qwen3-8B");
  EXPECT_EQ(text_at(json, "/results/scenarios/1/inputs/system/id"), "a100-sxm-80");
  EXPECT_EQ(text_at(json, "/results/scenarios/3/inputs/model/name"), "meta-llama/Llama-3.1-8B");
  EXPECT_TRUE(std::isnan(number_at(json, "/results/scenarios/4/inputs/workload/batch")));
  // Each as it is alone.
  const std::string alone = json_of("Llama-3.1-8B --on a100-sxm-80 --batch 8");
  EXPECT_EQ(number_at(json, "/results/scenarios/3/results/phases/decode/roof_tokens_per_s"),
            number_at(alone, "/results/phases/decode/roof_tokens_per_s"));
  const Outcome r = command("Qwen3-8B --compare Llama-3.1-8B --on h100-nvl --width 120");
  EXPECT_TRUE(has(r.out, "Qwen3-8B, Llama-3.1-8B on NVIDIA H100 NVL")) << r.out;
  EXPECT_EQ(command("check Qwen3-8B --compare Llama-3.1-8B --on h100-nvl --claim '9 tok/s'").code,
            2);
}

TEST(Compare, the_chart_names_what_differs) {
  const Folder folder;
  const std::string svg = folder.path("chart.svg");
  const auto chart = [&](const std::string& line) {
    EXPECT_EQ(command(line + " --plot " + svg).code, 0);
    return content_of(svg);
  };
  std::string text = chart("Qwen/Qwen3-8B --compare Qwen3-30B-A3B --on h100-nvl --batch 8");
  EXPECT_TRUE(has(text, ">Qwen3-8B decode<"));
  EXPECT_TRUE(has(text, ">Qwen3-30B-A3B decode<"));
  text = chart("Qwen/Qwen3-8B --on h100-nvl --on a100-sxm-80 --on rtx-4090 --batch 8");
  for (const char* device : {"H100 NVL", "A100-SXM4-80GB", "GeForce RTX 4090"}) {
    EXPECT_TRUE(has(text, std::string(device) + " BF16")) << device;
    EXPECT_TRUE(has(text, std::string(device) + " decode, batch 1 to")) << device;
  }
  EXPECT_FALSE(has(text, "H100 NVL FP8"));  // no scenario computes in FP8
  text = chart("Qwen/Qwen3-8B --on h100-nvl --batch 1-256*2");
  EXPECT_TRUE(has(text, ">batch 64 decode<"));
  EXPECT_TRUE(has(text, "batch 1 to 256"));
  // What does not fit is named, not drawn.
  text = chart("Llama-3.3-70B-Instruct --compare Qwen3-8B --on rtx-4090");
  EXPECT_TRUE(has(text, "does not fit: Llama-3.3-70B"));
}

TEST(ModelVerb, the_parts_sum_to_the_whole) {
  for (const char* name : {"Llama-3.1-8B", "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3.6-27B-FP8"}) {
    const std::string json = json_of(std::string("model ") + name);
    double parameters = 0, bytes = 0, layers = 0, cache = 0;
    for (int i = 0;; ++i) {
      const std::string at = "/results/composition/" + std::to_string(i);
      if (std::isnan(number_at(json, at + "/bytes"))) break;
      parameters += number_at(json, at + "/parameters");
      bytes += number_at(json, at + "/bytes");
    }
    for (int i = 0;; ++i) {
      const std::string at = "/results/layer_kinds/" + std::to_string(i);
      const double count = number_at(json, at + "/count");
      if (std::isnan(count)) break;
      layers += count;
      cache += count * number_at(json, at + "/kv_bytes_per_token");
    }
    EXPECT_NEAR(parameters / number_at(json, "/results/parameters"), 1, 1e-12) << name;
    EXPECT_NEAR(bytes / number_at(json, "/results/weight_bytes"), 1, 1e-12) << name;
    EXPECT_EQ(layers, number_at(json, "/results/layers")) << name;
    EXPECT_EQ(cache, number_at(json, "/results/kv_bytes_per_token")) << name;
  }
}

TEST(ModelVerb, every_fact_has_an_origin) {
  const Folder folder;
  const std::string json =
      json_of("model " + folder.file("config.json", kLlama) + " --set num_key_value_heads=4");
  bool from_file = false, was_set = false, was_derived = false;
  for (int i = 0;; ++i) {
    const std::string at = "/results/facts/" + std::to_string(i);
    const std::string origin = text_at(json, at + "/origin");
    if (origin == "null") break;
    EXPECT_NE(origin, "") << at;
    from_file = from_file || origin == "file";
    was_set = was_set || origin == "set";
    was_derived = was_derived || has(origin, "derived");
  }
  EXPECT_TRUE(from_file && was_set && was_derived);
}

}  // namespace
}  // namespace rooflens::cli
