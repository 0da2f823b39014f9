// Ten thousand damaged configs: each is read or refused, within a second and 64 MB. And no key that
// matters can go missing unnoticed.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "rooflens/core/parameters.h"
#include "rooflens/readers/builtin_models.h"
#include "rooflens/readers/hf_config.h"

namespace rooflens {
namespace {

using std::string;

// Small enough to read quickly, of ten different families, with four quantisation blocks.
const std::vector<string>& seeds() {
  static const std::vector<string> texts{
      R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 4,
          "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128,
          "vocab_size": 100, "max_position_embeddings": 512, "torch_dtype": "bfloat16"})",
      R"({"model_type": "gemma3_text", "hidden_size": 64, "num_hidden_layers": 6,
          "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
          "intermediate_size": 128, "vocab_size": 100, "sliding_window": 32,
          "layer_types": ["sliding_attention", "full_attention", "sliding_attention",
          "sliding_attention", "sliding_attention", "full_attention"]})",
      R"({"model_type": "mixtral", "hidden_size": 64, "num_hidden_layers": 4,
          "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128,
          "num_local_experts": 8, "num_experts_per_tok": 2, "vocab_size": 100,
          "quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 32}})",
      R"({"model_type": "qwen3_moe", "hidden_size": 64, "num_hidden_layers": 4,
          "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
          "intermediate_size": 128, "moe_intermediate_size": 32, "num_experts": 8,
          "num_experts_per_tok": 2, "mlp_only_layers": [1], "vocab_size": 100,
          "quantization_config": {"quant_method": "compressed-tensors", "config_groups": {
          "group_0": {"targets": ["Linear"], "weights": {"num_bits": 4, "type": "int",
          "group_size": 32, "strategy": "group", "symmetric": true}}},
          "ignore": ["lm_head", "re:.*mlp.gate$"], "format": "pack-quantized"}})",
      R"({"model_type": "deepseek_v3", "hidden_size": 64, "num_hidden_layers": 5,
          "num_attention_heads": 4, "q_lora_rank": 32, "kv_lora_rank": 16, "qk_nope_head_dim": 8,
          "qk_rope_head_dim": 4, "v_head_dim": 8, "intermediate_size": 128,
          "moe_intermediate_size": 32, "n_routed_experts": 8, "num_experts_per_tok": 2,
          "n_shared_experts": 1, "first_k_dense_replace": 2, "num_nextn_predict_layers": 1,
          "vocab_size": 100, "quantization_config": {"quant_method": "fp8",
          "weight_block_size": [128, 128]}})",
      R"({"model_type": "qwen3_next", "hidden_size": 64, "num_hidden_layers": 4,
          "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
          "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 8,
          "linear_value_head_dim": 8, "moe_intermediate_size": 32, "num_experts": 8,
          "num_experts_per_tok": 2, "shared_expert_intermediate_size": 32, "vocab_size": 100})",
      R"({"model_type": "nemotron_h", "hidden_size": 64, "num_hidden_layers": 4,
          "hybrid_override_pattern": "M*-E", "num_attention_heads": 4, "num_key_value_heads": 2,
          "head_dim": 16, "mamba_head_dim": 16, "mamba_num_heads": 8, "ssm_state_size": 16,
          "n_groups": 2, "conv_kernel": 4, "intermediate_size": 128,
          "moe_intermediate_size": 32, "n_routed_experts": 8, "num_experts_per_tok": 2,
          "n_shared_experts": 1, "moe_shared_expert_intermediate_size": 64, "vocab_size": 100})",
      R"({"model_type": "chatglm", "hidden_size": 64, "num_layers": 4, "num_attention_heads": 4,
          "kv_channels": 16, "multi_query_attention": true, "multi_query_group_num": 2,
          "ffn_hidden_size": 128, "padded_vocab_size": 100, "add_qkv_bias": true})",
      R"({"model_type": "glm_moe_dsa", "hidden_size": 64, "num_hidden_layers": 4,
          "num_attention_heads": 4, "q_lora_rank": 32, "kv_lora_rank": 16, "qk_nope_head_dim": 8,
          "qk_rope_head_dim": 4, "v_head_dim": 8, "intermediate_size": 128,
          "moe_intermediate_size": 32, "n_routed_experts": 8, "num_experts_per_tok": 2,
          "n_shared_experts": 1, "first_k_dense_replace": 1, "index_n_heads": 2,
          "index_head_dim": 8, "index_topk": 16, "vocab_size": 100,
          "indexer_types": ["full", "full", "shared", "shared"]})",
      R"({"model_type": "nemotron-nas", "hidden_size": 96, "num_hidden_layers": 2,
          "num_attention_heads": 4, "vocab_size": 100, "block_configs": [
          {"attention": {"no_op": false, "n_heads_in_group": 2}, "ffn": {"ffn_mult": 2.5}},
          {"attention": {"no_op": true}, "ffn": {"ffn_mult": 1.25, "no_op": false}}]})",
  };
  return texts;
}

