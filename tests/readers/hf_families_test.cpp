// The table of families, and one model of each family that the corpus lacks, against a published
// count or the sum written beside it.
#include "rooflens/readers/hf_families.h"

#include <gtest/gtest.h>

#include <string>

#include "readers/hf_testing.h"
#include "rooflens/core/parameters.h"
#include "rooflens/readers/hf_config.h"

namespace rooflens {
namespace {

using test::read;

double parameters(const std::string& text) { return count_parameters(read(text)).total; }

TEST(HfFamilies, EveryRowIsWhole) {
  EXPECT_GT(families().size(), 90u);
  for (const Family& family : families()) {
    EXPECT_FALSE(family.source.empty()) << family.model_type;
    EXPECT_EQ(find_family(family.model_type), &family) << family.model_type << " is given twice";
    EXPECT_TRUE(refusal_of(family.model_type).empty()) << family.model_type;
  }
  // A row with an unknown word would be missing.
  for (const char* type : {"llama", "mamba2", "jamba", "nemotron-nas", "mpt", "gpt2", "dbrx"}) {
    EXPECT_NE(find_family(type), nullptr) << type;
  }
}

// 49152 x 3072 + 30 x (2 x (3072^2 + 3072) + 2 x (3072 x 256 + 256) + 2 x 3072 x 12288 + 12288 +
// 3072 + 4 x 3072) + 2 x 3072.
TEST(HfFamilies, StarCoder2) {
  EXPECT_EQ(parameters(R"({"model_type": "starcoder2", "hidden_size": 3072,
    "num_hidden_layers": 30, "num_attention_heads": 24, "num_key_value_heads": 2,
    "intermediate_size": 12288, "vocab_size": 49152, "use_bias": true})"),
            3030371328);
}

// The embedding stands for the head too: 65024 x 4544 + 32 x (4544 x 4672 + 4544^2 + 8 x 4544^2 +
// 2 x 4544) + 2 x 4544.
TEST(HfFamilies, FalconOfOneKeyValueHead) {
  const Model m = read(R"({"model_type": "falcon", "hidden_size": 4544, "num_hidden_layers": 32,
    "num_attention_heads": 71, "vocab_size": 65024, "multi_query": true, "parallel_attn": true,
    "new_decoder_architecture": false, "bias": false})");
  EXPECT_EQ(count_parameters(m).total, 6921720704);
  EXPECT_EQ(kv_bytes_per_token(m, Deployment{}), 32 * 2 * 64 * 2);
}

// 8 key/value heads and two norms side by side: 65024 x 8192 + 60 x (8192 x (8192 + 2 x 8 x 64) +
// 8192^2 + 8 x 8192^2 + 4 x 8192) + 2 x 8192; the checkpoints hold the head once more.
TEST(HfFamilies, FalconOfSeveralKeyValueHeads) {
  const double expected =
      65024.0 * 8192 + 60 * (8192.0 * (8192 + 1024) + 9 * 8192.0 * 8192 + 4 * 8192) + 2 * 8192;
  EXPECT_EQ(parameters(R"({"model_type": "falcon", "hidden_size": 8192, "num_hidden_layers": 60,
    "num_attention_heads": 128, "num_kv_heads": 8, "vocab_size": 65024,
    "new_decoder_architecture": true, "multi_query": true, "bias": false})"),
            expected);
  EXPECT_EQ(parameters(R"({"model_type": "RefinedWeb", "hidden_size": 8192, "n_layer": 60,
    "n_head": 128, "n_head_kv": 8, "vocab_size": 65024, "bias": false})"),
            expected);
}

// facebook/opt-125m: 125,239,296, published; positions are 2048 + 2 rows.
TEST(HfFamilies, Opt) {
  EXPECT_EQ(parameters(R"({"model_type": "opt", "hidden_size": 768, "num_hidden_layers": 12,
    "num_attention_heads": 12, "ffn_dim": 3072, "vocab_size": 50272, "word_embed_proj_dim": 768,
    "max_position_embeddings": 2048, "do_layer_norm_before": true})"),
            125239296);
  EXPECT_FALSE(read_hf_config(R"({"model_type": "opt", "hidden_size": 1024,
    "num_hidden_layers": 24, "num_attention_heads": 16, "ffn_dim": 4096, "vocab_size": 50272,
    "word_embed_proj_dim": 512, "max_position_embeddings": 2048, "do_layer_norm_before": false})",
                              "opt-350m"));
}

