// Families and bad input on small configurations; every expected count is derived beside it.
#include "rooflens/readers/hf_config.h"

#include <gtest/gtest.h>

#include <string>

#include "rooflens/core/parameters.h"

namespace rooflens {
namespace {

using std::string;

Model read(const string& text) {
  Result<Model> model = read_hf_config(text, "config.json");
  EXPECT_TRUE(model.has_value()) << (model ? "" : model.error().message) << "\n" << text;
  return model ? std::move(*model) : Model{};
}

Error error_of(const string& text) {
  const Result<Model> model = read_hf_config(text, "config.json");
  EXPECT_FALSE(model.has_value()) << text;
  return model ? Error{} : model.error();
}

bool warns(const Model& m, const string& part) {
  for (const string& w : m.warnings) {
    if (w.find(part) != string::npos) return true;
  }
  return false;
}

const Fact* fact(const Model& m, const string& what) {
  for (const Fact& f : m.facts) {
    if (f.what == what) return &f;
  }
  return nullptr;
}

// Common sizes: H = 64, 4 heads of 16, 2 key/value heads, F = 128, V = 1000.
constexpr double H = 64, F = 128, V = 1000;
constexpr double kAttention = H * 64 + 2 * H * 32 + 64 * H;  // q, k and v, o
constexpr double kMlp = 3 * H * F;

string config(const string& type, const string& more, int layers = 4) {
  return R"({"model_type": ")" + type + R"(", "hidden_size": 64, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 128, "vocab_size": 1000,
    "num_hidden_layers": )" +
         std::to_string(layers) + (more.empty() ? "" : ", " + more) + "}";
}

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

constexpr const char* kLatent = R"("q_lora_rank": 24, "kv_lora_rank": 32, "qk_nope_head_dim": 8,
  "qk_rope_head_dim": 4, "v_head_dim": 8, "n_routed_experts": 8, "num_experts_per_tok": 2,
  "moe_intermediate_size": 16, "n_shared_experts": 2, "first_k_dense_replace": 1)";
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

constexpr const char* kLinear = R"("linear_num_key_heads": 2, "linear_num_value_heads": 4,
  "linear_key_head_dim": 8, "linear_value_head_dim": 8, "linear_conv_kernel_dim": 4)";

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

// ---- lists and names ---------------------------------------------------------------------------

// Every list over the layers is checked for its length and each entry's type; the error names the
// key and the entry.
TEST(HfConfig, ListsOverLayersAreChecked) {
  const string experts = R"("n_routed_experts": 4, "num_experts_per_tok": 2,
    "moe_intermediate_size": 16, "qk_rope_head_dim": 4, "qk_nope_head_dim": 4, "v_head_dim": 8,
    "kv_lora_rank": 8, )";
  const string qwen = R"("num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16,)";
  const string mimo = R"("n_routed_experts": 4, "num_experts_per_tok": 2,
    "moe_intermediate_size": 16, "sliding_window": 9, )";
  const string granite = R"("shared_intermediate_size": 16, "num_local_experts": 0,
    "mamba_n_heads": 2, "mamba_d_state": 4, )";
  struct Case {
    const char* type;
    string more;
    const char* message;
  };
  const Case cases[] = {
      {"smollm3", R"("no_rope_layers": [true])", "1 entries"},
      {"smollm3", R"("no_rope_layers": [1, "1", 1, 0])", "no_rope_layers[1] = \"1\""},
      {"smollm3", R"("no_rope_layers": [1, 1, 1, 2])", "no_rope_layers[3] = 2"},
      {"smollm3", R"("no_rope_layers": 4)", "no_rope_layers"},
      {"llama", R"("layer_types": ["full_attention"])", "1 entries"},
      {"llama", R"("layer_types": ["full_attention", 1, "full_attention", "full_attention"])",
       "layer_types[1]"},
      {"deepseek_v3", experts + R"("moe_layer_freq": [0, 1, 2, 1])", "moe_layer_freq[2] = 2"},
      {"deepseek_v3", experts + R"("moe_layer_freq": [0, 1])", "2 entries"},
      {"deepseek_v3", experts + R"("mlp_layer_types": ["dense", 1, "sparse", "sparse"])",
       "mlp_layer_types[1]"},
      {"qwen3_moe", qwen + R"("mlp_only_layers": 2)", "mlp_only_layers = 2 is no list"},
      {"qwen3_moe", qwen + R"("mlp_only_layers": [0, 1.5])", "mlp_only_layers[1] = 1.5"},
      {"qwen3_moe", qwen + R"("mlp_only_layers": ["0"])", "mlp_only_layers[0] = \"0\""},
      {"mimo_v2_flash", mimo + R"("hybrid_layer_pattern": [0, 1, null, 1])",
       "hybrid_layer_pattern[2] = null"},
      {"bamba", granite + R"("attn_layer_indices": ["1"])", "attn_layer_indices[0] = \"1\""},
      {"lfm2", R"("block_ff_dim": 30, "full_attn_idxs": [4])", "full_attn_idxs[0] = 4"},
      {"lfm2", R"("block_ff_dim": 30, "full_attn_idxs": "0")", "full_attn_idxs = \"0\""},
  };
  for (const Case& c : cases) {
    const Error e = error_of(config(c.type, c.more));
    EXPECT_NE(e.message.find(c.message), string::npos) << c.type << ": " << e.message;
  }
  EXPECT_EQ(
      std::get<Attention>(
          read(config("smollm3", R"("no_rope_layers": [true, true, true, false])")).layers[1].mixer)
          .rope_fraction,
      0);
}

