// What quantisation blocks say of each matrix, by method; and the patterns they are written in.
#include "rooflens/readers/hf_quant.h"

#include <gtest/gtest.h>

#include <string>

#include "readers/hf_testing.h"
#include "rooflens/readers/hf_config.h"

namespace rooflens {
namespace {

using std::string;
using namespace test;  // NOLINT(google-build-using-namespace)

string dense(const string& more, const string& type = "llama") {
  return R"({"model_type": ")" + type + R"(", "hidden_size": 256, "num_attention_heads": 4,
    "intermediate_size": 512, "vocab_size": 1000, "num_hidden_layers": 3, "torch_dtype": "bfloat16")" +
         (more.empty() ? "" : ", " + more) + "}";
}

string experts(const string& more) {
  return R"({"model_type": "qwen3_moe", "hidden_size": 256, "num_attention_heads": 4,
    "intermediate_size": 512, "moe_intermediate_size": 128, "num_experts": 8,
    "num_experts_per_tok": 2, "vocab_size": 1000, "num_hidden_layers": 3,
    "torch_dtype": "bfloat16", )" +
         more + "}";
}

string name(const Model& m, std::size_t layer, Slot slot) {
  return storage_name(m.layers[m.order[layer]].weight(slot).storage);
}

TEST(HfQuant, NothingIsQuantisedUnlessTheFileSaysSo) {
  const Model m = read(dense(""));
  EXPECT_EQ(name(m, 0, Slot::up), "bf16");
  EXPECT_EQ(m.gemm_input, Element::bf16);
  EXPECT_EQ(m.quantisation, "");
}

TEST(HfQuant, Fp8TilesHaveTheFamilysScales) {
  const string q =
      R"("quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]})";
  const Model llama = read(dense(q));
  EXPECT_EQ(name(llama, 0, Slot::mix_in), "fp8_block128");
  EXPECT_EQ(llama.gemm_input, Element::fp8);
  EXPECT_EQ(llama.head.storage, plain(Element::bf16));
  EXPECT_EQ(llama.embedding.storage, plain(Element::bf16));
  EXPECT_EQ(name(read(dense(q, "qwen3")), 0, Slot::down), "fp8_block128b");
  const Model moe = read(experts(q));
  EXPECT_EQ(name(moe, 0, Slot::router), "bf16");
  EXPECT_EQ(name(moe, 0, Slot::experts_up), "fp8_block128b");
}

TEST(HfQuant, Fp8WithoutTilesIsPerTensor) {
  const Model m = read(dense(R"("quantization_config": {"quant_method": "fp8",
    "weight_block_size": null})"));
  EXPECT_EQ(name(m, 0, Slot::up), "fp8_tensor");
}

TEST(HfQuant, ListedModulesStayPlainLayerByLayer) {
  const Model m = read(dense(R"("quantization_config": {"quant_method": "fbgemm_fp8",
    "modules_to_not_convert": ["model.layers.0.mlp.gate_proj", "model.layers.0.mlp.up_proj",
    "model.layers.0.mlp.down_proj", "model.layers.2.self_attn"]})"));
  EXPECT_EQ(name(m, 0, Slot::up), "bf16");
  EXPECT_EQ(name(m, 0, Slot::mix_in), "fp8_channel");
  EXPECT_EQ(name(m, 1, Slot::up), "fp8_channel");
  EXPECT_EQ(name(m, 2, Slot::mix_in), "bf16");
  EXPECT_EQ(name(m, 2, Slot::mix_out), "bf16");
  EXPECT_EQ(m.layers.size(), 3u);
}

TEST(HfQuant, MergedMatricesOfTwoFormatsTakeTheWiderAndSaySo) {
  const Model m = read(dense(R"("quantization_config": {"quant_method": "fp8",
    "weight_block_size": [128, 128], "modules_to_not_convert": ["model.layers.1.mlp.up_proj"]})"));
  EXPECT_EQ(name(m, 1, Slot::up), "bf16");
  EXPECT_EQ(name(m, 0, Slot::up), "fp8_block128");
  ASSERT_FALSE(m.warnings.empty());
  EXPECT_NE(m.warnings[0].find("different formats"), string::npos);
}