struct Random {
  std::uint64_t state;
  std::uint64_t next() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
};

// [begin, end) of the values that follow a colon, and of the keys before them.
struct Member {
  std::size_t key, value, end;
};

std::vector<Member> members(const string& text) {
  std::vector<Member> out;
  for (std::size_t at = text.find("\":"); at != string::npos; at = text.find("\":", at + 1)) {
    const std::size_t key = text.rfind('"', at - 1);
    const std::size_t value = text.find_first_not_of(" \n", at + 2);
    std::size_t end = value;
    int depth = 0;
    bool quoted = false;
    for (; end < text.size(); ++end) {
      const char c = text[end];
      if (c == '"') quoted = !quoted;
      if (quoted) continue;
      if (depth == 0 && (c == ',' || c == '}')) break;
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
    }
    out.push_back({key, value, end});
  }
  return out;
}

string nested(std::size_t depth, const string& open, const string& close) {
  string out;
  for (std::size_t i = 0; i < depth; ++i) out += open;
  out += "1";
  for (std::size_t i = 0; i < depth; ++i) out += close;
  return out;
}

string mutated(string text, Random& random) {
  static const std::vector<string> values{"null",
                                          "true",
                                          "false",
                                          "0",
                                          "1",
                                          "-1",
                                          "2",
                                          "3",
                                          "7",
                                          "0.5",
                                          "1e-300",
                                          "1e300",
                                          "1e308",
                                          "16777216",
                                          "16777217",
                                          "9007199254740993",
                                          "18446744073709551616",
                                          "-0",
                                          "NaN",
                                          "Infinity",
                                          "-Infinity",
                                          "\"\"",
                                          "\"auto\"",
                                          "\"64\"",
                                          "\"\\u0000\"",
                                          "\"full\"",
                                          "[]",
                                          "{}",
                                          "[1]",
                                          "[null]",
                                          "[0, 0, 0, 0]",
                                          "[1, 1, 1, 1]",
                                          "[\"full_attention\"]",
                                          "{\"a\": 1}",
                                          "10000",
                                          "65536",
                                          "[[[[]]]]",
                                          "\"fp8\"",
                                          "\"mxfp4\"",
                                          "\"re:(((a*)*)*)*b\"",
                                          "4096",
                                          "9999",
                                          "1000"};
  const std::size_t changes = 1 + random.below(3);
  for (std::size_t i = 0; i < changes; ++i) {
    const std::vector<Member> all = members(text);
    if (all.empty()) return text;
    const Member m = all[random.below(all.size())];
    switch (random.below(9)) {
      case 0:
      case 1:
      case 2:
        text.replace(m.value, m.end - m.value, values[random.below(values.size())]);
        break;
      case 3:
        text.erase(m.key, m.end - m.key + (m.end < text.size() && text[m.end] == ',' ? 1 : 0));
        break;
      case 4:
        text.insert(m.key + 1, "x");
        break;
      case 5:  // another member's value
        text.replace(m.value, m.end - m.value, [&] {
          const Member o = all[random.below(all.size())];
          return text.substr(o.value, o.end - o.value);
        }());
        break;
      case 6:
        text[random.below(text.size())] = static_cast<char>(random.below(256));
        break;
      case 7:
        text.resize(random.below(text.size()) + 1);
        return text;
      default:
        text.replace(m.value, m.end - m.value,
                     random.below(2) == 0 ? nested(1 + random.below(200), "[", "]")
                                          : nested(1 + random.below(200), "{\"a\":", "}"));
    }
  }
  return text;
}

// Processor time: the machine may be busy with other things.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Without optimisation the same bytes take ten times as long.
#if defined(__OPTIMIZE__)
constexpr std::size_t kMega = 1000000;
#else
constexpr std::size_t kMega = 100000;
#endif

// AddressSanitizer keeps freed memory and red zones, and takes its time: its peak says nothing
// about ours, and of its time only that there is no runaway.
#if defined(__SANITIZE_ADDRESS__)
constexpr double kMemoryLimit = INFINITY, kTimeLimit = 20;
#else
constexpr double kMemoryLimit = 64;  // MB above what the process held before
constexpr double kTimeLimit = 1;     // processor seconds
#endif

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Reads, and counts what was read: a model that is accepted must be fit for the arithmetic.
bool read_one(const string& text, double& slowest) {
  const double start = processor_seconds();
  const Result<Model> m = read_hf_config(text, "config.json");
  const double took = processor_seconds() - start;
  if (took > 1 && text.size() < 5000) std::printf("slow, %.1f s: %s\n", took, text.c_str());
  slowest = std::max(slowest, took);
  if (!m) {
    EXPECT_FALSE(m.error().message.empty());
    return false;
  }
  const double total = count_parameters(*m).total;
  EXPECT_TRUE(total > 0 && total < 1e300) << text;
  EXPECT_GE(kv_bytes_per_token(*m, Deployment{}), 0) << text;
  EXPECT_FALSE(m->layers.empty());
  return true;
}