// bigscience/bloom-560m: 559,214,592, published.
TEST(HfFamilies, Bloom) {
  EXPECT_EQ(parameters(R"({"model_type": "bloom", "n_embed": 1024, "n_layer": 24,
    "num_attention_heads": 16, "vocab_size": 250880})"),
            559214592);
}

// databricks/dbrx-base: 131,596,523,520, published. All of it is a row of renamed keys.
TEST(HfFamilies, Dbrx) {
  const Model m = read(R"({"model_type": "dbrx", "d_model": 6144, "n_heads": 48, "n_layers": 40,
    "vocab_size": 100352, "attn_config": {"kv_n_heads": 8, "clip_qkv": 8},
    "ffn_config": {"ffn_hidden_size": 10752, "moe_num_experts": 16, "moe_top_k": 4}})");
  EXPECT_EQ(count_parameters(m).total, 131596523520);
}

// MiniMaxAI/MiniMax-M2: 228,703,644,928 elements with 13,880,064 scales of 128 x 128 tiles:
// 62 x (256 x 3 x 24 x 12 + 2 x 48 x 24 + 2 x 8 x 24).
TEST(HfFamilies, MiniMaxM2) {
  EXPECT_EQ(parameters(R"({"model_type": "minimax_m2", "hidden_size": 3072,
    "num_hidden_layers": 62, "num_attention_heads": 48, "num_key_value_heads": 8,
    "head_dim": 128, "rotary_dim": 64, "intermediate_size": 1536, "num_local_experts": 256,
    "num_experts_per_tok": 8, "use_qk_norm": true, "use_routing_bias": true,
    "vocab_size": 200064})"),
            228703644928 - 13880064);
}

// baidu/ERNIE-4.5-0.3B (360,748,032) and -21B-A3B (21,825,437,888), published.
TEST(HfFamilies, Ernie) {
  EXPECT_EQ(parameters(R"({"model_type": "ernie4_5", "hidden_size": 1024, "num_hidden_layers": 18,
    "num_attention_heads": 16, "num_key_value_heads": 2, "head_dim": 128, "use_bias": false,
    "intermediate_size": 3072, "vocab_size": 103424})"),
            360748032);
  EXPECT_EQ(parameters(R"({"model_type": "ernie4_5_moe", "hidden_size": 2560,
    "num_hidden_layers": 28, "num_attention_heads": 20, "num_key_value_heads": 4,
    "intermediate_size": 12288, "moe_intermediate_size": 1536, "moe_num_experts": 64, "moe_k": 6,
    "moe_num_shared_experts": 2, "moe_layer_start_index": 1, "moe_layer_end_index": 27,
    "moe_layer_interval": 1, "use_bias": false, "vocab_size": 103424})"),
            21825437888);
}

// ai21labs/Jamba-v0.1: 51,570,323,328, published; four layers of 32 keep a cache.
TEST(HfFamilies, Jamba) {
  const Model m = read(R"({"model_type": "jamba", "hidden_size": 4096, "num_hidden_layers": 32,
    "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
    "num_experts": 16, "num_experts_per_tok": 2, "attn_layer_period": 8, "attn_layer_offset": 4,
    "expert_layer_period": 2, "expert_layer_offset": 1, "mamba_d_state": 16, "mamba_d_conv": 4,
    "mamba_expand": 2, "mamba_dt_rank": 256, "vocab_size": 65536})");
  EXPECT_EQ(count_parameters(m).total, 51570323328);
  EXPECT_EQ(cache_layers(m).caching, 4);
  EXPECT_EQ(cache_layers(m).recurrent, 28);
}