TEST(HfQuant, CompressedTensors) {
  const auto with = [](const string& weights, const string& input, const string& format) {
    return R"("quantization_config": {"quant_method": "compressed-tensors", "format": ")" + format +
           R"(", "ignore": ["lm_head", "re:.*self_attn.*"], "config_groups": {"group_0": {"targets":
           ["Linear"], "weights": )" +
           weights + R"(, "input_activations": )" + input + "}}}";
  };
  const string fp8_in = R"({"num_bits": 8, "type": "float", "dynamic": true})";
  const Model fp8 = read(dense(with(R"({"num_bits": 8, "type": "float", "strategy": "channel"})",
                                    fp8_in, "float-quantized")));
  EXPECT_EQ(name(fp8, 0, Slot::up), "fp8_channel");
  EXPECT_EQ(name(fp8, 0, Slot::mix_in), "bf16");
  EXPECT_EQ(fp8.gemm_input, Element::fp8);
  EXPECT_EQ(fp8.head.storage, plain(Element::bf16));

  const Model int8 = read(dense(with(R"({"num_bits": 8, "type": "int", "strategy": "channel"})",
                                     R"({"num_bits": 8, "type": "int"})", "int-quantized")));
  EXPECT_EQ(name(int8, 0, Slot::up), "int8_channel");
  EXPECT_EQ(int8.gemm_input, Element::int8);

  const Model int4 = read(dense(with(
      R"({"num_bits": 4, "type": "int", "strategy": "group", "group_size": 128, "symmetric": true})",
      "null", "pack-quantized")));
  EXPECT_EQ(name(int4, 0, Slot::up), "int4sym_g128");
  EXPECT_EQ(int4.gemm_input, Element::bf16);

  const Model nvfp4 = read(dense(
      with(R"({"num_bits": 4, "type": "float", "strategy": "tensor_group", "group_size": 16})",
           R"({"num_bits": 4, "type": "float", "group_size": 16})", "nvfp4-pack-quantized")));
  EXPECT_EQ(name(nvfp4, 0, Slot::up), "nvfp4");
  EXPECT_EQ(nvfp4.gemm_input, Element::fp4);

  const Error error =
      error_of(dense(with(R"({"num_bits": 5, "type": "float", "strategy": "moon"})", "null", "x")));
  EXPECT_EQ(error.code, ErrorCode::unsupported);
  EXPECT_EQ(error.where, "config.json: config_groups.group_0");
}

TEST(HfQuant, ModeloptAndItsSideFile) {
  const string nvfp4 = R"({"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "NVFP4",
    "kv_cache_quant_algo": "FP8", "group_size": 16, "exclude_modules": ["lm_head",
    "model.layers.1*"]}})";
  const Model m = read(experts(R"("max_position_embeddings": 8)"), {nvfp4, {}, {}});
  EXPECT_EQ(name(m, 0, Slot::experts_up), "nvfp4");
  EXPECT_EQ(name(m, 1, Slot::experts_up), "bf16");
  EXPECT_EQ(m.kv.element, Element::fp8);
  EXPECT_EQ(m.gemm_input, Element::fp4);

  const string mixed = R"({"quantization": {"quant_algo": "MIXED_PRECISION", "quantized_layers": {
    "lm_head": {"quant_algo": "W4A16_NVFP4"}, "model.layers.0.self_attn.q_proj": {"quant_algo":
    "FP8"}, "model.layers.0.self_attn.k_proj": {"quant_algo": "FP8"},
    "model.layers.0.self_attn.v_proj": {"quant_algo": "FP8"}, "model.layers.2.mlp.experts":
    {"quant_algo": "W4A16_NVFP4"}}}})";
  const Model two = read(experts(R"("max_position_embeddings": 8)"), {mixed, {}, {}});
  EXPECT_EQ(name(two, 0, Slot::mix_in), "fp8_tensor");
  EXPECT_EQ(name(two, 1, Slot::mix_in), "bf16");
  EXPECT_EQ(name(two, 2, Slot::experts_down), "nvfp4");
  EXPECT_EQ(name(two, 0, Slot::experts_down), "bf16");
  EXPECT_EQ(storage_name(two.head.storage), "nvfp4");

  const Model fp8 =
      read(dense(R"("quantization_config": {"quant_algo": "FP8", "ignore": ["lm_head"],
    "kv_cache_scheme": "FP8"})"));
  EXPECT_EQ(name(fp8, 0, Slot::up), "fp8_tensor");
  EXPECT_EQ(fp8.kv.element, Element::fp8);
}

