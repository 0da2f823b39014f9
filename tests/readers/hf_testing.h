// A config.json of a test read, and small ones written.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "rooflens/readers/hf_config.h"

namespace rooflens::test {

inline Model read(const std::string& text, const HfSideFiles& side = {}) {
  Result<Model> model = read_hf_config(text, "config.json", side);
  EXPECT_TRUE(model.has_value()) << (model ? "" : model.error().message) << "\n" << text;
  return model ? std::move(*model) : Model{};
}

inline Error error_of(const std::string& text) {
  const Result<Model> model = read_hf_config(text, "config.json");
  EXPECT_FALSE(model.has_value()) << text;
  return model ? Error{} : model.error();
}

inline bool warns(const Model& m, const std::string& part) {
  for (const std::string& w : m.warnings) {
    if (w.find(part) != std::string::npos) return true;
  }
  return false;
}

inline const Fact* fact(const Model& m, const std::string& what) {
  for (const Fact& f : m.facts) {
    if (f.what == what) return &f;
  }
  return nullptr;
}

// H = 64, 4 heads of 16, 2 key/value heads, F = 128, V = 1000; `more` keys at the end.
inline std::string config(const std::string& type, const std::string& more, int layers = 4) {
  return R"({"model_type": ")" + type + R"(", "hidden_size": 64, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 128, "vocab_size": 1000,
    "num_hidden_layers": )" +
         std::to_string(layers) + (more.empty() ? "" : ", " + more) + "}";
}

// Latent attention and experts, as deepseek_v3 has them.
inline constexpr const char* kLatent =
    R"("q_lora_rank": 24, "kv_lora_rank": 32, "qk_nope_head_dim": 8,
  "qk_rope_head_dim": 4, "v_head_dim": 8, "n_routed_experts": 8, "num_experts_per_tok": 2,
  "moe_intermediate_size": 16, "n_shared_experts": 2, "first_k_dense_replace": 1)";

// Linear attention, as qwen3_5 has it.
inline constexpr const char* kLinear = R"("linear_num_key_heads": 2, "linear_num_value_heads": 4,
  "linear_key_head_dim": 8, "linear_value_head_dim": 8, "linear_conv_kernel_dim": 4)";

}  // namespace rooflens::test
