// Packed weights and whole models of .safetensors files. Sizes are worked out from the packings'
// own definitions beside each test; the shapes are those of published models.
#include "rooflens/readers/packed_weights.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "corpus.h"
#include "readers/safetensors_testing.h"
#include "rooflens/core/parameters.h"
#include "rooflens/readers/hf_config.h"
#include "rooflens/readers/hf_pieces.h"

namespace rooflens {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

// ---- packings -----------------------------------------------------------------------------------

TEST(PackedWeights, NamesAreTakenApart) {
  const auto parts = [](std::string_view name) {
    const TensorName n = split_tensor_name(name);
    return std::string(n.module) + " | " + std::string(n.leaf);
  };
  EXPECT_EQ(parts("layers.0.mlp.up_proj.weight"), "layers.0.mlp.up_proj | weight");
  EXPECT_EQ(parts("layers.0.mlp.up_proj.weight_scale_inv"), "layers.0.mlp.up_proj | weight_scale");
  EXPECT_EQ(parts("layers.0.mlp.up_proj.weight_scale_2"),
            "layers.0.mlp.up_proj | weight_global_scale");
  EXPECT_EQ(parts("a.q_proj.weight.quant_state.bitsandbytes__nf4"), "a.q_proj | quant_state");
  EXPECT_EQ(parts("mlp.experts.gate_up_proj_blocks"), "mlp.experts.gate_up_proj | blocks");
  EXPECT_EQ(parts("mlp.experts.gate_up_proj_bias"), "mlp.experts.gate_up_proj | bias");
  EXPECT_EQ(parts("mlp.experts.gate_up_proj"), "mlp.experts.gate_up_proj | ");
}

struct Part {
  const char* leaf;
  const char* dtype;
  std::vector<std::uint64_t> shape;
  int bits;
};

Unpacked unpacked(const std::vector<Part>& parts, const Storage& hint = {}) {
  SafetensorsWriter w;
  for (const Part& p : parts) w.tensor(p.leaf, p.dtype, p.shape, p.bits);
  const auto tensors = whole(w.file());
  ModuleTensors module;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    module.parts.emplace_back(parts[i].leaf, &tensors[i]);
  return unpack(module, hint);
}

// A matrix of 256 outputs and 512 inputs = 131,072 weights in every packing there is.
constexpr double kWeights = 131072;

TEST(PackedWeights, EveryPackingGivesTheRealWeights) {
  struct Case {
    const char* what;
    std::vector<Part> parts;
    double bytes;  // worked out from the packing
    double bits;   // of one stored value
  };
  const std::vector<Case> cases{
      {"plain", {{"weight", "BF16", {256, 512}, 16}}, 2 * kWeights, 16},
      {"fused, without a leaf", {{"", "BF16", {2, 128, 512}, 16}}, 2 * kWeights, 16},
      {"fp8, one scale",
       {{"weight", "F8_E4M3", {256, 512}, 8}, {"weight_scale", "F32", {}, 32}},
       kWeights + 4,
       8},
      {"fp8, rows",
       {{"weight", "F8_E4M3", {256, 512}, 8}, {"weight_scale", "F32", {256, 1}, 32}},
       kWeights + 256 * 4,
       8},
      {"fp8, tiles of 128 x 128",
       {{"weight", "F8_E4M3", {256, 512}, 8}, {"weight_scale", "BF16", {2, 4}, 16}},
       kWeights + 8 * 2,
       8},
      {"GPTQ, 4 bits, groups of 128, act order",
       {{"qweight", "I32", {64, 256}, 32},
        {"qzeros", "I32", {4, 32}, 32},
        {"scales", "F16", {4, 256}, 16},
        {"g_idx", "I32", {512}, 32}},
       kWeights / 2 + 4 * 256 / 2 + 4 * 256 * 2 + 512 * 4,
       4},
      {"GPTQ, 8 bits",
       {{"qweight", "I32", {128, 256}, 32},
        {"qzeros", "I32", {4, 64}, 32},
        {"scales", "F16", {4, 256}, 16}},
       kWeights + 4 * 256 + 4 * 256 * 2,
       8},
      {"AWQ, 4 bits",
       {{"qweight", "I32", {512, 32}, 32},
        {"qzeros", "I32", {4, 32}, 32},
        {"scales", "F16", {4, 256}, 16}},
       kWeights / 2 + 4 * 256 / 2 + 4 * 256 * 2,
       4},
      {"compressed-tensors, packed",
       {{"weight_packed", "I32", {256, 64}, 32},
        {"weight_scale", "BF16", {256, 4}, 16},
        {"weight_shape", "I64", {2}, 64}},
       kWeights / 2 + 256 * 4 * 2 + 16,
       4},
      {"compressed-tensors, nvfp4",
       {{"weight_packed", "U8", {256, 256}, 8},
        {"weight_scale", "F8_E4M3", {256, 32}, 8},
        {"weight_global_scale", "F32", {1}, 32}},
       kWeights / 2 + 256 * 32 + 4,
       4},
      {"modelopt, nvfp4",
       {{"weight", "U8", {256, 256}, 8},
        {"weight_scale", "F8_E4M3", {256, 32}, 8},
        {"weight_global_scale", "F32", {}, 32},
        {"input_scale", "F32", {}, 32}},
       kWeights / 2 + 256 * 32 + 8,
       4},
      {"gpt-oss, mxfp4",
       {{"blocks", "U8", {256, 16, 16}, 8}, {"scales", "U8", {256, 16}, 8}},
       kWeights / 2 + 256 * 16,
       4},
      {"bitsandbytes, nf4",
       {{"weight", "U8", {65536, 1}, 8},
        {"absmax", "F32", {2048}, 32},
        {"quant_map", "F32", {16}, 32},
        {"quant_state", "U8", {90}, 8}},
       kWeights / 2 + 2048 * 4 + 64 + 90,
       4},
      {"bitsandbytes, int8",
       {{"weight", "I8", {256, 512}, 8}, {"SCB", "F32", {256}, 32}},
       kWeights + 256 * 4,
       8},
      {"MLX, 4 bits, groups of 64",
       {{"weight", "U32", {256, 64}, 32},
        {"scales", "BF16", {256, 8}, 16},
        {"biases", "BF16", {256, 8}, 16}},
       kWeights / 2 + 2 * 256 * 8 * 2,
       4},
      {"MLX, 8 bits, groups of 64",
       {{"weight", "U32", {256, 128}, 32},
        {"scales", "BF16", {256, 8}, 16},
        {"biases", "BF16", {256, 8}, 16}},
       kWeights + 2 * 256 * 8 * 2,
       8},
  };
  for (const Case& c : cases) {
    const Unpacked u = unpacked(c.parts);
    EXPECT_EQ(u.parameters, kWeights) << c.what;
    EXPECT_EQ(u.bytes, c.bytes) << c.what;
    ASSERT_TRUE(u.storage) << c.what;
    EXPECT_EQ(u.storage->bits, c.bits) << c.what;
  }
}

TEST(PackedWeights, TheConfigSaysHowWidePackedIntegersAre) {
  const Storage eight{.element = Element::int8,
                      .packing = Packing::grouped,
                      .bits = 8,
                      .scale_bits = 16,
                      .block = 128};
  const Unpacked u = unpacked(
      {{"weight_packed", "I32", {256, 128}, 32}, {"weight_scale", "BF16", {256, 4}, 16}}, eight);
  EXPECT_EQ(u.parameters, kWeights);
  EXPECT_EQ(u.storage, eight);
}

// ---- whole models -------------------------------------------------------------------------------

// Qwen3-0.6B: 751,632,384 values are stored, because the tied head is there once more (published:
// 751.63M elements in its file, 596,049,920 parameters).
struct Qwen3 {
  SafetensorsWriter w;
  Qwen3() {
    const auto bf16 = [&](const std::string& name, std::vector<std::uint64_t> shape) {
      w.tensor(name, "BF16", shape, 16);
    };
    bf16("lm_head.weight", {151936, 1024});
    bf16("model.embed_tokens.weight", {151936, 1024});
    for (int l = 0; l < 28; ++l) {
      const std::string at = "model.layers." + std::to_string(l) + ".";
      bf16(at + "input_layernorm.weight", {1024});
      bf16(at + "post_attention_layernorm.weight", {1024});
      bf16(at + "self_attn.q_norm.weight", {128});
      bf16(at + "self_attn.k_norm.weight", {128});
      bf16(at + "self_attn.q_proj.weight", {2048, 1024});
      bf16(at + "self_attn.k_proj.weight", {1024, 1024});
      bf16(at + "self_attn.v_proj.weight", {1024, 1024});
      bf16(at + "self_attn.o_proj.weight", {1024, 2048});
      bf16(at + "mlp.gate_proj.weight", {3072, 1024});
      bf16(at + "mlp.up_proj.weight", {3072, 1024});
      bf16(at + "mlp.down_proj.weight", {1024, 3072});
    }
    bf16("model.norm.weight", {1024});
  }
};
constexpr const char* kQwen3 =
    R"({"model_type":"qwen3","hidden_size":1024,"num_hidden_layers":28,"num_attention_heads":16,
        "num_key_value_heads":8,"head_dim":128,"intermediate_size":3072,"vocab_size":151936,
        "tie_word_embeddings":true,"torch_dtype":"bfloat16","max_position_embeddings":40960})";

