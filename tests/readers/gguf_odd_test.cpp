// GGUF files whose weights and keys contradict each other, and what converters write that other
// files do not.
#include <gtest/gtest.h>

#include "readers/gguf_file.h"
#include "rooflens/core/parameters.h"
#include "rooflens/readers/gguf_model.h"

namespace rooflens {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

// ---- what the weights contradict ----------------------------------------------------------------

File tiny(const std::string& arch, std::uint64_t width, std::uint64_t heads = 4) {
  File f(arch);
  f.key("block_count", 2);
  f.key("context_length", 64);
  f.key("embedding_length", 64);
  f.key("feed_forward_length", 128);
  f.key("attention.head_count", 4);
  f.tensor("token_embd.weight", {64, 100}, kF32);
  f.tensor("output.weight", {64, 100}, kF32);
  f.tensor("output_norm.weight", {64}, kF32);
  for (int l = 0; l < 2; ++l) {
    f.tensor(block(l, "attn_norm.weight"), {64}, kF32);
    f.tensor(block(l, "ffn_norm.weight"), {64}, kF32);
    f.tensor(block(l, "attn_q.weight"), {64, 16 * heads}, kF32);
    f.tensor(block(l, "attn_k.weight"), {64, 64}, kF32);
    f.tensor(block(l, "attn_v.weight"), {64, 64}, kF32);
    f.tensor(block(l, "attn_output.weight"), {16 * heads, 64}, kF32);
    f.tensor(block(l, "ffn_gate.weight"), {64, width}, kF32);
    f.tensor(block(l, "ffn_up.weight"), {64, width}, kF32);
    f.tensor(block(l, "ffn_down.weight"), {width, 64}, kF32);
  }
  return f;
}

TEST(GgufModel, TheWeightsDecideAWidth) {
  const File f = tiny("llama", 192);
  const auto m = f.read();
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(std::get<Dense>(m->layers[0].ffn).width, 192);
  ASSERT_FALSE(m->warnings.empty());
  EXPECT_NE(m->warnings[0].find("192 wide, not 128"), std::string::npos) << m->warnings[0];
  EXPECT_DOUBLE_EQ(weight_bytes(*m, Deployment{}), f.bytes);
}

TEST(GgufModel, HeadsThatTheWeightsContradictAreAnError) {
  const auto m = tiny("llama", 128, 6).read();
  ASSERT_FALSE(m);
  EXPECT_NE(
      m.error().message.find("layer 0, attention: the file holds 14336 weights, its keys give "
                             "12288"),
      std::string::npos)
      << m.error().message;
}

TEST(GgufModel, AnUnknownArchitectureIsReadAsItsTensorsAre) {
  const File f = tiny("neverseen", 128);
  const auto m = f.read();
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(count_parameters(*m).total, f.values);
  ASSERT_FALSE(m->warnings.empty());
  EXPECT_NE(m->warnings[0].find("neverseen"), std::string::npos);
}

std::string error_of(const File& f) {
  const auto m = f.read();
  return m ? "" : m.error().message;
}

TEST(GgufModel, AMatrixThatIsNotKnownIsAnError) {
  File f = tiny("llama", 128);
  f.tensor("blk.0.mystery.weight", {64, 64}, kF32);
  EXPECT_EQ(error_of(f), "layer 0, blk.0.mystery.weight: a matrix that is not known");
}

TEST(GgufModel, AMatrixWithoutAPlaceIsAnError) {
  File f = tiny("llama", 128);
  f.tensor("blk.1.ffn_gate_shexp.weight", {64, 64}, kF32);
  EXPECT_EQ(error_of(f),
            "layer 1, blk.1.ffn_gate_shexp.weight: the architecture has no place for it");
}

TEST(GgufModel, BlocksBeyondTheKeysAreNoPredictionBlock) {
  File f = tiny("llama", 128);
  f.tensor("blk.2.attn_q.weight", {64, 64}, kF32);
  EXPECT_EQ(error_of(f),
            "layer 2, blk.2.attn_q.weight: the keys give 2 layers and no prediction block");
}

TEST(GgufModel, UnknownSmallTensorsAreNamedAndKeptOutOfTheStep) {
  File f = tiny("llama", 128);
  const double model = f.bytes;
  f.tensor("mystery.weight", {8, 8}, kF32);
  const auto m = f.read();
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_DOUBLE_EQ(weight_bytes(*m, Deployment{}), model);
  ASSERT_FALSE(m->warnings.empty());
  EXPECT_NE(m->warnings.back().find("mystery"), std::string::npos) << m->warnings.back();
}

TEST(GgufModel, AWhatIfKeepsWhatTheWeightsDecided) {
  HfOptions options;
  options.set = {"max_position_embeddings=99"};
  const auto m = tiny("llama", 192).read(options);
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(std::get<Dense>(m->layers[0].ffn).width, 192);
  EXPECT_EQ(m->max_context, 99);
  EXPECT_FALSE(m->warnings.empty());
}

// ---- what converters write that other files do not ----------------------------------------------

TEST(GgufModel, AWindowOfZeroIsNone) {  // Phi-4
  File f = tiny("phi3", 128);
  f.key("attention.sliding_window", 0);
  const auto m = f.read();
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(std::get<Attention>(m->layers[0].mixer).window, 0);
}

TEST(GgufModel, FalconsWithSeveralKeyValueHeads) {
  File f = tiny("falcon", 128);
  f.key("attention.head_count_kv", 4);
  const auto m = f.read();
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(std::get<Attention>(m->layers[0].mixer).kv_heads, 4);
  EXPECT_EQ(count_parameters(*m).total, f.values);
}

// Llama 4: every second block has experts of their own width and a shared one.
TEST(GgufModel, DenseAndExpertBlocksOfLlama4) {
  File f("llama4");
  for (auto [key, value] : {std::pair{"block_count", 2U},
                            {"context_length", 64U},
                            {"embedding_length", 64U},
                            {"feed_forward_length", 256U},
                            {"expert_feed_forward_length", 128U},
                            {"attention.head_count", 4U},
                            {"attention.head_count_kv", 2U},
                            {"attention.key_length", 16U},
                            {"attention.value_length", 16U},
                            {"expert_count", 4U},
                            {"expert_used_count", 1U},
                            {"interleave_moe_layer_step", 2U}}) {
    f.key(key, value);
  }
  f.tensor("token_embd.weight", {64, 100}, kF32);
  f.tensor("output.weight", {64, 100}, kF32);
  f.tensor("output_norm.weight", {64}, kF32);
  for (int l = 0; l < 2; ++l) {
    f.tensor(block(l, "attn_norm.weight"), {64}, kF32);
    f.tensor(block(l, "ffn_norm.weight"), {64}, kF32);
    f.tensor(block(l, "attn_q.weight"), {64, 64}, kF32);
    f.tensor(block(l, "attn_k.weight"), {64, 32}, kF32);
    f.tensor(block(l, "attn_v.weight"), {64, 32}, kF32);
    f.tensor(block(l, "attn_output.weight"), {64, 64}, kF32);
    if (l == 0) {
      f.tensor(block(l, "ffn_gate.weight"), {64, 256}, kF32);
      f.tensor(block(l, "ffn_up.weight"), {64, 256}, kF32);
      f.tensor(block(l, "ffn_down.weight"), {256, 64}, kF32);
      continue;
    }
    f.tensor(block(l, "ffn_gate_inp.weight"), {64, 4}, kF32);
    for (const char* kind : {"exps", "shexp"}) {
      const std::uint64_t copies = kind[0] == 'e' ? 4 : 1;
      for (const char* part : {"ffn_gate_", "ffn_up_"}) {
        f.tensor(block(l, part) + kind + ".weight", {64, 128, copies}, kF32);
      }
      f.tensor(block(l, "ffn_down_") + kind + ".weight", {128, 64, copies}, kF32);
    }
  }
  const auto m = f.read();
  ASSERT_TRUE(m) << m.error().message << ' ' << m.error().where;
  EXPECT_EQ(count_parameters(*m).total, f.values);
  EXPECT_DOUBLE_EQ(weight_bytes(*m, Deployment{}), f.bytes);
}

TEST(GgufModel, PartsOfASplitModelBelongTogether) {
  EXPECT_EQ(split_names("a/m-00002-of-00003.gguf"),
            (std::vector<std::string>{"a/m-00001-of-00003.gguf", "a/m-00002-of-00003.gguf",
                                      "a/m-00003-of-00003.gguf"}));
  EXPECT_TRUE(split_names("m.gguf").empty());
  EXPECT_TRUE(split_names("-00001-of-0000x.gguf").empty());
  GgufWriter first;
  first.text("general.architecture", "llama");
  first.scalar("split.count", 2, 3, 2);
  auto r = read_gguf_header(first.file(), first.size(), "m.gguf");
  ASSERT_TRUE(r);
  std::vector<GgufHeader> parts;
  parts.push_back(std::get<GgufHeader>(*r));
  const auto m = read_gguf_model(std::move(parts), "m.gguf");
  ASSERT_FALSE(m);
  EXPECT_NE(m.error().message.find("split into 3 files, 1 are given"), std::string::npos);
}

TEST(GgufModel, AFileOfAVocabularyIsToldApart) {
  GgufWriter w;
  w.text("general.architecture", "llama");
  w.u32("llama.block_count", 2);
  w.texts("tokenizer.ggml.tokens", {"a", "b"});
  auto r = read_gguf_header(w.file(), w.size(), "m.gguf");
  ASSERT_TRUE(r);
  std::vector<GgufHeader> parts;
  parts.push_back(std::get<GgufHeader>(*r));
  const auto m = read_gguf_model(std::move(parts), "m.gguf");
  ASSERT_FALSE(m);
  EXPECT_NE(m.error().message.find("a vocabulary and no tensors"), std::string::npos);
}

}  // namespace
}  // namespace rooflens