TEST(HfQuant, GptqAwqAndTheirSideFiles) {
  const Model awq = read(dense(R"("quantization_config": {"quant_method": "awq", "bits": 4,
    "group_size": 128, "zero_point": true})"));
  EXPECT_EQ(name(awq, 0, Slot::up), "awq4_g128");
  EXPECT_EQ(awq.gemm_input, Element::bf16);
  const Model act = read(dense(R"("quantization_config": {"quant_method": "gptq", "bits": 4,
    "group_size": 128, "desc_act": true})"));
  EXPECT_EQ(name(act, 0, Slot::up), "gptq4_g128_act");
  const string side = R"({"bits": 3, "group_size": -1, "damp_percent": 0.1, "desc_act": false})";
  const Model column = read(dense(""), {{}, side, {}});
  EXPECT_EQ(name(column, 0, Slot::up), "int3 per channel");
  EXPECT_EQ(error_of(dense(R"("quantization_config": {"quant_method": "gptq", "bits": 99})")).code,
            ErrorCode::invalid);
}

TEST(HfQuant, BitsAndBytesMxfp4AndMlx) {
  const Model nf4 = read(dense(R"("quantization_config": {"quant_method": "bitsandbytes",
    "load_in_4bit": true, "bnb_4bit_use_double_quant": true})"));
  EXPECT_EQ(name(nf4, 0, Slot::up), "bnb_nf4_dq");
  const Model mxfp4 = read(experts(R"("quantization_config": {"quant_method": "mxfp4"})"));
  EXPECT_EQ(name(mxfp4, 0, Slot::experts_up), "mxfp4");
  EXPECT_EQ(name(mxfp4, 0, Slot::mix_in), "bf16");
  EXPECT_EQ(mxfp4.gemm_input, Element::bf16);
  const Model mlx = read(dense(R"("quantization": {"bits": 4, "group_size": 64,
    "lm_head": {"bits": 8, "group_size": 64}, "model.layers.1.mlp.down_proj": false})"));
  EXPECT_EQ(name(mlx, 0, Slot::up), "mlx4_g64");
  EXPECT_EQ(name(mlx, 1, Slot::down), "bf16");
  EXPECT_EQ(storage_name(mlx.head.storage), "mlx8_g64");
  EXPECT_EQ(storage_name(mlx.embedding.storage), "mlx4_g64");
}

TEST(HfQuant, Quark) {
  const Model m = read(dense(R"("quantization_config": {"quant_method": "quark",
    "exclude": ["lm_head"], "export": {"kv_cache_group": ["*k_proj"]}, "global_quant_config":
    {"weight": {"dtype": "fp4", "qscheme": "per_group", "group_size": 32}, "input_tensors":
    {"dtype": "fp4"}}})"));
  EXPECT_EQ(name(m, 0, Slot::up), "mxfp4");
  EXPECT_EQ(m.gemm_input, Element::fp4);
  EXPECT_EQ(m.kv.element, Element::fp8);
}

TEST(HfQuant, UnknownMethodsAreErrorsByName) {
  const Error aqlm = error_of(dense(R"("quantization_config": {"quant_method": "aqlm"})"));
  EXPECT_EQ(aqlm.code, ErrorCode::unsupported);
  EXPECT_NE(aqlm.message.find("aqlm"), string::npos);
  EXPECT_NE(aqlm.hint.find("gptq"), string::npos);
  EXPECT_EQ(error_of(dense(R"("quantization_config": 3)")).code, ErrorCode::malformed);
  EXPECT_EQ(error_of(dense(R"("quantization_config": {})")).code, ErrorCode::unsupported);
  EXPECT_EQ(error_of(dense(R"("quantization_config": {"quant_algo": "INT3"})")).code,
            ErrorCode::unsupported);
}

