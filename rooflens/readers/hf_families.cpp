#include "rooflens/readers/hf_families.h"

#include <algorithm>
#include <array>

namespace rooflens {
namespace {

using enum Mixing;
using enum Feeding;

// Sources: the classes' own defaults as confirmed by exact parameter counts (docs/data.md).
constexpr std::array kFamilies{
    // llama and those that are llama under another name
    Family{"llama", attention, dense, Windows::none, ""},
    Family{"mistral", attention, dense, Windows::all, "num_key_value_heads=8"},
    Family{"ministral", attention, dense, Windows::all, "num_key_value_heads=8"},
    Family{"ministral3", attention, dense, Windows::all, "num_key_value_heads=8"},
    Family{"smollm3", attention, dense, Windows::enabled,
           "tie_word_embeddings=true,num_key_value_heads=4,no_rope_layer_interval=4"},
    Family{"baichuan", attention, dense, Windows::none, ""},
    Family{"xverse", attention, dense, Windows::none, ""},
    Family{"internlm", attention, dense, Windows::none, "attention_bias=true"},
    Family{"internlm2", attention, dense, Windows::none, ""},
    Family{"stablelm", attention, dense, Windows::none,
           "norm_bias=true,bias_covers=qkv,partial_rotary_factor=0.25"},
    Family{"exaone", attention, dense, Windows::none, ""},
    Family{"seed_oss", attention, dense, Windows::none,
           "head_dim=128,attention_bias=true,bias_covers=qkv"},
    Family{"phi3", attention, dense, Windows::all, ""},
    Family{"cohere", attention, dense, Windows::none,
           "tie_word_embeddings=true,norms=1,use_qk_norm=false,qk_norm=full"},
    Family{"cohere2", attention, dense, Windows::pattern,
           "tie_word_embeddings=true,norms=1,sliding_window=4096,sliding_window_pattern=4,"
           "full_layers_without_rope=true"},
    Family{"olmo2", attention, dense, Windows::none, "qk_norm=full"},
    Family{"olmo3", attention, dense, Windows::pattern,
           "qk_norm=full,sliding_window=4096,sliding_window_pattern=4"},
    Family{"qwen", attention, dense, Windows::none,
           "attention_bias=true,bias_covers=qkv,stored_width_factor=2"},
    Family{"qwen2", attention, dense, Windows::enabled, "attention_bias=true,bias_covers=qkv"},
    Family{"qwen2_vl", attention, dense, Windows::enabled, "attention_bias=true,bias_covers=qkv"},
    Family{"qwen2_vl_text", attention, dense, Windows::enabled,
           "attention_bias=true,bias_covers=qkv"},
    Family{"qwen2_5_vl", attention, dense, Windows::enabled, "attention_bias=true,bias_covers=qkv"},
    Family{"qwen2_5_vl_text", attention, dense, Windows::enabled,
           "attention_bias=true,bias_covers=qkv"},
    Family{"mimo", attention, dense, Windows::enabled, "attention_bias=true,bias_covers=qkv"},
    Family{"qwen3", attention, dense, Windows::enabled, "head_dim=128,qk_norm=head"},
    Family{"qwen3_vl_text", attention, dense, Windows::none, "head_dim=128,qk_norm=head"},
    Family{"gemma", attention, dense, Windows::none, "head_dim=256,tie_word_embeddings=true"},
    Family{"gemma2", attention, dense, Windows::even,
           "head_dim=256,tie_word_embeddings=true,norms=4,sliding_window=4096"},
    Family{"gemma3_text", attention, dense, Windows::pattern,
           "head_dim=256,tie_word_embeddings=true,norms=4,qk_norm=head,sliding_window=4096,"
           "sliding_window_pattern=6,num_attention_heads=8,num_key_value_heads=4,"
           "vocab_size=262208,max_position_embeddings=131072"},
    Family{"gemma4_text", attention, gemma4, Windows::pattern,
           "head_dim=256,tie_word_embeddings=true,norms=4,qk_norm=head,sliding_window=512,"
           "sliding_window_pattern=6"},
    // mixtures of experts
    Family{"mixtral", attention, mixtral, Windows::all, "num_key_value_heads=8"},
    Family{"granitemoe", attention, mixtral, Windows::none, ""},
    Family{"olmoe", attention, mixtral, Windows::none, "qk_norm=full"},
    Family{"phimoe", attention, mixtral, Windows::all, "norm_bias=true"},
    Family{"gpt_oss", attention, mixtral, Windows::even,
           "head_dim=64,attention_bias=true,sinks=true,expert_bias=true,router_bias=true,"
           "sliding_window=128"},
    Family{"qwen2_moe", attention, qwen, Windows::enabled, "attention_bias=true,bias_covers=qkv"},
    Family{"qwen3_moe", attention, qwen, Windows::enabled, "head_dim=128,qk_norm=head"},
    Family{"qwen3_vl_moe_text", attention, qwen, Windows::none, "head_dim=128,qk_norm=head"},
    Family{"llama4_text", attention, llama4, Windows::chunked,
           "head_dim=128,num_key_value_heads=8,attention_chunk_size=8192,"
           "no_rope_layer_interval=4,interleave_moe_layer_step=1"},
    Family{"glm4_moe", attention, deepseek, Windows::none,
           "bias_covers=qkv,qk_norm=head,use_qk_norm=false,router_bias=true,"
           "partial_rotary_factor=0.5,first_k_dense_replace=1"},
    // latent attention
    Family{"deepseek_v2", latent, deepseek, Windows::none, "first_k_dense_replace=0"},
    Family{"deepseek_v3", latent, deepseek, Windows::none,
           "router_bias=true,first_k_dense_replace=3"},
    Family{"deepseek_v32", latent, deepseek, Windows::none,
           "router_bias=true,first_k_dense_replace=3"},
    Family{"kimi_k2", latent, deepseek, Windows::none, "router_bias=true,first_k_dense_replace=3"},
    Family{"glm_moe_dsa", latent, deepseek, Windows::none,
           "router_bias=true,first_k_dense_replace=3"},
    // hybrids
    Family{"qwen3_next", delta, qwen, Windows::none,
           "qk_norm=head,attn_output_gate=true,partial_rotary_factor=0.25,head_dim=256,"
           "full_attention_interval=4,linear_conv_kernel_dim=4"},
    Family{"qwen3_5_text", delta, dense, Windows::none,
           "qk_norm=head,attn_output_gate=true,partial_rotary_factor=0.25,head_dim=256,"
           "full_attention_interval=4,linear_conv_kernel_dim=4"},
    Family{"qwen3_5_moe_text", delta, qwen, Windows::none,
           "qk_norm=head,attn_output_gate=true,partial_rotary_factor=0.25,head_dim=256,"
           "full_attention_interval=4,linear_conv_kernel_dim=4"},
    Family{"kimi_linear", kimi, deepseek, Windows::none,
           "router_bias=true,first_k_dense_replace=1"},
    Family{"lfm2", conv, dense, Windows::none,
           "tie_word_embeddings=true,qk_norm=head,block_auto_adjust_ff_dim=true,"
           "block_multiple_of=256,block_ffn_dim_multiplier=1,conv_L_cache=3"},
    Family{"mamba", mamba1, none, Windows::none,
           "tie_word_embeddings=true,expand=2,state_size=16,conv_kernel=4"},
    Family{"mamba2", mamba2, none, Windows::none,
           "tie_word_embeddings=true,expand=2,state_size=128,conv_kernel=4,head_dim=64,"
           "n_groups=8"},
};

struct Refusal {
  std::string_view model_type, reason;
};

constexpr std::string_view kEncoder = "an encoder: it generates no tokens";
constexpr std::string_view kEncoderDecoder = "an encoder-decoder: not modelled";

constexpr std::array kRefusals{
    Refusal{"bert", kEncoder},
    Refusal{"roberta", kEncoder},
    Refusal{"xlm-roberta", kEncoder},
    Refusal{"distilbert", kEncoder},
    Refusal{"deberta-v2", kEncoder},
    Refusal{"electra", kEncoder},
    Refusal{"mpnet", kEncoder},
    Refusal{"modernbert", kEncoder},
    Refusal{"nomic_bert", kEncoder},
    Refusal{"clip", kEncoder},
    Refusal{"siglip", kEncoder},
    Refusal{"vit", kEncoder},
    Refusal{"t5", kEncoderDecoder},
    Refusal{"mt5", kEncoderDecoder},
    Refusal{"umt5", kEncoderDecoder},
    Refusal{"t5gemma", kEncoderDecoder},
    Refusal{"bart", kEncoderDecoder},
    Refusal{"mbart", kEncoderDecoder},
    Refusal{"marian", kEncoderDecoder},
    Refusal{"pegasus", kEncoderDecoder},
    Refusal{"whisper", kEncoderDecoder},
    Refusal{"ultravox", "it only names its text model and gives no sizes: give the base model"},
    Refusal{"deepseek_v4",
            "compressed attention per layer, hyper-connections and hash layers are not modelled"},
    Refusal{
        "deepseek_ref",
        "DeepSeek-V4: compressed attention, hyper-connections and hash layers are not modelled"},
    Refusal{"minimax_m3", "block-sparse attention is not modelled"},
    Refusal{"minimax_m3_vl", "block-sparse attention is not modelled"},
    Refusal{"minimax_m1", "lightning attention is not modelled"},
    Refusal{"minimax_text_01", "lightning attention is not modelled"},
    Refusal{"kimi_k3",
            "gated latent attention, residual attention and latent experts are not modelled"},
    Refusal{"gemma3n", "AltUp, LAuReL, per-layer embeddings and shared KV are not modelled"},
    Refusal{"gemma3n_text", "AltUp, LAuReL, per-layer embeddings and shared KV are not modelled"},
    Refusal{"mllama", "cross-attention layers that keep an image's KV are not modelled"},
    Refusal{"mllama_text_model", "cross-attention layers that keep an image's KV are not modelled"},
    Refusal{"nemotron-nas", "layers without attention or with their own widths are not read yet"},
    Refusal{"nemotron_h", "Mamba-2, attention and expert layers by pattern are not read yet"},
    Refusal{"jamba", "Mamba-1 and attention by period are not read yet"},
    Refusal{"bamba", "Mamba-2 hybrids are not read yet"},
    Refusal{"zamba2", "shared attention blocks are not modelled"},
    Refusal{"falcon_h1", "attention and Mamba-2 side by side in one layer are not modelled"},
    Refusal{"granitemoehybrid", "Mamba-2 hybrids are not read yet"},
    Refusal{"mimo_v2_flash", "different key and value sizes by layer are not read yet"},
    Refusal{"step3p7", "different head counts by layer are not read yet"},
    Refusal{"hunyuan_v1_moe", "per-layer lists of expert sizes are not read yet"},
    Refusal{"orion", "whether its norms have a bias is not established"},
    Refusal{"rwkv", "RWKV mixing is not modelled"},
    Refusal{"rwkv7", "RWKV mixing is not modelled"},
    Refusal{"recurrent_gemma", "RG-LRU mixing is not modelled"},
};

struct WrapperRow {
  std::string_view wrapper, defaults;
};
constexpr std::array kWrappers{
    WrapperRow{"llava",
               "hidden_size=4096,num_hidden_layers=32,num_attention_heads=32,"
               "intermediate_size=11008,vocab_size=32000"},
};

// Lower case without "_" and "-": the part of an architecture name that says the family.
std::string plain_name(std::string_view name) {
  std::string out;
  for (char c : name) {
    if (c == '_' || c == '-') continue;
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

}  // namespace

const Family* find_family(std::string_view model_type) {
  for (const Family& family : kFamilies) {
    if (family.model_type == model_type) return &family;
  }
  // A wrapper that keeps its text keys at the top level, or text inside without a type of its own.
  const std::string text = std::string(model_type) + "_text";
  for (const Family& family : kFamilies) {
    if (family.model_type == text) return &family;
  }
  return nullptr;
}

const Family* family_of_architecture(std::string_view architecture) {
  for (std::string_view tail : {"ForCausalLM", "ForConditionalGeneration", "LMHeadModel"}) {
    if (architecture.size() <= tail.size() || !architecture.ends_with(tail)) continue;
    const std::string name = plain_name(architecture.substr(0, architecture.size() - tail.size()));
    for (const Family& family : kFamilies) {
      const std::string type = plain_name(family.model_type);
      if (type == name || type == name + "text") return &family;
    }
  }
  return nullptr;
}

std::string_view refusal_of(std::string_view model_type) {
  for (const Refusal& refusal : kRefusals) {
    if (refusal.model_type == model_type) return refusal.reason;
  }
  return {};
}

std::string_view wrapper_defaults(std::string_view wrapper_type) {
  for (const WrapperRow& row : kWrappers) {
    if (row.wrapper == wrapper_type) return row.defaults;
  }
  return {};
}

std::string supported_families() {
  std::vector<std::string_view> names;
  names.reserve(kFamilies.size());
  for (const Family& family : kFamilies) names.push_back(family.model_type);
  std::sort(names.begin(), names.end());
  std::string out;
  for (std::string_view name : names) {
    if (!out.empty()) out += ", ";
    out += name;
  }
  return out;
}

}  // namespace rooflens
