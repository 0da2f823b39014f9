// What the user adds to a config: keys set before it is read, and the assumption that it is a
// llama. And the authors' own files.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "readers/hf_testing.h"
#include "rooflens/core/parameters.h"
#include "rooflens/readers/builtin_models.h"
#include "rooflens/readers/hf_config.h"

namespace rooflens {
namespace {

using std::string;
using test::warns;

const string kLlama = R"({"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
  "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
  "vocab_size": 128256})";

Result<Model> read(const string& text, const HfOptions& options = {}) {
  return read_hf_config(text, "config.json", {}, options);
}

double kv(const Model& m) { return kv_bytes_per_token(m, Deployment{}); }

TEST(HfSet, KeysAreSetBeforeReading) {
  const Result<Model> plain = read(kLlama);
  const Result<Model> less = read(kLlama, {.set = {"num_key_value_heads=4"}});
  ASSERT_TRUE(plain && less);
  EXPECT_EQ(kv(*plain), 131072);  // 32 layers x 2 x 8 heads x 128 x 2 bytes
  EXPECT_EQ(kv(*less), 65536);
  const bool told = std::any_of(less->facts.begin(), less->facts.end(), [](const Fact& f) {
    return f.key == "num_key_value_heads" && f.value == "4" && f.origin == "set";
  });
  EXPECT_TRUE(told);
}

TEST(HfSet, AMissingKeyThatIsKnownMayBeAdded) {
  const Result<Model> m = read(kLlama, {.set = {"head_dim=256", "tie_word_embeddings=true"}});
  ASSERT_TRUE(m);
  EXPECT_TRUE(m->tied);
  EXPECT_EQ(kv(*m), 262144);
}

// gpt-oss has one number under two names: what the user sets goes before the other.
TEST(HfSet, ASetKeyGoesBeforeItsOtherNames) {
  const string oss = R"({"model_type": "gpt_oss", "hidden_size": 64, "num_hidden_layers": 2,
    "num_attention_heads": 2, "num_key_value_heads": 2, "intermediate_size": 32,
    "num_local_experts": 8, "num_experts_per_tok": 4, "experts_per_token": 4,
    "vocab_size": 100})";
  for (const char* key : {"num_experts_per_tok=2", "experts_per_token=2"}) {
    const Result<Model> m = read(oss, {.set = {key}});
    ASSERT_TRUE(m) << m.error().message;
    EXPECT_EQ(std::get<MixtureOfExperts>(m->layers[0].ffn).active, 2) << key;
  }
}

TEST(HfSet, NestedTextIsReached) {
  const string wrapped = R"({"model_type": "llava", "text_config": )" + kLlama + "}";
  const Result<Model> m = read(wrapped, {.set = {"num_key_value_heads=2"}});
  ASSERT_TRUE(m);
  EXPECT_EQ(kv(*m), 32768);
}

TEST(HfSet, MembersOfAnObjectAreReached) {
  const string quantised =
      kLlama.substr(0, kLlama.size() - 1) +
      R"(, "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}})";
  const Result<Model> m =
      read(quantised, {.set = {"quantization_config.weight_block_size=[64,64]"}});
  EXPECT_TRUE(m || m.error().code == ErrorCode::unsupported);
  EXPECT_FALSE(read(quantised, {.set = {"quantization_config.quant_method=nonsense"}}));
}

TEST(HfSet, UnknownKeysNameTheNearest) {
  const Result<Model> m = read(kLlama, {.set = {"num_key_value_head=4"}});
  ASSERT_FALSE(m);
  EXPECT_EQ(m.error().code, ErrorCode::invalid);
  EXPECT_EQ(m.error().hint, "nearest: num_key_value_heads");
  for (const char* bad : {"", "=", "hidden_size", "hidden_size=", "=4"}) {
    const Result<Model> r = read(kLlama, {.set = {bad}});
    ASSERT_FALSE(r) << bad;
    EXPECT_EQ(r.error().code, ErrorCode::malformed);
  }
}

TEST(HfSet, ValuesThatCannotBeAreErrors) {
  for (const char* bad : {"hidden_size=0", "num_key_value_heads=5", "hidden_size=wide",
                          "num_hidden_layers=[1,2]", "vocab_size={}"}) {
    EXPECT_FALSE(read(kLlama, {.set = {bad}})) << bad;
  }
}

TEST(HfSet, BuiltInModelsTakeThem) {
  const Result<Model> plain = builtin_model("Llama-3.1-8B");
  const Result<Model> m = builtin_model("Llama-3.1-8B", {.set = {"num_hidden_layers=16"}});
  ASSERT_TRUE(plain && m);
  EXPECT_EQ(kv(*m) * 2, kv(*plain));
}