// One layer of each kind, added up by hand: hidden 64, inner 128 = 2 heads of 64, state 16.
TEST(HfFamilies, Granite4) {
  const Model m = read(R"({"model_type": "granitemoehybrid", "hidden_size": 64,
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 32, "shared_intermediate_size": 48, "num_local_experts": 4,
    "num_experts_per_tok": 2, "mamba_n_heads": 2, "mamba_d_head": 64, "mamba_d_state": 16,
    "layer_types": ["mamba", "attention"], "vocab_size": 100})");
  const double mamba = 64.0 * (2 * 128 + 2 * 16 + 2) + 128 * 64 + 5 * (128 + 32) + 3 * 2 + 128;
  const double attention = 64.0 * (64 + 2 * 32) + 64 * 64;
  const double block = 4.0 * 64 + 4 * 3 * 64 * 32 + 3 * 64 * 48;
  EXPECT_EQ(count_parameters(m).total, 2 * 100 * 64 + mamba + attention + 2 * block + 4 * 64 + 64);
  EXPECT_EQ(cache_layers(m).caching, 1);
}

// EXAONE 4: three windowed layers, then a full one without RoPE; none when the keys are null.
TEST(HfFamilies, Exaone4) {
  const std::string sizes = R"({"model_type": "exaone4", "hidden_size": 64,
    "num_hidden_layers": 8, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 128, "vocab_size": 100, )";
  const Model m = read(sizes + R"("sliding_window": 4096, "sliding_window_pattern": "LLLG"})");
  EXPECT_EQ(cache_layers(m).capped, 6);
  const Model full = read(sizes + R"("sliding_window": null, "sliding_window_pattern": null})");
  EXPECT_EQ(cache_layers(full).capped, 0);
  EXPECT_FALSE(
      read_hf_config(sizes + R"("sliding_window": 9, "sliding_window_pattern": "LX"})", ""));
}

// MiniMaxAI/MiniMax-M1-80k has the same layers (its row of the corpus is exact). Here, by hand:
// hidden 64, 4 heads of 32, 2 key/value heads, 4 experts of 48.
TEST(HfFamilies, MiniMaxLightning) {
  const std::string sizes = R"("hidden_size": 64, "num_hidden_layers": 3,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32, "rotary_dim": 16,
    "intermediate_size": 48, "num_local_experts": 4, "num_experts_per_tok": 2,
    "shared_intermediate_size": 0, "postnorm": true, "vocab_size": 100, )";
  const double lightning = 64.0 * 3 * 128 + 64 * 128 + 128 * 64 + 128;
  const double softmax = 64.0 * (128 + 2 * 64) + 128 * 64;
  const double block = 4.0 * 3 * 64 * 48 + 4 * 64 + 2 * 64;
  const double total = 2 * lightning + softmax + 3 * block + 2 * 100 * 64 + 64;
  for (const char* head : {R"({"model_type": "minimax_m1", "attn_type_list": [0, 1, 0], )",
                           R"({"model_type": "minimax_text_01", "attn_type_list": [0, 1, 0], )",
                           R"({"model_type": "minimax", "layer_types": ["linear_attention",
                              "full_attention", "linear_attention"], )"}) {
    const Model m = read(head + sizes + R"("tie_word_embeddings": false})");
    EXPECT_EQ(count_parameters(m).total, total);
    EXPECT_EQ(kv_bytes_per_token(m, Deployment{}), 2 * 2 * 32 * 2);
    EXPECT_EQ(state_bytes_per_sequence(m, Deployment{}), 2 * 4 * 32 * 32 * 4);
    EXPECT_EQ(m.order, (std::vector<std::uint16_t>{0, 1, 0}));
    EXPECT_EQ(std::get<Attention>(m.layers[1].mixer).rope_fraction, 0.5);
  }
  const auto refused = [&](const std::string& list) {
    const auto m = read_hf_config(
        R"({"model_type": "minimax_m1", )" + sizes + R"("attn_type_list": )" + list + "}", "");
    EXPECT_FALSE(m) << list;
    return m ? std::string() : m.error().message;
  };
  EXPECT_NE(refused(R"([0, 1, 0], "layer_types": ["full_attention", "full_attention",
                      "linear_attention"])")
                .find("different layers"),
            std::string::npos);
  EXPECT_NE(refused("[0, 1]").find("2 entries"), std::string::npos);
  EXPECT_NE(refused("[0, 1, 2]").find("attn_type_list[2] = 2"), std::string::npos);
  EXPECT_NE(refused("null").find("neither attn_type_list nor layer_types"), std::string::npos);
  // A family of softmax attention may have the list, all of ones.
  const std::string m2 = R"({"model_type": "minimax_m2", )" + sizes;
  EXPECT_GT(parameters(m2 + R"("attn_type_list": [1, 1, 1]})"), 0);
  EXPECT_FALSE(read_hf_config(m2 + R"("attn_type_list": [1, 1, 0]})", ""));
}