TEST(HfHostile, TenThousandMutantsAreReadOrRefused) {
  double slowest = 0;
  for (const string& seed : seeds()) {
    EXPECT_TRUE(read_one(seed, slowest)) << read_hf_config(seed, "").error().message;
  }
  const double before = peak_megabytes();
  Random random{20260101};
  int read = 0;
  for (int i = 0; i < 10000; ++i) {
    const string text = mutated(seeds()[static_cast<std::size_t>(i) % seeds().size()], random);
    read += read_one(text, slowest) ? 1 : 0;
  }
  std::printf("mutants: %d of 10000 read, slowest %.3f s, %.0f MB more at the peak\n", read,
              slowest, peak_megabytes() - before);
  EXPECT_LT(slowest, kTimeLimit);
  EXPECT_LT(peak_megabytes() - before, kMemoryLimit);
}

TEST(HfHostile, BigBlanksAndDeepNestingAreBounded) {
  const std::vector<string> texts{
      string(200u << 20, ' '),
      "{" + string(30 * kMega, ' ') + "}",
      seeds()[0].substr(0, seeds()[0].size() - 1) + string(30 * kMega, '\n') + "}",
      string(kMega, '['),
      string(3 * kMega, '{'),
      "[" + string(20 * kMega, ',') + "]",
      "{\"a\": \"" + string(30 * kMega, 'x') + "\"}",
  };
  for (const string& text : texts) {
    double slowest = 0;
    const double before = peak_megabytes();
    read_one(text, slowest);
    EXPECT_LT(slowest, kTimeLimit) << text.size();
    EXPECT_LT(peak_megabytes() - before, kMemoryLimit) << text.size();
  }
}

TEST(HfHostile, ManyValuesAreBounded) {
  string numbers = "{\"a\": [0";
  string keys = "{\"a\": 1";
  for (std::size_t i = 0; i < 4 * kMega; ++i) numbers += ",0";
  for (std::size_t i = 0; i < kMega; ++i) keys += ",\"k" + std::to_string(i) + "\":[]";
  numbers += "]}";
  keys += "}";
  for (const string& text : {numbers, keys}) {
    double slowest = 0;
    const double before = peak_megabytes();
    read_one(text, slowest);
    EXPECT_LT(slowest, kTimeLimit);
    EXPECT_LT(peak_megabytes() - before, kMemoryLimit);
  }
}

// ---- no silent fall-back ------------------------------------------------------------------------

struct Figures {
  double total, active, kv, state;
  bool operator==(const Figures&) const = default;
};

Figures figures(const Model& m) {
  const Parameters p = count_parameters(m);
  return {p.total, p.active, kv_bytes_per_token(m, Deployment{}),
          state_bytes_per_sequence(m, Deployment{})};
}

// Keys whose absence has a meaning of its own, told as a default or as derived in the facts; those
// about quantisation change bytes, not these figures.
bool documented(const Model& without, const Model& with) {
  const auto count = [](const Model& m) {
    return std::count_if(m.facts.begin(), m.facts.end(), [](const Fact& f) {
      return f.origin.rfind("default", 0) == 0 || f.origin.rfind("derived", 0) == 0;
    });
  };
  return count(without) > count(with);
}

TEST(HfHostile, NoKeyThatMattersGoesMissingUnnoticed) {
  int errors = 0, warnings = 0, defaults = 0, same = 0;
  for (const string& seed : seeds()) {
    const Result<Model> whole = read_hf_config(seed, "");
    ASSERT_TRUE(whole);
    for (const Member& m : members(seed)) {
      for (bool rename : {false, true}) {
        string text = seed;
        const string key = seed.substr(m.key, m.value - m.key);
        if (rename) {
          text.insert(m.key + 1, "x_");
        } else {
          const bool last = seed[m.end] != ',';
          std::size_t from = m.key;
          if (last && seed.rfind(',', m.key) != string::npos &&
              seed.find_first_not_of(" \n", seed.rfind(',', m.key) + 1) == m.key) {
            from = seed.rfind(',', m.key);
          }
          text.erase(from, m.end - from + (last ? 0 : 1));
        }
        const Result<Model> part = read_hf_config(text, "");
        if (!part) {
          EXPECT_FALSE(part.error().message.empty());
          ++errors;
        } else if (part->warnings.size() > whole->warnings.size()) {
          ++warnings;
        } else if (figures(*part) == figures(*whole)) {
          ++same;
        } else {
          EXPECT_TRUE(documented(*part, *whole)) << key << " in " << seed;
          ++defaults;
        }
      }
    }
  }
  std::printf(
      "keys removed or renamed: %d errors, %d warnings, %d documented defaults, %d without "
      "a change\n",
      errors, warnings, defaults, same);
}

}  // namespace
}  // namespace rooflens
