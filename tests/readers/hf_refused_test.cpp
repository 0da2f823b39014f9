// Bad configurations: lists that do not fit, names that disagree, what is not modelled, an index
// that says otherwise, damage.
#include <gtest/gtest.h>

#include <string>

#include "readers/hf_testing.h"
#include "rooflens/core/parameters.h"
#include "rooflens/readers/hf_config.h"

namespace rooflens {
namespace {

using std::string;
using namespace test;  // NOLINT(google-build-using-namespace)

// Every list over the layers is checked for its length and each entry's type; the error names the
// key and the entry.
TEST(HfRefused, ListsOverLayersAreChecked) {
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
TEST(HfRefused, ThePaddedVocabularyCounts) {
  EXPECT_EQ(read(config("llama", R"("padded_vocab_size": 1024)")).vocabulary, 1024);
}

// A key under two of its names must say one thing.
TEST(HfRefused, TwoNamesOfOneKeyMustAgree) {
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

TEST(HfRefused, MambaSizesOfItsOwnBlockAreChecked) {
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

struct Refused {
  const char* type;
  const char* more;
  ErrorCode code;
  const char* where;    // end of Error::where
  const char* message;  // part of Error::message
};

TEST(HfRefused, RefusesByNameWhatIsNotModelled) {
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

TEST(HfRefused, UnknownFamilyListsWhatIsRead) {
  const Error error = error_of(config("quux", ""));
  EXPECT_NE(error.hint.find("deepseek_v3"), string::npos);
  EXPECT_NE(error.hint.find("qwen3_5_moe_text"), string::npos);
}

TEST(HfRefused, OtherFilesAreNamed) {
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

TEST(HfRefused, EveryBadSizeNamesItsKey) {
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

TEST(HfRefused, HeadSizeMustBeGivenOrDivide) {
  const Error error = error_of(R"({"model_type": "llama", "hidden_size": 65,
    "num_attention_heads": 4, "intermediate_size": 8, "vocab_size": 10, "num_hidden_layers": 1})");
  EXPECT_EQ(error.where, "config.json: head_dim");
  EXPECT_EQ(error.code, ErrorCode::invalid);
}

TEST(HfRefused, IndexOfAnotherSizeIsAWarning) {
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

TEST(HfRefused, IndexTellsThatAnExtraIsNotStored) {
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

TEST(HfRefused, EveryCutAndEveryFlippedByteIsReadOrRefused) {
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