TEST(HfPattern, Globs) {
  EXPECT_TRUE(glob_match("layers.0*", "layers.0.mlp.gate"));
  EXPECT_FALSE(glob_match("layers.0.*", "layers.10.mlp.gate"));
  EXPECT_TRUE(glob_match("*.mlp.shared_expert.*", "model.layers.3.mlp.shared_expert.up_proj"));
  EXPECT_FALSE(glob_match("*.mlp.shared_expert.*", "layers.3.mlp.shared_expert_gate"));
  EXPECT_TRUE(glob_match("a*b*c", "axxbxxc"));
  EXPECT_FALSE(glob_match("a?c", "ac"));
}

TEST(HfPattern, RegularExpressions) {
  EXPECT_EQ(regex_match(".*self_attn.*", "model.layers.3.self_attn.q_proj"), Match::yes);
  EXPECT_EQ(regex_match(R"(.*mlp\.(gate|up|gate_up|down)_proj.*)", "layers.1.mlp.gate_up_proj"),
            Match::yes);
  EXPECT_EQ(regex_match(R"(.*mlp\.(gate|up)_proj.*)", "layers.1.mlp.experts.0.gate_proj"),
            Match::no);
  EXPECT_EQ(regex_match(R"(model\.layers\.\d+\.mlp\.gate$)", "model.layers.12.mlp.gate"),
            Match::yes);
  EXPECT_EQ(regex_match(R"(model\.layers\.\d+\.mlp\.gate$)", "model.layers.12.mlp.gate_proj"),
            Match::no);
  EXPECT_EQ(regex_match("lm_head", "lm_head"), Match::yes);
  EXPECT_EQ(regex_match("layers.[0-3].x", "layers.2.x"), Match::yes);
  EXPECT_EQ(regex_match("layers.[^0-3].x", "layers.2.x"), Match::no);
  EXPECT_EQ(regex_match("(?!.*experts).*", "x"), Match::unknown);
  EXPECT_EQ(regex_match("(a", "a"), Match::unknown);
  EXPECT_EQ(regex_match("a{2}", "aa"), Match::unknown);
  EXPECT_EQ(regex_match("*", "a"), Match::unknown);
  EXPECT_EQ(regex_match("a\\", "a"), Match::unknown);
  EXPECT_EQ(regex_match("[", "a"), Match::unknown);
  // exponential without a limit on steps
  EXPECT_EQ(regex_match("a*a*a*a*a*a*a*a*a*a*a*a*a*b", string(60, 'a')), Match::unknown);
}

TEST(HfPattern, NamesParentsAndTails) {
  PatternSet set;
  set.add("model.language_model.layers.3.mlp");
  set.add("language_model.lm_head");
  set.add("o_proj");
  EXPECT_TRUE(set.contains("layers.3.mlp.gate_proj"));
  EXPECT_FALSE(set.contains("layers.30.mlp.gate_proj"));
  EXPECT_FALSE(set.contains("layers.3.mlp_gate"));
  EXPECT_TRUE(set.contains("lm_head"));
  EXPECT_TRUE(set.contains("layers.1.self_attn.o_proj"));
  EXPECT_FALSE(set.contains("layers.1.self_attn.no_proj"));
}

// A list of modules that is not one would leave them quantised unnoticed.
TEST(HfQuant, ModulesKeptPlainAreAListOfNames) {
  const auto message = [](const string& modules) {
    const Result<Model> m = read_hf_config(R"({"model_type": "llama", "hidden_size": 64,
      "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 100,
      "num_hidden_layers": 1, "quantization_config": {"quant_method": "fp8",
      "modules_to_not_convert": )" + modules + "}}",
                                           "config.json");
    return m ? string() : m.error().message;
  };
  EXPECT_EQ(message("null"), "");
  EXPECT_EQ(message("[]"), "");
  EXPECT_EQ(message(R"(["lm_head"])"), "");
  EXPECT_NE(message(R"(["lm_head", 3])").find("modules_to_not_convert[1] = 3"), string::npos);
  EXPECT_NE(message(R"("lm_head")").find("modules_to_not_convert = \"lm_head\""), string::npos);
}

}  // namespace
}  // namespace rooflens