TEST(HfAssume, AnUnknownFamilyIsRefusedOrAssumed) {
  string text = kLlama;
  text.replace(text.find("llama"), 5, "brand_new");
  EXPECT_FALSE(read(text));
  const Result<Model> m = read(text, {.assume_llama_like = true});
  ASSERT_TRUE(m);
  EXPECT_TRUE(warns(*m, "every figure rests on an assumption: brand_new is read as llama-like"));
  EXPECT_EQ(count_parameters(*m).total, 8030261248);  // Llama 3.1 8B, published
}

TEST(HfAssume, KeysThatWouldChangeTheArithmeticAreNamed) {
  string text = kLlama;
  text.replace(text.find("llama"), 5, "brand_new");
  text.insert(text.size() - 1, R"(, "hc_mult": 4)");
  const Result<Model> m = read(text, {.assume_llama_like = true});
  ASSERT_TRUE(m);
  EXPECT_TRUE(warns(*m, "hc_mult = 4"));
}

TEST(HfAssume, NothingElseChanges) {
  const Result<Model> m = read(kLlama, {.assume_llama_like = true});
  ASSERT_TRUE(m);
  EXPECT_TRUE(m->warnings.empty());
  const char* refused[] = {
      R"({"model_type": "bert", "hidden_size": 64})",
      R"({"model_type": "llama", "architectures": ["LlamaForCausalLMEagle3"]})",
      R"({"model_type": "x", "hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 1,
          "intermediate_size": 64, "vocab_size": 64, "num_experts": 8})",
      R"({"metadata": {}, "weight_map": {}})",
  };
  for (const char* text : refused) EXPECT_FALSE(read(text, {.assume_llama_like = true})) << text;
}

// Llama 3 8B as Meta writes it: floor(1.3 x floor(8 x 4096 / 3)) rounded up to 1024 = 14336.
TEST(HfNative, MetaParams) {
  const Result<Model> m = read(R"({"dim": 4096, "n_layers": 32, "n_heads": 32, "n_kv_heads": 8,
    "vocab_size": 128256, "multiple_of": 1024, "ffn_dim_multiplier": 1.3, "norm_eps": 1e-05,
    "rope_theta": 500000.0})");
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(count_parameters(*m).total, 8030261248);
  EXPECT_TRUE(warns(*m, "14336"));
}

// Llama 2 7B: vocab_size -1, no n_kv_heads; 6,738,415,616 is the published count.
TEST(HfNative, MetaParamsWithoutVocabulary) {
  const Result<Model> m = read(R"({"dim": 4096, "multiple_of": 256, "n_heads": 32,
    "n_layers": 32, "norm_eps": 1e-05, "vocab_size": -1})");
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(count_parameters(*m).total, 6738415616);
  EXPECT_TRUE(warns(*m, "32000"));
}

// Mistral 7B (7,241,732,096) and Mixtral 8x7B (46,702,792,704), published.
TEST(HfNative, MistralParams) {
  const Result<Model> m = read(R"({"dim": 4096, "n_layers": 32, "head_dim": 128,
    "hidden_dim": 14336, "n_heads": 32, "n_kv_heads": 8, "norm_eps": 1e-05,
    "sliding_window": 4096, "vocab_size": 32000})");
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(count_parameters(*m).total, 7241732096);
  EXPECT_EQ(cache_layers(*m).window, 4096);
  const Result<Model> moe = read(R"({"dim": 4096, "n_layers": 32, "head_dim": 128,
    "hidden_dim": 14336, "n_heads": 32, "n_kv_heads": 8, "norm_eps": 1e-05, "vocab_size": 32000,
    "moe": {"num_experts": 8, "num_experts_per_tok": 2}})");
  ASSERT_TRUE(moe) << moe.error().message;
  EXPECT_EQ(count_parameters(*moe).total, 46702792704);
}

// gpt-oss-20b's original config: the experts are MXFP4 although the file does not say so.
TEST(HfNative, GptOssOriginal) {
  const Result<Model> m = read(R"({"num_hidden_layers": 24, "num_experts": 32,
    "experts_per_token": 4, "vocab_size": 201088, "hidden_size": 2880, "intermediate_size": 2880,
    "swiglu_limit": 7.0, "head_dim": 64, "num_attention_heads": 64, "num_key_value_heads": 8,
    "sliding_window": 128, "initial_context_length": 4096})");
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(count_parameters(*m).total, 20914757184);
  EXPECT_EQ(weight_bytes(*m, Deployment{}), 13761264768);  // the hub's index, to the byte
}

}  // namespace
}  // namespace rooflens