Result<Model> bound(const char* config, const SafetensorsWriter& w) {
  auto model = read_hf_config(config, "config.json");
  EXPECT_TRUE(model) << (model ? "" : model.error().message);
  if (!model) return model;
  TensorTable table;
  table.tensors = whole(w.header(), w.size());
  return bind_safetensors(std::move(*model), table, "folder");
}

TEST(SafetensorsModel, ATiedHeadThatIsStoredAgainIsToldApart) {
  const Qwen3 q;
  const auto m = bound(kQwen3, q.w);
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(count_parameters(*m).total, 596049920.0);
  const double head = 151936.0 * 1024 * 2;
  EXPECT_EQ(q.w.data(), 751632384.0 * 2);
  EXPECT_DOUBLE_EQ(weight_bytes(*m, Deployment{}), static_cast<double>(q.w.data()) - head);
  ASSERT_EQ(m->extras.size(), 1U);
  EXPECT_EQ(m->extras[0].bytes, head);
  EXPECT_TRUE(m->warnings.empty()) << m->warnings.front();
}

TEST(SafetensorsModel, TowersAndPredictionBlocksAreStoredAndNotRun) {
  Qwen3 q;
  const double before = static_cast<double>(q.w.data());
  q.w.tensor("model.visual.blocks.0.attn.qkv.weight", "BF16", {96, 32}, 16);
  q.w.tensor("mtp.layers.0.mlp.up_proj.weight", "BF16", {64, 32}, 16);
  q.w.tensor("model.layers.28.eh_proj.weight", "BF16", {8, 8}, 16);
  const auto m = bound(kQwen3, q.w);
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_DOUBLE_EQ(weight_bytes(*m, Deployment{}), before - 151936.0 * 1024 * 2);
  double beside = 0;
  for (const Extra& e : m->extras) beside += e.bytes;
  EXPECT_EQ(beside, static_cast<double>(q.w.data()) - before + 151936.0 * 1024 * 2);
}

