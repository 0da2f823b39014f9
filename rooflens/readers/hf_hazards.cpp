#include "rooflens/readers/hf_hazards.h"

#include <array>

#include "rooflens/readers/hf_layers.h"

namespace rooflens {
namespace {

struct Hazard {
  std::string_view key;
  std::string_view reason;
};

// Present, and not null, false, 0, "", [] or {}: the model is something else than it is read as.
constexpr std::array kHazards{
    Hazard{"altup_num_inputs", "AltUp is not modelled"},
    Hazard{"laurel_rank", "LAuReL blocks are not modelled"},
    Hazard{"hidden_size_per_layer_input", "per-layer embeddings are not modelled"},
    Hazard{"num_kv_shared_layers", "layers that share an earlier cache are not read yet"},
    Hazard{"use_double_wide_mlp", "double-wide feed-forwards are not modelled"},
    Hazard{"hc_mult", "hyper-connections are not modelled"},
    Hazard{"compress_ratios", "compressed attention is not modelled"},
    Hazard{"use_cla", "layers that share an earlier cache are not read yet"},
    Hazard{"is_encoder_decoder", "encoder-decoders are not modelled"},
    Hazard{"cross_attention_layers", "cross attention is not modelled"},
    Hazard{"block_configs", "layers with their own shapes are not read yet"},
    Hazard{"hybrid_override_pattern", "this pattern of layers is not read yet"},
    Hazard{"layers_block_type", "this pattern of layers is not read yet"},
    Hazard{"hybrid_layer_pattern", "this pattern of layers is not read yet"},
    Hazard{"attn_type_list", "this pattern of layers is not read yet"},
    Hazard{"attn_layer_period", "this pattern of layers is not read yet"},
    Hazard{"sparse_attention_config", "this sparse attention is not modelled"},
    Hazard{"routed_expert_hidden_size", "experts in a narrower space are not read yet"},
    Hazard{"moe_latent_size", "experts in a narrower space are not read yet"},
    Hazard{"mla_use_output_gate", "gated latent attention is not modelled"},
    Hazard{"attn_res_block_size", "residual attention is not modelled"},
    Hazard{"num_hash_layers", "hash layers are not modelled"},
    Hazard{"blocksparse_num_local_blocks", "block-sparse attention is not modelled"},
    Hazard{"zero_expert_num", "zero-computation experts are not modelled"},
    Hazard{"mamba_d_ssm", "a state-space mixer beside attention is not modelled"},
    Hazard{"qk_layernorm", "this norm of queries and keys is not read yet"},
    Hazard{"attention_other_setting", "layers with their own head counts are not read yet"},
    Hazard{"use_head_wise_attn_gate", "a gate on each head is not modelled"},
    Hazard{"cross_layer_attention", "layers that share an earlier cache are not read yet"},
    Hazard{"total_ut_steps", "layers that run several times are not modelled"},
    Hazard{"use_moe", "experts of this family are not known"},
    Hazard{"use_mamba", "a state-space mixer of this family is not known"},
    Hazard{"hyper_connection", "hyper-connections are not modelled"},
    Hazard{"differential_attention", "differential attention is not modelled"},
    Hazard{"ngram_vocab_size", "embeddings of n-grams are not modelled"},
    Hazard{"use_parallel_residual", "parallel blocks of this family are not read yet"},
};

bool says_something(const Json& value) {
  switch (value.kind) {
    case Json::Kind::null:
      return false;
    case Json::Kind::boolean:
      return value.boolean;
    case Json::Kind::number:
      return value.number != 0;
    case Json::Kind::string:
      return !value.string.empty();
    case Json::Kind::array:
    case Json::Kind::object:
      return !value.items.empty();
  }
  return false;
}

// Says no, or under an assumption warns.
struct Refuser {
  Fields& f;
  bool assumed;
  void operator()(std::string_view key, const Json& value, std::string_view reason) const {
    const std::string message =
        std::string(key) + " = " + brief(value) + ": " + std::string(reason);
    if (assumed) {
      f.warn(message + "; left out under the assumption");
      return;
    }
    f.error(ErrorCode::unsupported, message, key,
            "reading it as a plain " + std::string(f.family().model_type) + " would be wrong");
  }
};

}  // namespace

void check_hazards(Fields& f, bool assumed) {
  const Refuser refuse{f, assumed};
  const Json& text = f.text_keys();
  for (const Hazard& hazard : kHazards) {
    const Json* value = text.get(hazard.key);
    if (f.reads(hazard.key)) continue;
    if (value != nullptr && says_something(*value)) refuse(hazard.key, *value, hazard.reason);
  }
  // Keys that some families read and the others cannot have.
  const Feeding feeding = f.family().feeding;
  const Mixing mixing = f.family().mixing;
  if (!has_own_layers(f.family()) && (feeding == Feeding::dense || feeding == Feeding::none)) {
    for (std::string_view key :
         {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts", "n_experts"}) {
      const Json* value = text.get(key);
      if (value != nullptr && says_something(*value) && value->number > 1) {
        Refuser{f, false}(key, *value, "a dense family with experts is not known");
      }
    }
  }
  if (mixing != Mixing::latent && mixing != Mixing::kimi) {
    for (std::string_view key : {"kv_lora_rank", "index_topk"}) {
      const Json* value = text.get(key);
      if (value != nullptr && says_something(*value)) {
        refuse(key, *value, "this family has no latent attention");
      }
    }
  }
  // Harmless when they say what the rest of the file says.
  const Json* embedded = text.get("word_embed_proj_dim");
  const Json* hidden = text.get("hidden_size");
  if (embedded != nullptr && (hidden == nullptr || embedded->number != hidden->number)) {
    refuse("word_embed_proj_dim", *embedded, "a projected embedding is not modelled");
  }
  const Json* end = text.get("moe_layer_end_index");
  const Json* layers = text.get("num_hidden_layers");
  if (end != nullptr && end->number != -1 &&
      (layers == nullptr || end->number != layers->number - 1)) {
    refuse("moe_layer_end_index", *end, "dense layers at the end are not read yet");
  }
  if (f.flag_or("embedding in fp32 beside", {"use_full_rank_gate"}, false)) {
    refuse("use_full_rank_gate", *text.get("use_full_rank_gate"),
           "a full-rank gate is not modelled");
  }
  const Json* linear = text.get("linear_attn_config");
  const Json* gate = linear != nullptr ? linear->get("use_full_rank_gate") : nullptr;
  if (gate != nullptr && says_something(*gate)) {
    refuse("linear_attn_config.use_full_rank_gate", *gate, "a full-rank gate is not modelled");
  }
}

}  // namespace rooflens