// The padded vocabulary is the table's, whatever stands beside it.
TEST(HfConfig, ThePaddedVocabularyCounts) {
  EXPECT_EQ(read(config("llama", R"("padded_vocab_size": 1024)")).vocabulary, 1024);
}

// A key under two of its names must say one thing.
TEST(HfConfig, TwoNamesOfOneKeyMustAgree) {
  const string oss = R"("num_local_experts": 8, "num_experts_per_tok": 4, "experts_per_token": )";
  EXPECT_EQ(std::get<MixtureOfExperts>(read(config("gpt_oss", oss + "4")).layers[0].ffn).active, 4);
  const Error e = error_of(config("gpt_oss", oss + "2"));
  EXPECT_EQ(e.code, ErrorCode::invalid);
  EXPECT_NE(e.message.find("num_experts_per_tok = 4, but experts_per_token = 2"), string::npos)
      << e.message;
  EXPECT_NE(error_of(config("llama", R"("n_layers": 5)")).message.find("num_hidden_layers = 4"),
            string::npos);
  EXPECT_NE(error_of(config("falcon", R"("n_head_kv": 1, "new_decoder_architecture": true)"))
                .message.find("but n_head_kv = 1"),
            string::npos);
}

TEST(HfConfig, MambaSizesOfItsOwnBlockAreChecked) {
  const auto mamba = [](const string& type, const string& block) {
    return R"({"model_type": ")" + type + R"(", "hidden_size": 64, "num_hidden_layers": 1,
      "vocab_size": 100, "ssm_cfg": )" +
           block + "}";
  };
  EXPECT_EQ(error_of(mamba("mamba", R"({"d_state": 3.7})")).where, "config.json: ssm_cfg.d_state");
  EXPECT_EQ(error_of(mamba("mamba", R"({"layer": "Mamba2"})")).code, ErrorCode::unsupported);
  EXPECT_EQ(error_of(mamba("mamba", R"({"expand": "2"})")).where, "config.json: ssm_cfg.expand");
  EXPECT_EQ(error_of(mamba("mamba", "3")).where, "config.json: ssm_cfg");
  EXPECT_NE(error_of(mamba("mamba", R"({"d_state": 8}, "state_size": 16)")).message.find("but"),
            string::npos);
  const Model m = read(mamba("mamba2", R"({"layer": "Mamba2", "expand": 4, "headdim": 32,
    "ngroups": 2, "d_state": 16, "odd": 1})"));
  EXPECT_EQ(m.layers[0].mixer, Mixer(Mamba2{256, 32, 16, 2, 4}));
  EXPECT_TRUE(warns(m, "ssm_cfg.odd = 1 is not read"));
  EXPECT_TRUE(warns(read(config("qwen3_5_text", R"("mamba_ssm_dtype": "bfloat16",
    "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 8,
    "linear_value_head_dim": 8)")),
                    "mamba_ssm_dtype"));
}

// ---- what is refused
// --------------------------------------------------------------------------------

struct Refused {
  const char* type;
  const char* more;
  ErrorCode code;
  const char* where;    // end of Error::where
  const char* message;  // part of Error::message
};

