// Models from GGUF files. Shapes are those of the published models; every expected count is the
// published one or worked out beside it.
#include "rooflens/readers/gguf_model.h"

#include <gtest/gtest.h>

#include "readers/gguf_file.h"
#include "rooflens/core/parameters.h"
#include "rooflens/core/serving.h"

namespace rooflens {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

// Meta-Llama-3-8B as llama.cpp stores it in its Q4_K_M mixture: some layers' value and down
// projections in Q6_K.
bool finer(int l) { return l < 4 || l >= 28 || l % 3 == 2; }
File llama3_8b() {
  File f("llama");
  f.w.text("general.name", "Llama 3 8B");
  f.key("block_count", 32);
  f.key("context_length", 8192);
  f.key("embedding_length", 4096);
  f.key("feed_forward_length", 14336);
  f.key("attention.head_count", 32);
  f.key("attention.head_count_kv", 8);
  f.key("rope.dimension_count", 128);
  f.key("vocab_size", 128256);
  f.w.u32("general.file_type", 15);
  f.tensor("token_embd.weight", {4096, 128256}, kQ4K);
  for (int l = 0; l < 32; ++l) {
    const Type more = finer(l) ? kQ6K : kQ4K;
    f.tensor(block(l, "attn_norm.weight"), {4096}, kF32);
    f.tensor(block(l, "ffn_norm.weight"), {4096}, kF32);
    f.tensor(block(l, "attn_q.weight"), {4096, 4096}, kQ4K);
    f.tensor(block(l, "attn_k.weight"), {4096, 1024}, kQ4K);
    f.tensor(block(l, "attn_v.weight"), {4096, 1024}, more);
    f.tensor(block(l, "attn_output.weight"), {4096, 4096}, kQ4K);
    f.tensor(block(l, "ffn_gate.weight"), {4096, 14336}, kQ4K);
    f.tensor(block(l, "ffn_up.weight"), {4096, 14336}, kQ4K);
    f.tensor(block(l, "ffn_down.weight"), {14336, 4096}, more);
  }
  f.tensor("output_norm.weight", {4096}, kF32);
  f.tensor("output.weight", {4096, 128256}, kQ6K);
  return f;
}

TEST(GgufModel, ALlamaWithMixedFormatsIsExactToTheByte) {
  const File f = llama3_8b();
  const auto m = f.read();
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(count_parameters(*m).total, 8030261248.0);  // Meta's model card: 8.03B
  EXPECT_EQ(f.values, 8030261248.0);
  EXPECT_DOUBLE_EQ(weight_bytes(*m, Deployment{}), f.bytes);
  EXPECT_TRUE(m->warnings.empty()) << m->warnings.front();
  // Two kinds of layers, in the order of the file.
  EXPECT_EQ(m->layers.size(), 2U);
  for (int l = 0; l < 32; ++l) {
    const Layer& layer = m->layers[m->order[static_cast<std::size_t>(l)]];
    // 4096 x 14336 values in blocks of 256
    const double blocks = 4096.0 * 14336 / 256;
    EXPECT_EQ(layer.weight(Slot::down).bytes, blocks * (finer(l) ? 210 : 144)) << l;
    EXPECT_EQ(layer.weight(Slot::up).bytes, 2 * blocks * 144) << l;
  }
  double stored = 0;
  for (const StoredPart& part : m->stored) stored += part.bytes;
  EXPECT_EQ(stored, f.bytes);
}

TEST(GgufModel, ATiedHeadIsReadOnceAndStoredOnce) {
  File f("llama");
  f.key("block_count", 1);
  f.key("context_length", 64);
  f.key("embedding_length", 64);
  f.key("feed_forward_length", 128);
  f.key("attention.head_count", 4);
  f.tensor("token_embd.weight", {64, 100}, kF32);
  for (const char* part : {"attn_norm.weight", "ffn_norm.weight"})
    f.tensor(block(0, part), {64}, kF32);
  for (const char* part :
       {"attn_q.weight", "attn_k.weight", "attn_v.weight", "attn_output.weight"}) {
    f.tensor(block(0, part), {64, 64}, kF32);
  }
  f.tensor(block(0, "ffn_gate.weight"), {64, 128}, kF32);
  f.tensor(block(0, "ffn_up.weight"), {64, 128}, kF32);
  f.tensor(block(0, "ffn_down.weight"), {128, 64}, kF32);
  f.tensor("output_norm.weight", {64}, kF32);
  const auto m = f.read();
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_TRUE(m->tied);
  EXPECT_EQ(m->vocabulary, 100);  // no vocab_size: the table's rows
  EXPECT_DOUBLE_EQ(weight_bytes(*m, Deployment{}), f.bytes);
  EXPECT_EQ(count_parameters(*m).total, f.values);
}

// DeepSeek-V3: 671,026,419,200 without its prediction block (as its own inference config derives).
File deepseek_v3(bool fresh, bool twice = false) {
  File f("deepseek2");
  const std::uint64_t h = 7168;
  f.key("block_count", 61);
  f.key("context_length", 163840);
  f.key("embedding_length", 7168);
  f.key("feed_forward_length", 18432);
  f.key("attention.head_count", 128);
  f.key("attention.head_count_kv", fresh ? 1 : 128);
  f.key("attention.key_length", fresh ? 576 : 192);
  f.key("attention.value_length", fresh ? 512 : 128);
  if (fresh) {
    f.key("attention.key_length_mla", 192);
    f.key("attention.value_length_mla", 128);
  }
  f.key("attention.q_lora_rank", 1536);
  f.key("attention.kv_lora_rank", 512);
  f.key("rope.dimension_count", 64);
  f.key("vocab_size", 129280);
  f.key("leading_dense_block_count", 3);
  f.key("expert_count", 256);
  f.key("expert_used_count", 8);
  f.key("expert_shared_count", 1);
  f.key("expert_feed_forward_length", 2048);
  f.key("expert_gating_func", 2);
  f.tensor("token_embd.weight", {h, 129280}, kQ4K);
  f.tensor("output_norm.weight", {h}, kF32);
  f.tensor("output.weight", {h, 129280}, kQ6K);
  for (int l = 0; l < 61; ++l) {
    f.tensor(block(l, "attn_norm.weight"), {h}, kF32);
    f.tensor(block(l, "ffn_norm.weight"), {h}, kF32);
    f.tensor(block(l, "attn_q_a_norm.weight"), {1536}, kF32);
    f.tensor(block(l, "attn_kv_a_norm.weight"), {512}, kF32);
    f.tensor(block(l, "attn_q_a.weight"), {h, 1536}, kQ4K);
    f.tensor(block(l, "attn_q_b.weight"), {1536, 24576}, kQ4K);
    f.tensor(block(l, "attn_kv_a_mqa.weight"), {h, 576}, kQ80);
    f.tensor(block(l, "attn_output.weight"), {16384, h}, kQ4K);
    if (!fresh || twice) f.tensor(block(l, "attn_kv_b.weight"), {512, 32768}, kQ80);
    if (fresh || twice) {
      f.tensor(block(l, "attn_k_b.weight"), {128, 512, 128}, kQ80);
      f.tensor(block(l, "attn_v_b.weight"), {512, 128, 128}, kQ80);
    }
    if (l < 3) {
      f.tensor(block(l, "ffn_gate.weight"), {h, 18432}, kQ4K);
      f.tensor(block(l, "ffn_up.weight"), {h, 18432}, kQ4K);
      f.tensor(block(l, "ffn_down.weight"), {18432, h}, kQ6K);
      continue;
    }
    f.tensor(block(l, "ffn_gate_inp.weight"), {h, 256}, kF32);
    f.tensor(block(l, "exp_probs_b.bias"), {256}, kF32);
    f.tensor(block(l, "ffn_gate_exps.weight"), {h, 2048, 256}, kQ4K);
    f.tensor(block(l, "ffn_up_exps.weight"), {h, 2048, 256}, kQ4K);
    f.tensor(block(l, "ffn_down_exps.weight"), {2048, h, 256}, kQ6K);
    f.tensor(block(l, "ffn_gate_shexp.weight"), {h, 2048}, kQ4K);
    f.tensor(block(l, "ffn_up_shexp.weight"), {h, 2048}, kQ4K);
    f.tensor(block(l, "ffn_down_shexp.weight"), {2048, h}, kQ4K);
  }
  return f;
}

TEST(GgufModel, LatentAttentionOfBothConversionsIsOneModel) {
  for (bool fresh : {false, true}) {
    const File f = deepseek_v3(fresh);
    const auto m = f.read();
    ASSERT_TRUE(m) << m.error().message;
    EXPECT_EQ(count_parameters(*m).total, 671026419200.0) << fresh;
    EXPECT_DOUBLE_EQ(weight_bytes(*m, Deployment{}), f.bytes) << fresh;
    // 61 layers x (512 + 64) x 2 bytes
    EXPECT_EQ(kv_bytes_per_token(*m, Deployment{}), 70272.0) << fresh;
    EXPECT_TRUE(m->warnings.empty()) << m->warnings.front();
  }
}

TEST(GgufModel, AMatrixThatIsStoredTwiceIsReadOnce) {
  const File f = deepseek_v3(true, true);
  const auto m = f.read();
  ASSERT_TRUE(m) << m.error().message;
  // 512 x 32768 values a layer, 61 layers, 34 bytes for 32
  const double again = 512.0 * 32768 * 61 / 32 * 34;
  EXPECT_EQ(count_parameters(*m).total, 671026419200.0);
  EXPECT_DOUBLE_EQ(weight_bytes(*m, Deployment{}), f.bytes - again);
  ASSERT_EQ(m->extras.size(), 1U);
  EXPECT_EQ(m->extras[0].bytes, again);
}

TEST(GgufModel, ExpertsBiasesAndSinksOfGptOss) {
  File f("gpt-oss");
  const std::uint64_t h = 2880;
  f.key("block_count", 36);
  f.key("context_length", 131072);
  f.key("embedding_length", 2880);
  f.key("feed_forward_length", 2880);
  f.key("attention.head_count", 64);
  f.key("attention.head_count_kv", 8);
  f.key("attention.key_length", 64);
  f.key("attention.value_length", 64);
  f.key("attention.sliding_window", 128);
  f.key("expert_count", 128);
  f.key("expert_used_count", 4);
  f.key("expert_feed_forward_length", 2880);
  f.tensor("token_embd.weight", {h, 201088}, kQ80);
  f.tensor("output.weight", {h, 201088}, kQ80);
  f.tensor("output_norm.weight", {h}, kF32);
  for (int l = 0; l < 36; ++l) {
    f.tensor(block(l, "attn_norm.weight"), {h}, kF32);
    f.tensor(block(l, "post_attention_norm.weight"), {h}, kF32);
    f.tensor(block(l, "attn_sinks.weight"), {64}, kF32);
    for (auto [part, out, in] : {std::tuple{"attn_q", 4096UL, h},
                                 {"attn_k", 512UL, h},
                                 {"attn_v", 512UL, h},
                                 {"attn_output", h, 4096UL}}) {
      f.tensor(block(l, part) + ".weight", {in, out}, kQ80);
      f.tensor(block(l, part) + ".bias", {out}, kF32);
    }
    f.tensor(block(l, "ffn_gate_inp.weight"), {h, 128}, kF32);
    f.tensor(block(l, "ffn_gate_inp.bias"), {128}, kF32);
    for (const char* part : {"ffn_gate_exps", "ffn_up_exps", "ffn_down_exps"}) {
      f.tensor(block(l, part) + ".weight", {h, h, 128}, kMxfp4);
      f.tensor(block(l, part) + ".bias", {h, 128}, kF32);
    }
  }
  const auto m = f.read();
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(count_parameters(*m).total, 116829156672.0);  // OpenAI's model card: 116.83B
  EXPECT_DOUBLE_EQ(weight_bytes(*m, Deployment{}), f.bytes);
  EXPECT_TRUE(m->warnings.empty()) << m->warnings.front();
}

// A small hybrid as Qwen 3.5 is built: two blocks, one of each kind, and a prediction block.
TEST(GgufModel, APredictionBlockIsStoredAndNotRun) {
  File f("qwen35");
  f.key("block_count", 5);
  f.key("nextn_predict_layers", 1);
  f.key("context_length", 4096);
  f.key("embedding_length", 256);
  f.key("feed_forward_length", 512);
  f.key("attention.head_count", 4);
  f.key("attention.head_count_kv", 2);
  f.key("attention.key_length", 64);
  f.key("attention.value_length", 64);
  f.key("ssm.conv_kernel", 4);
  f.key("ssm.inner_size", 256);
  f.key("ssm.state_size", 32);
  f.key("ssm.time_step_rank", 8);
  f.key("ssm.group_count", 4);
  f.tensor("token_embd.weight", {256, 512}, kQ80);
  f.tensor("output.weight", {256, 512}, kQ80);
  f.tensor("output_norm.weight", {256}, kF32);
  double beside = 0;
  for (int l = 0; l < 5; ++l) {
    const double before = f.bytes;
    f.tensor(block(l, "attn_norm.weight"), {256}, kF32);
    f.tensor(block(l, "post_attention_norm.weight"), {256}, kF32);
    if (l >= 3) {
      f.tensor(block(l, "attn_q.weight"), {256, 512}, kQ80);  // with the output gate
      f.tensor(block(l, "attn_k.weight"), {256, 128}, kQ80);
      f.tensor(block(l, "attn_v.weight"), {256, 128}, kQ80);
      f.tensor(block(l, "attn_output.weight"), {256, 256}, kQ80);
      f.tensor(block(l, "attn_q_norm.weight"), {64}, kF32);
      f.tensor(block(l, "attn_k_norm.weight"), {64}, kF32);
    } else {
      f.tensor(block(l, "attn_qkv.weight"), {256, 2 * 128 + 256}, kQ80);
      f.tensor(block(l, "attn_gate.weight"), {256, 256}, kQ80);
      f.tensor(block(l, "ssm_alpha.weight"), {256, 8}, kF32);
      f.tensor(block(l, "ssm_beta.weight"), {256, 8}, kF32);
      f.tensor(block(l, "ssm_conv1d.weight"), {4, 512}, kF32);
      f.tensor(block(l, "ssm_a"), {8}, kF32);
      f.tensor(block(l, "ssm_dt.bias"), {8}, kF32);
      f.tensor(block(l, "ssm_norm.weight"), {32}, kF32);
      f.tensor(block(l, "ssm_out.weight"), {256, 256}, kQ80);
    }
    f.tensor(block(l, "ffn_gate.weight"), {256, 512}, kQ80);
    f.tensor(block(l, "ffn_up.weight"), {256, 512}, kQ80);
    f.tensor(block(l, "ffn_down.weight"), {512, 256}, kQ80);
    if (l == 4) {
      f.tensor(block(l, "nextn.eh_proj.weight"), {512, 256}, kQ80);
      beside = f.bytes - before;
    }
  }
  const auto m = f.read();
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(m->order.size(), 4U);
  EXPECT_DOUBLE_EQ(weight_bytes(*m, Deployment{}), f.bytes - beside);
  ASSERT_EQ(m->extras.size(), 1U);
  EXPECT_EQ(m->extras[0].bytes, beside);
  // One attending layer: 2 x 2 heads x 64 x 2 bytes. Three recurrent: 8 heads x 32 x 32 x 4 bytes
  // of state and (4-1) x 512 channels of convolution.
  EXPECT_EQ(kv_bytes_per_token(*m, Deployment{}), 512.0);
  // llama.cpp keeps both in fp32.
  Deployment d;
  d.conv_state_bytes = usual_conv_state_bytes(*m);
  EXPECT_EQ(state_bytes_per_sequence(*m, d), 3 * 4.0 * (8 * 32 * 32 + 3 * 512));
}

// Nemotron-H: a block is Mamba-2, attention, or a feed-forward of two matrices, each with one norm.
TEST(GgufModel, BlocksOfOneKindEach) {
  File f("nemotron_h");
  f.key("block_count", 4);
  f.key("context_length", 4096);
  f.key("embedding_length", 128);
  f.w.u32s("nemotron_h.feed_forward_length", {0, 512, 0, 0});
  f.w.u32s("nemotron_h.attention.head_count", {0, 0, 4, 0});
  f.w.u32s("nemotron_h.attention.head_count_kv", {0, 0, 2, 0});
  f.key("attention.key_length", 32);
  f.key("attention.value_length", 32);
  f.key("ssm.conv_kernel", 4);
  f.key("ssm.inner_size", 256);
  f.key("ssm.state_size", 64);
  f.key("ssm.time_step_rank", 8);
  f.key("ssm.group_count", 2);
  f.tensor("token_embd.weight", {128, 256}, kQ80);
  f.tensor("output.weight", {128, 256}, kQ80);
  f.tensor("output_norm.weight", {128}, kF32);
  for (int l = 0; l < 4; ++l) {
    f.tensor(block(l, "attn_norm.weight"), {128}, kF32);
    if (l == 1) {
      f.tensor(block(l, "ffn_up.weight"), {128, 512}, kQ80);
      f.tensor(block(l, "ffn_down.weight"), {512, 128}, kQ80);
    } else if (l == 2) {
      f.tensor(block(l, "attn_q.weight"), {128, 128}, kQ80);
      f.tensor(block(l, "attn_k.weight"), {128, 64}, kQ80);
      f.tensor(block(l, "attn_v.weight"), {128, 64}, kQ80);
      f.tensor(block(l, "attn_output.weight"), {128, 128}, kQ80);
    } else {
      // z and x of 256, B and C of 2 groups x 64, a time step for each of 8 heads
      f.tensor(block(l, "ssm_in.weight"), {128, 2 * 256 + 2 * 2 * 64 + 8}, kQ80);
      f.tensor(block(l, "ssm_conv1d.weight"), {4, 256 + 2 * 2 * 64}, kF32);
      f.tensor(block(l, "ssm_conv1d.bias"), {256 + 2 * 2 * 64}, kF32);
      f.tensor(block(l, "ssm_dt.bias"), {8}, kF32);
      f.tensor(block(l, "ssm_a"), {1, 8}, kF32);
      f.tensor(block(l, "ssm_d"), {1, 8}, kF32);
      f.tensor(block(l, "ssm_norm.weight"), {128, 2}, kF32);
      f.tensor(block(l, "ssm_out.weight"), {256, 128}, kQ80);
    }
  }
  const auto m = f.read();
  ASSERT_TRUE(m) << m.error().message << m.error().where;
  EXPECT_EQ(count_parameters(*m).total, f.values);
  EXPECT_DOUBLE_EQ(weight_bytes(*m, Deployment{}), f.bytes);
  EXPECT_EQ(kv_bytes_per_token(*m, Deployment{}), 2 * 2 * 32 * 2.0);
  EXPECT_TRUE(m->warnings.empty()) << m->warnings.front();
}

TEST(GgufModel, AWhatIfKeepsTheFormatsOfTheFile) {
  HfOptions options;
  options.set = {"num_key_value_heads=4"};
  const auto m = llama3_8b().read(options);
  ASSERT_TRUE(m) << m.error().message;
  // 32 layers x 2 x 4 heads x 128 x 2 bytes
  EXPECT_EQ(kv_bytes_per_token(*m, Deployment{}), 65536.0);
  const Layer& first = m->layers[m->order[0]];
  EXPECT_EQ(first.weight(Slot::down).storage.block_bytes, 210);
}

}  // namespace
}  // namespace rooflens
