// What a model_type of a Hugging Face config.json means: which mixers and feed-forwards it has and
// what a missing key stands for. A family that only renames keys or changes defaults is one row.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rooflens {

enum class Mixing {
  attention,  // softmax attention in every layer
  latent,     // multi-head latent attention (DeepSeek); attention when kv_lora_rank is null
  delta,      // gated delta net, some layers attention (Qwen3-Next, Qwen3.5)
  kimi,       // Kimi delta attention, some layers latent
  lightning,  // lightning attention, some layers softmax attention (MiniMax)
  conv,       // short convolution, some layers attention (LFM2)
  mamba1,
  mamba2,
  nemotron_h,      // one block a layer, by a pattern of letters
  jamba,           // Mamba-1, attention and experts by period
  granite_hybrid,  // Mamba-2, some layers attention; a feed-forward in each
  falcon_h1,       // attention and Mamba-2 side by side in every layer
  nas,             // every layer with its own shape (block_configs)
};

enum class Feeding {
  none,
  dense,
  mixtral,   // experts in every layer, width intermediate_size
  qwen,      // mlp_only_layers, decoder_sparse_step; own shared width with a gate
  deepseek,  // first_k_dense_replace, moe_layer_freq; shared = n x moe width
  llama4,    // interleave_moe_layer_step; one shared expert of intermediate_size
  gemma4,    // a dense block beside the experts when enable_moe_block
};

// Where attention looks only at a window, when the file has no layer_types.
enum class Windows {
  none,
  all,      // every layer, if sliding_window is set
  enabled,  // only with use_sliding_window, from max_window_layers on (Qwen)
  even,     // layers 0, 2, 4 ... (Gemma 2, gpt-oss)
  pattern,  // every sliding_window_pattern-th layer is full (Gemma 3, Cohere 2)
  chunked,  // attention_chunk_size on the layers that have RoPE (Llama 4)
  list,     // hybrid_layer_pattern: 1 = windowed, with sizes of its own (MiMo V2)
};

struct Family {
  std::string_view model_type;
  Mixing mixing = Mixing::attention;
  Feeding feeding = Feeding::dense;
  Windows windows = Windows::none;
  // Entries separated by blanks:
  //   key=value       what the model_type means when the file has no such key
  //   key=@other      the file may call this key `other` ("a.b": member b of a); key=@!other: it is
  //                   the opposite of the boolean `other`
  //   only:key=value  any other value in the file is refused (missing and null pass)
  //   reads=a+b       keys that stand for something special and that this family reads
  // Keys are those of config.json, and these of our own: norms (2 | 4 | 1 a layer), norm_bias,
  // qk_norm (none | head | full), bias_covers (qkv | qkvo: what attention_bias adds), sinks,
  // expert_bias, router_bias, stored_width_factor (the file's intermediate_size over the real one),
  // full_layers_without_rope, mlp_matrices (2 | 3), mlp_bias, width_factor (feed-forward width over
  // hidden size when the file has none), learned_positions, position_offset, embedding_norm,
  // extra_embedding_rows, experts_optional, separate_value_dim, value_dim_is_head, window_optional,
  // prediction_block (unknown).
  std::string_view defaults;
  std::string_view source;
};

// Every row of data/models/families.tsv.
[[nodiscard]] const std::vector<Family>& families();

// The row of a model_type, or nullptr.
[[nodiscard]] const Family* find_family(std::string_view model_type);

// The row whose model_type matches an architecture class name ("LlamaForCausalLM"), or nullptr.
[[nodiscard]] const Family* family_of_architecture(std::string_view architecture);

// Why a model_type (or wrapper) is known and not read; empty when it is not in that table.
[[nodiscard]] std::string_view refusal_of(std::string_view model_type);

// Extra defaults of the text model inside a wrapper ("llava": sizes of the llama class).
[[nodiscard]] std::string_view wrapper_defaults(std::string_view wrapper_type);

// Every model_type that is read, in alphabetical order, joined by ", ".
[[nodiscard]] std::string supported_families();

}  // namespace rooflens
