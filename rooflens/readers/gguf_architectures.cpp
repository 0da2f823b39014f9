#include "rooflens/readers/gguf_architectures.h"

#include <array>
#include <vector>

#include "rooflens/readers/words.h"

namespace rooflens {
namespace embedded {
extern const std::string_view gguf_tsv;
}

namespace {

const std::vector<GgufArchitecture>& rows() {
  static const std::vector<GgufArchitecture> table = [] {
    std::vector<GgufArchitecture> out;
    std::string_view rest = embedded::gguf_tsv;
    take(rest, '\n');  // column names
    while (!rest.empty()) {
      std::string_view line = take(rest, '\n');
      if (line.empty() || line.front() == '#') continue;
      GgufArchitecture row;
      row.name = take(line, '\t');
      row.model_type = take(line, '\t');
      row.entries = take(line, '\t');
      out.push_back(row);
    }
    return out;
  }();
  return table;
}

const GgufArchitecture* row_of(std::string_view name) {
  for (const GgufArchitecture& row : rows()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

constexpr std::array kRenames{
    GgufRename{"embedding_length", "hidden_size"},
    GgufRename{"context_length", "max_position_embeddings"},
    GgufRename{"attention.sliding_window", "sliding_window"},
    GgufRename{"attention.chunk_size", "attention_chunk_size"},
    GgufRename{"expert_used_count", "num_experts_per_tok"},
    GgufRename{"expert_shared_count", "n_shared_experts"},
    GgufRename{"expert_shared_feed_forward_length", "shared_expert_intermediate_size"},
    GgufRename{"leading_dense_block_count", "first_k_dense_replace", true},
    GgufRename{"embedding_length_per_layer_input", "hidden_size_per_layer_input"},
    GgufRename{"attention.shared_kv_layers", "num_kv_shared_layers"},
    GgufRename{"moe_latent_size", "moe_latent_size"},
    GgufRename{"interleave_moe_layer_step", "interleave_moe_layer_step"},
    GgufRename{"attention.q_lora_rank", "q_lora_rank"},
    GgufRename{"attention.kv_lora_rank", "kv_lora_rank"},
    GgufRename{"full_attention_interval", "full_attention_interval"},
    GgufRename{"shortconv.l_cache", "conv_L_cache"},
};

// Those that gguf_config sets itself.
constexpr std::array kOthers{
    GgufRename{"block_count", "num_hidden_layers"},
    GgufRename{"feed_forward_length", "intermediate_size"},
    GgufRename{"attention.head_count", "num_attention_heads"},
    GgufRename{"attention.head_count_kv", "num_key_value_heads"},
    GgufRename{"expert_count", "num_local_experts"},
    GgufRename{"expert_count", "num_experts"},
    GgufRename{"expert_feed_forward_length", "moe_intermediate_size"},
    GgufRename{"vocab_size", "vocab_size"},
};

}  // namespace

const GgufArchitecture* find_gguf_architecture(std::string_view name, const GgufTraits& traits) {
  const std::string experts = std::string(name) + "+experts";
  if (traits.experts && traits.sigmoid_router) {
    if (const GgufArchitecture* row = row_of(experts + "+sigmoid")) return row;
  }
  if (traits.experts) {
    if (const GgufArchitecture* row = row_of(experts)) return row;
  }
  return row_of(name);
}

std::span<const GgufRename> gguf_renames() { return kRenames; }

std::string gguf_key(std::string_view config_key) {
  for (std::span<const GgufRename> renames :
       {gguf_renames(), std::span<const GgufRename>(kOthers)}) {
    for (const GgufRename& r : renames) {
      if (r.config == config_key) return std::string(r.gguf);
    }
  }
  return {};
}

}  // namespace rooflens