TEST(HfConfig, RefusesByNameWhatIsNotModelled) {
  const Refused cases[] = {
      {"bert", "", ErrorCode::unsupported, "model_type", "encoder"},
      {"t5", "", ErrorCode::unsupported, "model_type", "encoder-decoder"},
      {"deepseek_v4", "", ErrorCode::unsupported, "model_type", "hyper-connections"},
      {"minimax_m3", "", ErrorCode::unsupported, "model_type", "block-sparse"},
      {"gemma3n", "", ErrorCode::unsupported, "model_type", "AltUp"},
      {"quux", "", ErrorCode::unsupported, "model_type", "\"quux\""},
      {"llama", R"("architectures": ["LlamaForCausalLMEagle3"])", ErrorCode::unsupported,
       "model_type", "draft head"},
      {"qwen3", R"("architectures": ["DFlashDraftModel"])", ErrorCode::unsupported, "model_type",
       "draft head"},
      {"llama", R"("altup_num_inputs": 4)", ErrorCode::unsupported, "altup_num_inputs", "AltUp"},
      {"llama", R"("num_experts": 8)", ErrorCode::unsupported, "num_experts", "dense family"},
      {"llama", R"("kv_lora_rank": 8)", ErrorCode::unsupported, "kv_lora_rank", "latent"},
      {"llama", R"("is_encoder_decoder": true)", ErrorCode::unsupported, "is_encoder_decoder",
       "encoder-decoders"},
      {"gemma4_text", R"("hidden_size_per_layer_input": 256)", ErrorCode::unsupported,
       "hidden_size_per_layer_input", "per-layer embeddings"},
      {"gemma4_text", R"("num_kv_shared_layers": 2)", ErrorCode::unsupported,
       "num_kv_shared_layers", "share"},
      {"llama", R"("layer_types": ["full_attention", "full_attention", "full_attention", "moon"])",
       ErrorCode::unsupported, "layer_types", "\"moon\""},
      {"llama", R"("layer_types": ["linear_attention", "full_attention", "full_attention",
        "full_attention"])",
       ErrorCode::unsupported, "layer_types", "linear_attention"},
      {"llama", R"("torch_dtype": "float4_moon")", ErrorCode::unsupported, "torch_dtype",
       "float4_moon"},
  };
  for (const Refused& c : cases) {
    const Error error = error_of(config(c.type, c.more));
    EXPECT_EQ(error.code, c.code) << c.type << " " << c.more << ": " << error.message;
    EXPECT_EQ(error.where, string("config.json: ") + c.where) << c.type << " " << c.more;
    EXPECT_NE(error.message.find(c.message), string::npos) << error.message;
  }
}

TEST(HfConfig, UnknownFamilyListsWhatIsRead) {
  const Error error = error_of(config("quux", ""));
  EXPECT_NE(error.hint.find("deepseek_v3"), string::npos);
  EXPECT_NE(error.hint.find("qwen3_5_moe_text"), string::npos);
}

TEST(HfConfig, OtherFilesAreNamed) {
  EXPECT_NE(error_of(R"({"metadata": {}, "weight_map": {"a": "b"}})").message.find("index"),
            string::npos);
  EXPECT_NE(error_of(R"({"producer": {}, "quantization": {}})").message.find("side file"),
            string::npos);
  EXPECT_NE(error_of("[1, 2]").message.find("a list"), string::npos);
  EXPECT_NE(error_of("{}").message.find("neither model_type"), string::npos);
  EXPECT_EQ(error_of(R"({"model_type": "ultravox", "text_model_id": "x/y"})").code,
            ErrorCode::unsupported);
}

struct Bad {
  const char* key;
  const char* value;  // replaces the key's value; nullptr removes the key
  ErrorCode code;
  const char* where;
};

TEST(HfConfig, EveryBadSizeNamesItsKey) {
  const Bad cases[] = {
      {"hidden_size", nullptr, ErrorCode::invalid, "hidden_size"},
      {"num_hidden_layers", nullptr, ErrorCode::invalid, "num_hidden_layers"},
      {"num_attention_heads", nullptr, ErrorCode::invalid, "num_attention_heads"},
      {"vocab_size", nullptr, ErrorCode::invalid, "vocab_size"},
      {"intermediate_size", nullptr, ErrorCode::invalid, "intermediate_size"},
      {"hidden_size", "\"64\"", ErrorCode::malformed, "hidden_size"},
      {"hidden_size", "true", ErrorCode::malformed, "hidden_size"},
      {"hidden_size", "[64]", ErrorCode::malformed, "hidden_size"},
      {"hidden_size", "0", ErrorCode::invalid, "hidden_size"},
      {"hidden_size", "-64", ErrorCode::invalid, "hidden_size"},
      {"hidden_size", "64.5", ErrorCode::invalid, "hidden_size"},
      {"hidden_size", "1e30", ErrorCode::invalid, "hidden_size"},
      {"num_hidden_layers", "10001", ErrorCode::invalid, "num_hidden_layers"},
      {"vocab_size", "100000000", ErrorCode::invalid, "vocab_size"},
      {"num_attention_heads", "-3", ErrorCode::invalid, "num_attention_heads"},
      {"num_key_value_heads", "3", ErrorCode::invalid, "num_key_value_heads"},
      {"num_key_value_heads", "0", ErrorCode::invalid, "num_key_value_heads"},
      {"num_local_experts", "65537", ErrorCode::invalid, "num_local_experts"},
      {"num_experts_per_tok", "9", ErrorCode::invalid, "num_experts_per_tok"},
      {"sliding_window", "0", ErrorCode::invalid, "sliding_window"},
      {"sliding_window", "-1", ErrorCode::invalid, "sliding_window"},
      {"layer_types", "[\"full_attention\"]", ErrorCode::invalid, "layer_types"},
      {"layer_types", "7", ErrorCode::malformed, "layer_types"},
      {"partial_rotary_factor", "3", ErrorCode::invalid, "partial_rotary_factor"},
      {"max_position_embeddings", "-1", ErrorCode::invalid, "max_position_embeddings"},
      {"tie_word_embeddings", "\"yes\"", ErrorCode::malformed, "tie_word_embeddings"},
      {"attention_bias", "1", ErrorCode::malformed, "attention_bias"},
  };
  const std::pair<string, string> good[] = {
      {"hidden_size", "64"},        {"num_attention_heads", "4"}, {"num_key_value_heads", "2"},
      {"intermediate_size", "128"}, {"vocab_size", "1000"},       {"num_hidden_layers", "2"},
      {"num_local_experts", "8"},   {"num_experts_per_tok", "2"}};
  for (const Bad& bad : cases) {
    string text = R"({"model_type": "mixtral")";
    bool placed = false;
    for (const auto& [key, value] : good) {
      const bool mine = key == bad.key;
      placed = placed || mine;
      if (mine && bad.value == nullptr) continue;
      text += ", \"" + key + "\": " + (mine ? string(bad.value) : value);
    }
    if (!placed) text += string(", \"") + bad.key + "\": " + bad.value;
    const Error error = error_of(text + "}");
    EXPECT_EQ(error.code, bad.code) << bad.key << " " << error.message;
    EXPECT_EQ(error.where, string("config.json: ") + bad.where) << error.message;
    EXPECT_FALSE(error.message.empty());
  }
}