// One expert a tensor, fp8 in tiles, two layers: the first dense.
TEST(SafetensorsModel, ExpertsWithScalesAreExactToTheByte) {
  const char* config =
      R"({"model_type":"qwen3_moe","hidden_size":256,"num_hidden_layers":2,"num_attention_heads":4,
          "num_key_value_heads":2,"head_dim":64,"intermediate_size":512,"moe_intermediate_size":128,
          "num_experts":8,"num_experts_per_tok":2,"mlp_only_layers":[0],"vocab_size":512,
          "tie_word_embeddings":false,"torch_dtype":"bfloat16",
          "quantization_config":{"quant_method":"fp8","weight_block_size":[128,128],
            "modules_to_not_convert":["lm_head","model.layers.1.mlp.gate"]}})";
  SafetensorsWriter w;
  const auto bf16 = [&](const std::string& name, std::vector<std::uint64_t> shape) {
    w.tensor(name, "BF16", shape, 16);
  };
  const auto fp8 = [&](const std::string& name, std::uint64_t n, std::uint64_t k) {
    w.tensor(name + ".weight", "F8_E4M3", {n, k}, 8);
    w.tensor(name + ".weight_scale_inv", "BF16", {(n + 127) / 128, (k + 127) / 128}, 16);
  };
  bf16("model.embed_tokens.weight", {512, 256});
  bf16("lm_head.weight", {512, 256});
  bf16("model.norm.weight", {256});
  for (int l = 0; l < 2; ++l) {
    const std::string at = "model.layers." + std::to_string(l) + ".";
    bf16(at + "input_layernorm.weight", {256});
    bf16(at + "post_attention_layernorm.weight", {256});
    bf16(at + "self_attn.q_norm.weight", {64});
    bf16(at + "self_attn.k_norm.weight", {64});
    fp8(at + "self_attn.q_proj", 256, 256);
    fp8(at + "self_attn.k_proj", 128, 256);
    fp8(at + "self_attn.v_proj", 128, 256);
    fp8(at + "self_attn.o_proj", 256, 256);
    if (l == 0) {
      fp8(at + "mlp.gate_proj", 512, 256);
      fp8(at + "mlp.up_proj", 512, 256);
      fp8(at + "mlp.down_proj", 256, 512);
      continue;
    }
    bf16(at + "mlp.gate.weight", {8, 256});
    for (int e = 0; e < 8; ++e) {
      const std::string expert = at + "mlp.experts." + std::to_string(e) + ".";
      fp8(expert + "gate_proj", 128, 256);
      fp8(expert + "up_proj", 128, 256);
      fp8(expert + "down_proj", 256, 128);
    }
  }
  const auto m = bound(config, w);
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_DOUBLE_EQ(weight_bytes(*m, Deployment{}), static_cast<double>(w.data()));
  EXPECT_TRUE(m->warnings.empty()) << m->warnings.front();
  // 8 experts x 2 x (128 x 256 values + 2 scales of 2 bytes)
  EXPECT_EQ(m->layers[m->order[1]].weight(Slot::experts_up).bytes, 8 * 2 * (128 * 256 + 2 * 2));
  EXPECT_EQ(m->layers[m->order[1]].weight(Slot::experts_up).storage.packing, Packing::tiled);
}