// tiiuae/Falcon-H1-0.5B-Base: 521,411,104, as the hub counts its tensors (quoted in public notes of
// the checkpoint); -7B: 7,585,648,736, likewise.
TEST(HfFamilies, FalconH1) {
  const Model m = read(R"({"model_type": "falcon_h1", "hidden_size": 1024,
    "num_hidden_layers": 36, "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 64,
    "intermediate_size": 2048, "mamba_d_ssm": 1536, "mamba_n_heads": 24, "mamba_d_head": 64,
    "mamba_d_state": 128, "mamba_n_groups": 1, "mamba_d_conv": 4, "mamba_conv_bias": true,
    "mamba_proj_bias": false, "mamba_rms_norm": false, "mamba_use_mlp": true,
    "projectors_bias": false, "attn_layer_indices": null, "vocab_size": 32784})");
  EXPECT_EQ(count_parameters(m).total, 521411104);
  EXPECT_EQ(kv_bytes_per_token(m, Deployment{}), 36 * 2 * 2 * 64 * 2);
  EXPECT_EQ(state_bytes_per_sequence(m, Deployment{}),
            36 * (1536 * 128 * 4 + 3 * (1536 + 2 * 128) * 2));
  EXPECT_EQ(m.order.size(), 72u);
  EXPECT_EQ(parameters(R"({"model_type": "falcon_h1", "hidden_size": 3072,
    "num_hidden_layers": 44, "num_attention_heads": 12, "num_key_value_heads": 2, "head_dim": 128,
    "intermediate_size": 12288, "mamba_d_ssm": 3072, "mamba_n_heads": 24, "mamba_d_head": 128,
    "mamba_d_state": 256, "mamba_n_groups": 1, "mamba_rms_norm": true, "vocab_size": 130048})"),
            7585648736);
  EXPECT_FALSE(read_hf_config(R"({"model_type": "falcon_h1", "hidden_size": 1024,
    "num_hidden_layers": 36, "num_attention_heads": 8, "intermediate_size": 2048,
    "mamba_d_ssm": 1536, "mamba_n_heads": 24, "mamba_d_head": 32, "vocab_size": 32784})",
                              ""));
}

// Llama 3.2 Vision in small: layer 1 of 3 attends to an image. meta-llama's 11B and 90B are rows of
// the corpus.
TEST(HfFamilies, CrossAttention) {
  const std::string head = R"({"model_type": "mllama", "text_config": {"model_type":
    "mllama_text_model", "hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 1000,
    "cross_attention_layers": )";
  const Model m = read(head + "[1]}}");
  const double layer = 64.0 * (64 + 2 * 32) + 64 * 64 + 3 * 64 * 128 + 2 * 64;
  // 8 rows beside the vocabulary; two norms of a head and two gates in the cross layer
  EXPECT_EQ(count_parameters(m).total, 3 * layer + 2 * 16 + 2 + 2 * 1000 * 64 + 8 * 64 + 64);
  EXPECT_EQ(kv_bytes_per_token(m, Deployment{}), 2 * 2 * 2 * 16 * 2);
  EXPECT_NE(m.warnings[0].find("no image is taken to be there"), std::string::npos);
  const Result<Model> bad = read_hf_config(head + "[3]}}", "");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find("cross_attention_layers[0] = 3"), std::string::npos);
}

