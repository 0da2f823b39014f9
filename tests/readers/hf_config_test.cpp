// Families on small configurations; every expected count is derived beside it.
#include "rooflens/readers/hf_config.h"

#include <gtest/gtest.h>

#include <string>

#include "readers/hf_testing.h"
#include "rooflens/core/parameters.h"

namespace rooflens {
namespace {

using std::string;
using namespace test;  // NOLINT(google-build-using-namespace)

// Common sizes: H = 64, 4 heads of 16, 2 key/value heads, F = 128, V = 1000.
constexpr double H = 64, F = 128, V = 1000;
constexpr double kAttention = H * 64 + 2 * H * 32 + 64 * H;  // q, k and v, o
constexpr double kMlp = 3 * H * F;

TEST(HfConfig, LlamaIsPlain) {
  const Model m =
      read(config("llama", R"("max_position_embeddings": 4096, "torch_dtype": "float16")"));
  // four layers of attention, gated MLP and two norms; embedding, head, final norm
  const double layers = 4 * (kAttention + kMlp + 2 * H);
  EXPECT_EQ(count_parameters(m).total, layers + 2 * V * H + H);
  EXPECT_EQ(count_parameters(m).active, layers + V * H + H);
  EXPECT_EQ(kv_bytes_per_token(m, {}), 4 * 2 * 2 * 16 * 2);  // layers x (k, v) x heads x size x 2 B
  EXPECT_EQ(m.layers.size(), 1u);
  EXPECT_EQ(m.layers[0].count, 4);
  EXPECT_EQ(m.order.size(), 4u);
  EXPECT_EQ(m.max_context, 4096);
  EXPECT_EQ(m.embedding.storage, plain(Element::fp16));
  EXPECT_TRUE(m.warnings.empty());
}

TEST(HfConfig, EveryValueHasItsOrigin) {
  const Model m = read(R"({"model_type": "qwen3", "hidden_size": 64, "num_attention_heads": 4,
    "intermediate_size": 128, "vocab_size": 1000, "num_hidden_layers": 2})");
  ASSERT_NE(fact(m, "hidden size"), nullptr);
  EXPECT_EQ(fact(m, "hidden size")->key, "hidden_size");
  EXPECT_EQ(fact(m, "hidden size")->value, "64");
  EXPECT_EQ(fact(m, "hidden size")->origin, "file");
  EXPECT_EQ(fact(m, "head size")->origin, "default for qwen3");
  EXPECT_EQ(fact(m, "head size")->value, "128");
  EXPECT_EQ(fact(m, "key/value heads")->origin, "derived: as many as query heads");
  EXPECT_EQ(fact(m, "stored type")->value, "bfloat16");
  EXPECT_EQ(fact(m, "stored type")->origin, "default");
}

TEST(HfConfig, NullMeansDefault) {
  const Model m = read(R"({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4,
    "num_key_value_heads": null, "head_dim": null, "intermediate_size": 128, "vocab_size": 1000,
    "num_hidden_layers": 1, "torch_dtype": null})");
  const auto& a = std::get<Attention>(m.layers[0].mixer);
  EXPECT_EQ(a.kv_heads, 4);
  EXPECT_EQ(a.key_dim, 16);
}

TEST(HfConfig, TiedHeadIsCountedOnceAndRead) {
  const Model m = read(config("llama", R"("tie_word_embeddings": true)"));
  const double layers = 4 * (kAttention + kMlp + 2 * H);
  EXPECT_EQ(count_parameters(m).total, layers + V * H + H);
  EXPECT_EQ(count_parameters(m).active, layers + V * H + H);
}

TEST(HfConfig, BiasesFollowTheFamily) {
  EXPECT_TRUE(std::get<Attention>(read(config("qwen2", "")).layers[0].mixer).qkv_bias);
  EXPECT_FALSE(std::get<Attention>(read(config("qwen2", "")).layers[0].mixer).out_bias);
  const Model llama = read(config("llama", R"("attention_bias": true)"));
  EXPECT_TRUE(std::get<Attention>(llama.layers[0].mixer).out_bias);
  EXPECT_FALSE(std::get<Attention>(read(config("qwen3", "")).layers[0].mixer).qkv_bias);
}