TEST(SafetensorsModel, WeightsOfAnotherModelAreAnError) {
  Qwen3 q;
  std::string config = kQwen3;
  config.replace(config.find("\"num_attention_heads\":16"), 24, "\"num_attention_heads\":32");
  const auto m = bound(config.c_str(), q.w);
  ASSERT_FALSE(m);
  EXPECT_NE(m.error().message.find("layer 0, attention"), std::string::npos) << m.error().message;
}

// ---- real files of others, where they are -------------------------------------------------------

TEST(SafetensorsModel, RealQuantisedLinears) {
  const std::filesystem::path folder = test::in_corpus("safetensors");
  if (folder.empty()) GTEST_SKIP() << "no corpus";
  struct Real {
    const char* file;
    double weights;  // the linear's inputs x outputs, from the test it was made for
  };
  // 256 x 256 linears but for GPTQ (32 x 64 as stored: 256 words of 8) and int8 (128 x 64).
  for (const Real& real :
       {Real{"awq_linear", 4096 * 8}, Real{"gptq_linear", 256 * 8}, Real{"fp8_linear", 65536},
        Real{"compressed_tensors_linear_w8a8fp8", 65536},
        Real{"compressed_tensors_linear_wna16", 8192 * 8}}) {
    const auto tensors = whole(test::bytes_of(folder / (std::string(real.file) + ".safetensors")));
    ModuleTensors module;
    for (const Tensor& t : tensors) {
      if (t.name == "input" || t.name == "ref_output") continue;
      module.parts.emplace_back(split_tensor_name("x." + t.name).leaf, &t);
    }
    EXPECT_EQ(unpack(module, {}).parameters, real.weights) << real.file;
  }
}

}  // namespace
}  // namespace rooflens
