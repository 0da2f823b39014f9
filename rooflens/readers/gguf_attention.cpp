// Heads, windows and experts of GGUF files.
#include <algorithm>

#include "rooflens/readers/gguf_translation.h"

namespace rooflens {

void GgufTranslation::attention() {
  const double rope = number("rope.dimension_count");
  if (number("attention.kv_lora_rank") > 0) return latent_attention();
  const double keys = number("attention.key_length"), values = number("attention.value_length");
  if (family_->feeding == Feeding::gemma4) {
    const double local = number("attention.key_length_swa");
    if (keys > 0) set_from("global_head_dim", "attention.key_length", keys);
    if (local > 0) set_from("head_dim", "attention.key_length_swa", local);
    gemma4();
  } else if (keys > 0) {
    set_from("head_dim", "attention.key_length", keys);
  } else if (heads_ > 0) {
    set_from("head_dim", "embedding_length", number("embedding_length") / heads_);
  }
  if (values > 0 && values != keys) {
    set("separate_value_dim", json_of(true));
    set_from("v_head_dim", "attention.value_length", values);
  }
  const double head = keys > 0 ? keys : heads_ > 0 ? number("embedding_length") / heads_ : 0;
  if (rope > 0 && head > 0 && rope <= head) {
    set_from("partial_rotary_factor", "rope.dimension_count", rope / head);
  }
  window_pattern();
}

void GgufTranslation::latent_attention() {
  const double rope = number("rope.dimension_count");
  const bool fresh = number("attention.key_length_mla") > 0;  // newer conversions
  const double keys = number(fresh ? "attention.key_length_mla" : "attention.key_length");
  set_from("qk_rope_head_dim", "rope.dimension_count", rope);
  set_from("qk_nope_head_dim", "attention.key_length", keys - rope);
  const char* values = fresh ? "attention.value_length_mla" : "attention.value_length";
  if (number(values) > 0) set_from("v_head_dim", values, number(values));
  set("num_key_value_heads", json_of(heads_));
  if (number("attention.q_lora_rank") <= 0) set("q_lora_rank", Json{});
}

// Full layers of their own size, with keys that serve as values; a dense block beside experts.
void GgufTranslation::gemma4() {
  const GgufKey* k = header_.find(key("attention.sliding_window_pattern"));
  const auto* windowed = k != nullptr ? std::get_if<GgufArray>(&k->value) : nullptr;
  bool keys_are_values = false;
  for (std::size_t l = 0; l < layers(); ++l) {
    const bool shares = tensors_.in_block(l, "attn_k.weight") != nullptr &&
                        tensors_.in_block(l, "attn_v.weight") == nullptr;
    const bool full =
        windowed != nullptr && l < windowed->numbers.size() && windowed->numbers[l] == 0;
    keys_are_values = keys_are_values || shares;
    if ((shares || full) && l < out_.sizes.kv_heads.size()) {
      set_from("num_global_key_value_heads", "attention.head_count_kv", out_.sizes.kv_heads[l]);
    } else if (l < out_.sizes.kv_heads.size()) {
      set_from("num_key_value_heads", "attention.head_count_kv", out_.sizes.kv_heads[l]);
    }
  }
  if (tensors_.any()) set("attention_k_eq_v", json_of(keys_are_values));
  set("enable_moe_block", json_of(number("expert_count") > 0));
  out_.sizes.kv_heads.clear();
}

// Newer files say for each block whether it looks at a window only.
void GgufTranslation::window_pattern() {
  const GgufKey* k = header_.find(key("attention.sliding_window_pattern"));
  if (k == nullptr || number("attention.sliding_window") <= 0) return;
  const auto* list = std::get_if<GgufArray>(&k->value);
  if (list == nullptr) {
    if (number("attention.sliding_window_pattern") >= 1) {
      set_from("sliding_window_pattern", "attention.sliding_window_pattern",
               number("attention.sliding_window_pattern"));
    }
    return;
  }
  if (!list->complete || list->numbers.size() < layers()) {
    wrong("attention.sliding_window_pattern", "the list of windowed blocks is too short");
    return;
  }
  Json kinds;
  kinds.kind = Json::Kind::array;
  for (std::size_t l = 0; l < layers(); ++l) {
    kinds.items.push_back(json_of(list->numbers[l] != 0 ? "sliding_attention" : "full_attention"));
  }
  set("layer_types", std::move(kinds));
  out_.names.emplace_back("layer_types", key("attention.sliding_window_pattern"));
}

void GgufTranslation::experts() {
  const double count = number("expert_count");
  if (count <= 0) return;
  for (const char* name : {"num_local_experts", "num_experts", "n_routed_experts"}) {
    set_from(name, "expert_count", count);
  }
  double width = number("expert_feed_forward_length");
  const Tensor* down = in_any_block("ffn_down_exps.weight");
  if (width <= 0 && down != nullptr) width = columns_of(*down);
  if (width <= 0) return;  // as wide as the dense blocks
  set_from("moe_intermediate_size", "expert_feed_forward_length", width);
  if (family_->feeding == Feeding::llama4) {
    set_from("intermediate_size_mlp", "feed_forward_length", width_);
    set_from("intermediate_size", "expert_feed_forward_length", width);
    out_.sizes.width.clear();
  }
  if (family_->feeding == Feeding::mixtral) {
    set_from("intermediate_size", "expert_feed_forward_length", width);
    out_.sizes.width.clear();
  }
  if (number("expert_shared_count") > 0 && number("expert_shared_feed_forward_length") <= 0 &&
      family_->feeding == Feeding::qwen) {
    set_from("shared_expert_intermediate_size", "expert_shared_count",
             width * number("expert_shared_count"));
  }
}

}  // namespace rooflens