TEST(HfConfig, WindowsFollowTheFamily) {
  const auto windowed = [](const Model& m) {
    string kinds;
    for (std::uint16_t l : m.order) {
      kinds += std::get<Attention>(m.layers[l].mixer).window > 0 ? 'w' : 'f';
    }
    return kinds;
  };
  EXPECT_EQ(windowed(read(config("mistral", R"("sliding_window": 32)"))), "wwww");
  EXPECT_EQ(windowed(read(config("mistral", R"("sliding_window": null)"))), "ffff");
  EXPECT_EQ(windowed(read(config("qwen2", R"("sliding_window": 32, "use_sliding_window": false)"))),
            "ffff");
  EXPECT_EQ(windowed(read(config("qwen2", R"("sliding_window": 32, "use_sliding_window": true,
    "max_window_layers": 3)"))),
            "fffw");
  EXPECT_EQ(windowed(read(config("gemma2", ""))), "wfwf");
  EXPECT_EQ(windowed(read(config("gemma3_text", R"("sliding_window_pattern": 3)", 7))), "wwfwwfw");
  EXPECT_EQ(windowed(read(config("gemma3_text", "", 7))), "wwwwwfw");
  EXPECT_EQ(windowed(read(config("olmo3", R"("sliding_window": 8, "layer_types":
    ["full_attention", "sliding_attention", "sliding_attention", "full_attention"])"))),
            "fwwf");
}

TEST(HfConfig, Gemma3HasFourNormsQkNormAndATiedHead) {
  const Model m = read(config("gemma3_text", ""));
  const double layers = 4 * (kAttention + 2 * 16 + kMlp + 4 * H);
  EXPECT_EQ(count_parameters(m).total, layers + V * H + H);
}

TEST(HfConfig, CohereHasOneNorm) {
  const Model m = read(config("cohere", ""));
  EXPECT_EQ(count_parameters(m).total, 4 * (kAttention + kMlp + H) + V * H + H);
}

TEST(HfConfig, Olmo2NormsTheFullWidth) {
  const Model m = read(config("olmo2", ""));
  EXPECT_EQ(count_parameters(m).total, 4 * (kAttention + 64 + 32 + kMlp + 2 * H) + 2 * V * H + H);
}

TEST(HfConfig, SmolLm3AndLlama4LeaveRopeOutOfEveryFourthLayer) {
  const Model m = read(config("smollm3", ""));
  ASSERT_EQ(m.layers.size(), 2u);
  EXPECT_EQ(m.order, (std::vector<std::uint16_t>{0, 0, 0, 1}));
  EXPECT_EQ(std::get<Attention>(m.layers[1].mixer).rope_fraction, 0);
}

TEST(HfConfig, MixtralUsesIntermediateSize) {
  const Model m = read(config("mixtral", R"("num_local_experts": 8, "num_experts_per_tok": 2)"));
  const double rest = 4 * (kAttention + 8 * H + 2 * H) + H;
  EXPECT_EQ(count_parameters(m).total, rest + 4 * 8 * kMlp + 2 * V * H);
  EXPECT_EQ(count_parameters(m).active, rest + 4 * 2 * kMlp + V * H);
}

TEST(HfConfig, OlmoeMatchesItsPublishedSize) {
  // OLMoE-1B-7B: 16 layers, 16 heads of 128, 64 experts of 1024, V 50,304; norms of q and k over
  // the full width. 16 x (4 x 2048^2 + 64 x 3 x 2048 x 1024 + 64 x 2048 + 4 x 2048) + 2 x 50304 x
  // 2048
  // + 2048 = 6,919,161,856: "6.92B".
  const Model m = read(R"({"model_type": "olmoe", "hidden_size": 2048, "num_attention_heads": 16,
    "num_key_value_heads": 16, "intermediate_size": 1024, "num_experts": 64,
    "num_experts_per_tok": 8, "num_hidden_layers": 16, "vocab_size": 50304})");
  EXPECT_EQ(count_parameters(m).total, 6919161856.0);
}

TEST(HfConfig, QwenMoeMixesDenseAndSharedLayers) {
  const Model m = read(config("qwen2_moe", R"("num_experts": 8, "num_experts_per_tok": 2,
    "moe_intermediate_size": 32, "shared_expert_intermediate_size": 48, "mlp_only_layers": [0],
    "decoder_sparse_step": 1)"));
  EXPECT_EQ(m.order, (std::vector<std::uint16_t>{0, 1, 1, 1}));
  const double attention = kAttention + 64 + 2 * 32;           // biases of q, k, v
  const double moe = 8 * H + 8 * 3 * H * 32 + 3 * H * 48 + H;  // router, experts, shared, its gate
  EXPECT_EQ(count_parameters(m).total, 4 * (attention + 2 * H) + kMlp + 3 * moe + 2 * V * H + H);
}

TEST(HfConfig, GptOssHasSinksAndBiasesEverywhere) {
  const Model m = read(config("gpt_oss", R"("num_local_experts": 8, "num_experts_per_tok": 2)"));
  const double attention = kAttention + 64 + 2 * 32 + H + 4;  // biases of q, k, v, o; sinks
  const double moe = 8 * H + 8 + 8 * (kMlp + 2 * F + H);      // router and bias; experts and biases
  EXPECT_EQ(count_parameters(m).total, 4 * (attention + moe + 2 * H) + 2 * V * H + H);
  EXPECT_EQ(std::get<Attention>(m.layers[0].mixer).window, 128);
  EXPECT_EQ(m.layers.size(), 2u);
}

// q_a, kv_a, their norms, q_b, kv_b, o
constexpr double kLatentMixer =
    H * 24 + H * (32 + 4) + 24 + 32 + 24 * 4 * 12 + 32 * 4 * 16 + 4 * 8 * H;

TEST(HfConfig, DeepSeekV3CachesTheLatent) {
  const Model m =
      read(config("deepseek_v3", string(kLatent) + R"(, "num_nextn_predict_layers": 1)"));
  const double moe = 8 * H + 8 + 8 * 3 * H * 16 + 3 * H * 32;  // with correction bias and shared
  const double total = 4 * (kLatentMixer + 2 * H) + kMlp + 3 * moe + 2 * V * H + H;
  EXPECT_EQ(count_parameters(m).total, total);
  EXPECT_EQ(kv_bytes_per_token(m, {}), 4 * (32 + 4) * 2);
  ASSERT_EQ(m.extras.size(), 1u);
  // a layer with experts, a projection of two hidden states, three norms
  EXPECT_EQ(m.extras[0].parameters, kLatentMixer + 2 * H + moe + 2 * H * H + 3 * H);
  EXPECT_EQ(m.extras[0].bytes, 2 * m.extras[0].parameters);
}

TEST(HfConfig, DeepSeekV32AddsTheIndex) {
  const string index = R"(, "index_n_heads": 2, "index_head_dim": 8, "index_topk": 16)";
  const Model plain_v3 = read(config("deepseek_v3", kLatent));
  const Model m = read(config("deepseek_v32", kLatent + index));
  // wq_b from the query latent, wk, its norm with bias, weights_proj
  EXPECT_EQ(count_parameters(m).total - count_parameters(plain_v3).total,
            4 * (24 * 16 + H * 8 + 2 * 8 + H * 2));
  EXPECT_EQ(error_of(config("deepseek_v32", kLatent)).where, "config.json: index_topk");
}

TEST(HfConfig, DeepSeekV2WithoutLatentIsPlainAttention) {
  const Model m = read(config("deepseek_v2", R"("kv_lora_rank": null, "use_mla": false,
    "n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 16)"));
  EXPECT_TRUE(std::holds_alternative<Attention>(m.layers[0].mixer));
}

TEST(HfConfig, Qwen35HybridKeepsCacheInEveryFourthLayer) {
  const Model m =
      read(R"({"model_type": "qwen3_5", "tie_word_embeddings": false, "text_config": )" +
           config("qwen3_5_text", kLinear) + "}");
  EXPECT_EQ(m.order, (std::vector<std::uint16_t>{0, 0, 0, 1}));
  EXPECT_EQ(kv_bytes_per_token(m, {}), 2 * 2 * 16 * 2);
  // in_qkvz, in_ba, out, conv over q, k and v, A_log and dt_bias, norm of one head
  const double delta = H * (2 * 16 + 2 * 32) + H * 8 + 32 * H + 4 * (2 * 16 + 32) + 2 * 4 + 8;
  const double full = kAttention + H * 64 + 2 * 16;  // the gate doubles q; norms of q and k
  EXPECT_EQ(count_parameters(m).total, 3 * delta + full + 4 * (kMlp + 2 * H) + 2 * V * H + H);
  // fp32 state of 4 heads and three 16-bit columns of the convolution
  EXPECT_EQ(state_bytes_per_sequence(m, {}), 3 * (4 * 8 * 8 * 4 + 3 * 64 * 2));
}

TEST(HfConfig, KimiLinearNeedsEveryLayerInOneList) {
  const string sizes = R"("q_lora_rank": null, "kv_lora_rank": 32, "qk_nope_head_dim": 8,
    "qk_rope_head_dim": 4, "v_head_dim": 8, "num_experts": 8, "num_experts_per_token": 2,
    "num_shared_experts": 1, "moe_intermediate_size": 16, "linear_attn_config": {"num_heads": 4,
    "head_dim": 8, "short_conv_kernel_size": 4, "full_attn_layers": [4], "kda_layers": )";
  const Model m = read(config("kimi_linear", sizes + "[1, 2, 3]}"));
  EXPECT_EQ(m.order, (std::vector<std::uint16_t>{0, 1, 1, 2}));
  EXPECT_TRUE(std::holds_alternative<KimiDelta>(m.layers[1].mixer));
  EXPECT_TRUE(std::holds_alternative<LatentAttention>(m.layers[2].mixer));
  EXPECT_EQ(kv_bytes_per_token(m, {}), (32 + 4) * 2);
  EXPECT_EQ(error_of(config("kimi_linear", sizes + "[1, 2]}")).code, ErrorCode::invalid);
  EXPECT_EQ(error_of(config("kimi_linear", sizes + "[1, 2, 3, 9]}")).code, ErrorCode::invalid);
}

TEST(HfConfig, Lfm2RoundsItsWidth) {
  // 2/3 of 300 is 200, rounded up to a multiple of 32: 224
  const Model m = read(R"({"model_type": "lfm2", "hidden_size": 64, "num_attention_heads": 4,
    "num_key_value_heads": 2, "block_ff_dim": 300, "block_multiple_of": 32, "vocab_size": 1000,
    "num_hidden_layers": 3, "full_attn_idxs": [1]})");
  EXPECT_EQ(std::get<Dense>(m.layers[0].ffn).width, 224);
  const double conv = H * 3 * H + H * H + 3 * H;
  EXPECT_EQ(count_parameters(m).total,
            2 * conv + kAttention + 2 * 16 + 3 * (3 * H * 224 + 2 * H) + V * H + H);
}

TEST(HfConfig, Mamba2MatchesThePublishedTotal) {
  // mamba2-2.7b, vectors.json params/mamba2-2.7b
  const Model m = read(R"({"model_type": "mamba2", "hidden_size": 2560, "num_hidden_layers": 64,
    "vocab_size": 50288, "state_size": 128, "head_dim": 64, "num_heads": 80, "n_groups": 1,
    "expand": 2, "conv_kernel": 4})");
  EXPECT_EQ(count_parameters(m).total, 2702599680.0);
  EXPECT_EQ(error_of(R"({"model_type": "mamba2", "hidden_size": 2560, "num_hidden_layers": 64,
    "vocab_size": 50288, "num_heads": 3})")
                .where,
            "config.json: num_heads");
}

TEST(HfConfig, Llama4AlternatesChunksAndExperts) {
  const Model m = read(config("llama4_text", R"("num_local_experts": 8, "num_experts_per_tok": 1,
    "interleave_moe_layer_step": 2, "intermediate_size_mlp": 256)"));
  const auto& first = m.layers[m.order[0]];
  EXPECT_EQ(std::get<Dense>(first.ffn).width, 256);
  EXPECT_EQ(std::get<Attention>(first.mixer).chunk, 8192);
  const auto& last = m.layers[m.order[3]];
  EXPECT_EQ(std::get<MixtureOfExperts>(last.ffn).shared_width, 128);
  EXPECT_EQ(std::get<Attention>(last.mixer).chunk, 0);
}

TEST(HfConfig, Gemma4FullLayersHaveTheirOwnHeads) {
  const Model m = read(config("gemma4_text", R"("layer_types": ["sliding_attention",
    "sliding_attention", "sliding_attention", "full_attention"], "sliding_window": 8,
    "attention_k_eq_v": true, "global_head_dim": 32, "num_global_key_value_heads": 1)"));
  const double full = H * 4 * 32 + H * 32 + 4 * 32 * H + 2 * 32;  // q, k only, o, norms
  EXPECT_EQ(count_parameters(m).total,
            3 * (kAttention + 2 * 16) + full + 4 * (kMlp + 4 * H) + 4 + V * H + H);
}

TEST(HfConfig, DeepSeekOwnFilesAreReadByTheirKeys) {
  const Model m = read(R"({"vocab_size": 1000, "dim": 64, "inter_dim": 128, "moe_inter_dim": 16,
    "n_layers": 4, "n_dense_layers": 1, "n_heads": 4, "n_routed_experts": 8,
    "n_shared_experts": 2, "n_activated_experts": 2, "q_lora_rank": 24, "kv_lora_rank": 32,
    "qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 8, "score_func": "sigmoid"})");
  EXPECT_EQ(m.architecture, "deepseek_v3");
  EXPECT_EQ(count_parameters(m).total,
            count_parameters(read(config("deepseek_v3", kLatent))).total);
  EXPECT_TRUE(warns(m, "read as deepseek_v3"));
}

TEST(HfConfig, TextModelIsFoundInsideWrappers) {
  const string text = config("llama", "");
  for (const char* key : {"text_config", "llm_config", "language_config"}) {
    const Model m = read(string(R"({"model_type": "some_vl", "vision_config": {}, ")") + key +
                         "\": " + text + "}");
    EXPECT_EQ(m.hidden, 64);
    EXPECT_TRUE(warns(m, "not counted"));
  }
  // llava-1.5 leaves the sizes to the llama class: 32 layers of 4096
  const Model llava = read(R"({"model_type": "llava", "text_config": {"model_type": "llama",
    "vocab_size": 32064}, "vision_config": {"hidden_size": 1024}})");
  EXPECT_EQ(count_parameters(llava).total, 6738939904.0);  // expected.tsv, llava-1.5-7b-hf
}

TEST(HfConfig, MissingModelTypeFallsBackToTheArchitecture) {
  const Model m = read(R"({"architectures": ["LlamaForCausalLM"], "hidden_size": 64,
    "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 1000,
    "num_hidden_layers": 1})");
  EXPECT_EQ(m.architecture, "llama");
}

}  // namespace
}  // namespace rooflens
