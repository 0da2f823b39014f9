#include "rooflens/readers/builtin_models.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "rooflens/core/parameters.h"
#include "rooflens/readers/json_text.h"

namespace rooflens {
namespace {

using std::string;

// Parameter totals: vectors.json (kind params, params-detail), the corpus table's text_params, the
// hub's counts (llama, SOLAR, Qwen 2.5 14B, R1 distills), and the sums of hf_families_test.cpp.
const std::map<string, double>& published() {
  static const std::map<string, double> totals{
      {"meta-llama/Llama-3.1-8B", 8030261248.0},
      {"meta-llama/Llama-3.1-70B", 70553706496.0},
      {"meta-llama/Llama-3.1-405B", 405853388800.0},
      {"meta-llama/Llama-2-7b-hf", 6738415616.0},
      {"meta-llama/Llama-2-13b-hf", 13015864320.0},
      {"meta-llama/Llama-2-70b-hf", 68976648192.0},
      {"meta-llama/Llama-3.2-1B", 1235814400.0},
      {"meta-llama/Llama-3.2-3B", 3212749824.0},
      {"meta-llama/Llama-4-Scout-17B-16E-Instruct", 107769861120.0},
      {"meta-llama/Llama-4-Maverick-17B-128E-Instruct", 400711848960.0},
      {"mistralai/Mistral-7B-v0.1", 7241732096.0},
      {"mistralai/Mistral-Nemo-Instruct-2407", 12247782400.0},
      {"mistralai/Mixtral-8x7B-v0.1", 46702792704.0},
      {"mistralai/Mixtral-8x22B-v0.1", 140620634112.0},
      {"Qwen/Qwen3-0.6B", 596049920.0},
      {"Qwen/Qwen3-1.7B", 1720574976.0},
      {"Qwen/Qwen3-8B", 8190735360.0},
      {"Qwen/Qwen3-14B", 14768307200.0},
      {"Qwen/Qwen3-32B", 32762123264.0},
      {"Qwen/Qwen3-30B-A3B", 30532122624.0},
      {"Qwen/Qwen3-235B-A22B", 235093634560.0},
      {"Qwen/Qwen3-Coder-480B-A35B-Instruct", 480154875392.0},
      {"Qwen/Qwen3-Next-80B-A3B-Instruct", 79674391296.0},
      {"Qwen/Qwen3.6-27B-FP8", 26895998464.0},
      {"Qwen/Qwen3.6-35B-A3B-FP8", 34660610688.0},
      {"Qwen/Qwen2.5-7B-Instruct", 7615616512.0},
      {"Qwen/Qwen2.5-32B", 32763876352.0},
      {"Qwen/Qwen2.5-72B", 72706203648.0},
      {"deepseek-ai/DeepSeek-V3", 671026419200.0},
      {"deepseek-ai/DeepSeek-V2-Lite", 15706484224.0},
      {"google/gemma-3-27b-it", 27009346304.0},
      {"google/gemma-2-9b", 9241705984.0},
      {"openai/gpt-oss-20b", 20914757184.0},
      {"openai/gpt-oss-120b", 116829156672.0},
      {"moonshotai/Kimi-K2-Instruct", 1026408232448.0},
      {"zai-org/GLM-4.5", 352797829024.0},
      {"microsoft/phi-4", 14659507200.0},
      {"state-spaces/mamba-2.8b-hf", 2768345600.0},
      {"meta-llama/Meta-Llama-3-8B", 8030261248.0},
      {"meta-llama/Meta-Llama-3-70B", 70553706496.0},
      {"huggyllama/llama-7b", 6738415616.0},
      {"huggyllama/llama-13b", 13015864320.0},
      {"TinyLlama/TinyLlama-1.1B-Chat-v1.0", 1100048384.0},
      {"upstage/SOLAR-10.7B-v1.0", 10731524096.0},
      {"deepseek-ai/DeepSeek-R1-Distill-Llama-8B", 8030261248.0},
      {"mistralai/Mistral-7B-Instruct-v0.2", 7241732096.0},
      {"mistralai/Mistral-Small-24B-Instruct-2501", 23572403200.0},
      {"mistralai/Devstral-Small-2505", 23572403200.0},
      {"Qwen/Qwen2.5-0.5B", 494032768.0},
      {"Qwen/Qwen2.5-1.5B", 1543714304.0},
      {"Qwen/Qwen2.5-3B", 3085938688.0},
      {"Qwen/Qwen2.5-Coder-3B-Instruct", 3085938688.0},
      {"Qwen/Qwen2.5-14B", 14770033664.0},
      {"Qwen/Qwen2-72B", 72706203648.0},
      {"Qwen/QwQ-32B", 32763876352.0},
      {"deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B", 1777088000.0},
      {"deepseek-ai/DeepSeek-R1-Distill-Qwen-14B", 14770033664.0},
      {"Qwen/Qwen3-4B", 4022468096.0},
      {"Qwen/Qwen3-Coder-30B-A3B-Instruct", 30532122624.0},
      {"Qwen/Qwen3.5-35B-A3B", 34660610688.0},
      {"Qwen/Qwen3.5-122B-A10B", 122111526912.0},
      {"Qwen/Qwen3.5-397B-A17B", 396346350336.0},
      {"Qwen/Qwen3.5-27B", 26895998464.0},
      {"google/gemma-2-2b", 2614341888.0},
      {"google/gemma-3-1b-it", 999885952.0},
      {"google/gemma-4-26B-A4B", 25233141790.0},
      {"microsoft/Phi-3.5-mini-instruct", 3821079552.0},
      {"microsoft/phi-2", 2779683840.0},
      {"openai-community/gpt2", 124439808.0},
      {"HuggingFaceTB/SmolLM3-3B", 3075098624.0},
      {"LiquidAI/LFM2-1.2B", 1170340608.0},
      {"MiniMaxAI/MiniMax-M2", 228689764864.0},
      {"zai-org/GLM-5", 743911218432.0},
      {"nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", 31577940288.0},
  };
  return totals;
}

TEST(BuiltinModels, EveryRowIsReadAndUnique) {
  std::set<std::string_view> names;
  for (const BuiltinModel& row : builtin_models()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.source.empty()) << row.name;
    const Result<Model> model = builtin_model(row.name);
    ASSERT_TRUE(model.has_value()) << row.name << ": " << model.error().message;
    EXPECT_EQ(model->name, row.name);
    EXPECT_GT(model->max_context, row.model_type == "mamba" ? -1 : 0) << row.name;
    for (const Fact& fact : model->facts) EXPECT_NE(fact.origin, "file") << row.name;
  }
  EXPECT_GE(names.size(), 80u);
}

TEST(BuiltinModels, TotalsAreThePublishedOnes) {
  for (const auto& [name, total] : published()) {
    const Result<Model> model = builtin_model(name);
    ASSERT_TRUE(model.has_value()) << name << ": " << model.error().message;
    EXPECT_EQ(count_parameters(*model).total, total) << name;
  }
}

TEST(BuiltinModels, StoredElementsOfTheFp8RepositoriesAreExact) {
  // spec: 27,356,728,560 text and vision + 424,699,392 MTP; 35,107,181,936 + 844,640,768
  const auto stored = [](const char* name) {
    const Model m = *builtin_model(name);
    double all = count_parameters(m).total;
    for (const Extra& extra : m.extras) all += extra.parameters;
    return all;
  };
  EXPECT_EQ(stored("Qwen/Qwen3.6-27B-FP8"), 27356728560.0 + 424699392.0);
  EXPECT_EQ(stored("Qwen/Qwen3.6-35B-A3B-FP8"), 35107181936.0 + 844640768.0);
  // Tensor bytes: 30.87 GB and 37.45 GB with bf16 scales.
  const auto bytes = [](const char* name) {
    const Model m = *builtin_model(name);
    double all = weight_bytes(m, Deployment{});
    for (const Extra& extra : m.extras) all += extra.bytes;
    return all;
  };
  EXPECT_NEAR(bytes("Qwen/Qwen3.6-27B-FP8") / 1e9, 30.87, 0.005);
  EXPECT_NEAR(bytes("Qwen/Qwen3.6-35B-A3B-FP8") / 1e9, 37.45, 0.005);
}

// ---- the models of vectors.json, layer by layer
// --------------------------------------------------------

double number(const Json& object, std::string_view key) {
  const Json* value = object.get(key);
  return value != nullptr ? value->number : 0;
}

bool flag(const Json& object, std::string_view key) {
  const Json* value = object.get(key);
  return value != nullptr && value->boolean;
}

Mixer vector_mixer(const Json& m) {
  const string& kind = m.find("kind")->string;
  if (kind == "attn") {
    Attention a;
    a.query_heads = number(m, "nq");
    a.kv_heads = number(m, "nkv");
    a.key_dim = number(m, "dk");
    a.value_dim = number(m, "dv");
    a.window = number(m, "window");
    a.chunk = number(m, "chunk");
    a.sink_params = number(m, "sink_params");
    a.rope_fraction = number(m, "rope_frac");
    a.gated = flag(m, "gate");
    a.qkv_bias = flag(m, "bias_qkv");
    a.out_bias = flag(m, "bias_o");
    a.qk_norm = flag(m, "qk_norm") ? QkNorm::head : QkNorm::none;
    return a;
  }
  if (kind == "mla") {
    LatentAttention a{.heads = number(m, "nh"), .query_rank = number(m, "q_lora")};
    a.kv_rank = number(m, "kv_lora");
    a.nope_dim = number(m, "nope");
    a.rope_dim = number(m, "rope");
    a.value_dim = number(m, "v");
    if (const Json* index = m.get("index")) {
      a.index = {number(*index, "heads"), number(*index, "dim"), number(*index, "topk")};
    }
    return a;
  }
  if (kind == "gdn") {
    return GatedDeltaNet{number(m, "nk"), number(m, "nv"), number(m, "dk"), number(m, "dv"),
                         number(m, "conv")};
  }
  if (kind == "kda") {
    return KimiDelta{number(m, "nh"), number(m, "dk"), number(m, "dv"), number(m, "conv")};
  }
  EXPECT_EQ(kind, "mamba1");
  return Mamba1{.inner = number(m, "d_inner"),
                .state = number(m, "N"),
                .dt_rank = number(m, "dt_rank"),
                .conv = number(m, "conv")};
}

FeedForward vector_ffn(const Json& f) {
  const string& kind = f.find("kind")->string;
  if (kind == "none") return NoFeedForward{};
  if (kind == "dense") {
    return Dense{.width = number(f, "f"), .matrices = number(f, "mats"), .bias = flag(f, "bias")};
  }
  MixtureOfExperts m{.experts = number(f, "E"), .active = number(f, "k"), .width = number(f, "f")};
  m.shared_width = number(f, "shared");
  m.matrices = number(f, "mats");
  m.shared_gate = flag(f, "shared_gate");
  m.bias = flag(f, "bias");
  m.router_bias = flag(f, "router_bias");
  return m;
}

TEST(BuiltinModels, LayersAreThoseOfTheVectors) {
  std::ifstream in(string(ROOFLENS_SOURCE_DIR) + "/tests/vectors.json", std::ios::binary);
  if (!in) GTEST_SKIP() << "no tests/vectors.json";
  std::ostringstream text;
  text << in.rdbuf();
  const auto document = parse_json(text.str(), "vectors.json");
  ASSERT_TRUE(document.has_value());
  const std::pair<const char*, const char*> pairs[] = {
      {"llama-2-70b", "Llama-2-70b-hf"},
      {"llama-3.1-8b", "Llama-3.1-8B"},
      {"mistral-7b-v0.1", "Mistral-7B-v0.1"},
      {"mixtral-8x7b", "Mixtral-8x7B-v0.1"},
      {"qwen2.5-72b", "Qwen2.5-72B"},
      {"qwen3-0.6b", "Qwen3-0.6B"},
      {"qwen3-32b", "Qwen3-32B"},
      {"qwen3-30b-a3b", "Qwen3-30B-A3B"},
      {"qwen3-next-80b-a3b", "Qwen3-Next-80B-A3B-Instruct"},
      {"qwen3.6-27b", "Qwen3.6-27B"},
      {"qwen3.6-35b-a3b", "Qwen3.6-35B-A3B-FP8"},
      {"deepseek-v2-lite", "DeepSeek-V2-Lite"},
      {"deepseek-v3", "DeepSeek-V3"},
      {"deepseek-v3.2", "DeepSeek-V3.2-Exp"},
      {"kimi-k2", "Kimi-K2-Instruct"},
      {"kimi-linear-48b-a3b", "Kimi-Linear-48B-A3B-Instruct"},
      {"gpt-oss-20b", "gpt-oss-20b"},
      {"gpt-oss-120b", "gpt-oss-120b"},
      {"gemma-3-27b", "gemma-3-27b-it"},
      {"llama-4-scout", "Llama-4-Scout-17B-16E-Instruct"},
      {"mamba-2.8b", "mamba-2.8b-hf"},
  };
  const Json& models = *document->root.find("models");
  for (const auto& [vector, name] : pairs) {
    const Json* want = models.find(vector);
    ASSERT_NE(want, nullptr) << vector;
    const Result<Model> got = builtin_model(name);
    ASSERT_TRUE(got.has_value()) << name << ": " << got.error().message;
    EXPECT_EQ(got->hidden, number(*want, "d")) << name;
    EXPECT_EQ(got->vocabulary, number(*want, "V")) << name;
    EXPECT_EQ(got->tied, flag(*want, "tied")) << name;
    const auto& layers = want->find("layers")->items;
    ASSERT_EQ(got->order.size(), layers.size()) << name;
    for (std::size_t l = 0; l < layers.size(); ++l) {
      const Layer& layer = got->layers[got->order[l]];
      Mixer mixer = layer.mixer;
      if (auto* a = std::get_if<Attention>(&mixer); a != nullptr && a->rope_fraction == 0) {
        a->rope_fraction = 1;  // the vectors keep RoPE on Llama 4's layers without positions
      }
      EXPECT_TRUE(mixer == vector_mixer(*layers[l].find("mixer"))) << name << " layer " << l;
      EXPECT_TRUE(layer.ffn == vector_ffn(*layers[l].find("ffn"))) << name << " layer " << l;
      EXPECT_EQ(layer.mixer_norms + layer.ffn_norms, number(*want, "norms")) << name;
    }
  }
}

TEST(BuiltinModels, NamesAreForgiving) {
  EXPECT_EQ(builtin_model("qwen/QWEN3-8b")->name, "Qwen/Qwen3-8B");
  EXPECT_EQ(builtin_model("Qwen3-8B")->name, "Qwen/Qwen3-8B");
  const Result<Model> miss = builtin_model("Qwen/Qwen3-80B");
  ASSERT_FALSE(miss.has_value());
  EXPECT_EQ(miss.error().code, ErrorCode::not_found);
  EXPECT_NE(miss.error().hint.find("Qwen/Qwen3-8B"), string::npos);
  const auto near = nearest_builtin_models("llama 3.1 8b", 3);
  ASSERT_EQ(near.size(), 3u);
  EXPECT_EQ(near[0], "meta-llama/Llama-3.1-8B");
  EXPECT_FALSE(builtin_model("").has_value());
  EXPECT_FALSE(builtin_model(string(100000, 'x')).has_value());
}

TEST(BuiltinModels, QuantisedRowsSayWhatTheyFeed) {
  const Model v3 = *builtin_model("DeepSeek-V3");
  EXPECT_EQ(v3.gemm_input, Element::fp8);
  EXPECT_EQ(storage_name(v3.layers[0].weight(Slot::mix_in).storage), "fp8_block128");
  const Model oss = *builtin_model("gpt-oss-20b");
  EXPECT_EQ(oss.gemm_input, Element::bf16);
  EXPECT_EQ(storage_name(oss.layers[0].weight(Slot::experts_up).storage), "mxfp4");
  // 13,761,264,768 bytes: the total size of its index
  EXPECT_EQ(weight_bytes(oss, Deployment{}), 13761264768.0);
}

}  // namespace
}  // namespace rooflens