// openbmb/MiniCPM3-4B: latent attention with a dense block; 73448 x 2560 + 62 x (2560 x (768 + 256
// + 32) + 768 x 40 x 96 + 256 x 40 x 128 + 40 x 64 x 2560 + 3 x 2560 x 6400 + 768 + 256 + 2 x
// 2560).
TEST(HfFamilies, MiniCpm3) {
  const Model m = read(R"({"model_type": "minicpm3", "hidden_size": 2560,
    "num_hidden_layers": 62, "num_attention_heads": 40, "num_key_value_heads": 40,
    "intermediate_size": 6400, "q_lora_rank": 768, "kv_lora_rank": 256, "qk_nope_head_dim": 64,
    "qk_rope_head_dim": 32, "vocab_size": 73448})");
  const double layer = 2560.0 * (768 + 256 + 32) + 768.0 * 40 * 96 + 256.0 * 40 * 128 +
                       40.0 * 64 * 2560 + 3.0 * 2560 * 6400 + 768 + 256 + 2 * 2560;
  EXPECT_EQ(count_parameters(m).total, 73448.0 * 2560 + 62 * layer + 2560);
  EXPECT_EQ(kv_bytes_per_token(m, Deployment{}), 62 * (256 + 32) * 2);
}

// Keys a row says must have one value stop the reading when they have another.
TEST(HfFamilies, OtherValuesOfAGuardedKeyAreRefused) {
  const Result<Model> m = read_hf_config(R"({"model_type": "chatglm", "hidden_size": 64,
    "num_layers": 2, "num_attention_heads": 4, "ffn_hidden_size": 128, "padded_vocab_size": 100,
    "rmsnorm": false})",
                                         "config.json");
  ASSERT_FALSE(m);
  EXPECT_EQ(m.error().code, ErrorCode::unsupported);
  EXPECT_EQ(m.error().where, "config.json: rmsnorm");
}

TEST(HfFamilies, AListOfEqualNumbersStandsForTheNumber) {
  const std::string head = R"({"model_type": "hunyuan_v1_moe", "hidden_size": 64,
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "num_experts": 4,
    "num_shared_expert": [1, 1], "intermediate_size": 32, "vocab_size": 100, )";
  EXPECT_GT(parameters(head + R"("moe_topk": [2, 2], "moe_intermediate_size": [32, 32]})"), 0);
  EXPECT_FALSE(
      read_hf_config(head + R"("moe_topk": [2, 1], "moe_intermediate_size": [32, 32]})", ""));
}

TEST(HfFamilies, ExpertsWithoutTheirNumberAreNoDenseModel) {
  const std::string head = R"({"model_type": "hunyuan_v1_moe", "hidden_size": 64,
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 32, "vocab_size": 100, )";
  for (const char* key :
       {R"("moe_topk": [2, 2]})", R"("moe_topk": 2})", R"("moe_intermediate_size": [32, 32]})"}) {
    const auto m = read_hf_config(head + key, "config.json");
    ASSERT_FALSE(m) << key;
    EXPECT_NE(m.error().message.find("the number of experts is missing"), std::string::npos);
  }
}

// Keys of other architectures, put into a plain one: read as the plain one it would be wrong.
TEST(HfFamilies, KeysThatChangeTheArithmeticAreNotPassedOver) {
  const std::string head = R"({"model_type": "qwen3", "hidden_size": 64, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 128,
    "vocab_size": 100, )";
  EXPECT_GT(parameters(head + R"("use_moe": false, "total_ut_steps": null})"), 0);
  for (const char* key :
       {R"("cross_layer_attention": true})", R"("total_ut_steps": 4})", R"("use_moe": true})",
        R"("use_mamba": true})", R"("n_experts": 8})", R"("hyper_connection": 4})",
        R"("differential_attention": true})", R"("ngram_vocab_size": 1000})"}) {
    const auto m = read_hf_config(head + key, "config.json");
    ASSERT_FALSE(m) << key;
    EXPECT_EQ(m.error().code, ErrorCode::unsupported) << key;
  }
}

}  // namespace
}  // namespace rooflens