TEST(HfConfig, HeadSizeMustBeGivenOrDivide) {
  const Error error = error_of(R"({"model_type": "llama", "hidden_size": 65,
    "num_attention_heads": 4, "intermediate_size": 8, "vocab_size": 10, "num_hidden_layers": 1})");
  EXPECT_EQ(error.where, "config.json: head_dim");
  EXPECT_EQ(error.code, ErrorCode::invalid);
}

TEST(HfConfig, IndexOfAnotherSizeIsAWarning) {
  const string text = config("llama", R"("torch_dtype": "bfloat16")");
  const double bytes = weight_bytes(read(text), {});
  const auto with = [&](double total) {
    const string index = R"({"metadata": {"total_size": )" + std::to_string(total) + "}}";
    return *read_hf_config(text, "config.json", {{}, {}, index});
  };
  EXPECT_TRUE(with(bytes).warnings.empty());
  EXPECT_TRUE(warns(with(2 * bytes), "twice as wide"));
  EXPECT_TRUE(warns(with(3 * bytes), "the index says"));
  const Model pointer = *read_hf_config(
      text, "config.json", {{}, {}, "version https://git-lfs.github.com/spec/v1\nsize 12\n"});
  EXPECT_TRUE(warns(pointer, "Git LFS pointer of 12 bytes"));
}

TEST(HfConfig, IndexTellsThatAnExtraIsNotStored) {
  const string text = config("deepseek_v3", string(kLatent) + R"(, "num_nextn_predict_layers": 1)");
  const Model whole = read(text);
  const double bytes = weight_bytes(whole, {});
  const auto with = [&](double total) {
    const string index = R"({"metadata": {"total_size": )" + std::to_string(total) + "}}";
    return *read_hf_config(text, "config.json", {{}, {}, index});
  };
  EXPECT_EQ(with(bytes + whole.extras[0].bytes).extras.size(), 1u);
  EXPECT_TRUE(with(bytes).extras.empty());
  EXPECT_TRUE(warns(with(bytes), "the index does not"));
}

TEST(HfConfig, EveryCutAndEveryFlippedByteIsReadOrRefused) {
  const string text =
      config("qwen3_5_moe_text", string(kLinear) +
                                     R"(, "num_experts": 8, "num_experts_per_tok": 2,
    "moe_intermediate_size": 16, "shared_expert_intermediate_size": 16,
    "mtp_num_hidden_layers": 1, "quantization_config": {"quant_method": "fp8",
    "weight_block_size": [128, 128], "modules_to_not_convert": ["lm_head", "re:.*(a|b)+x?$"]})");
  EXPECT_TRUE(read_hf_config(text, "f").has_value());
  for (std::size_t n = 0; n < text.size(); ++n) {
    EXPECT_FALSE(read_hf_config(text.substr(0, n), "f").has_value());
    for (char c : {'"', '9', '{'}) {
      string flipped = text;
      flipped[n] = c;
      const auto result = read_hf_config(flipped, "f");
      EXPECT_TRUE(result.has_value() || !result.error().message.empty());
    }
  }
}

}  // namespace
}  // namespace rooflens
