#include "rooflens/readers/hf_overrides.h"

#include <algorithm>
#include <array>

#include "rooflens/readers/hf_text_model.h"
#include "rooflens/readers/json_edit.h"
#include "rooflens/readers/json_text.h"
#include "rooflens/readers/words.h"

namespace rooflens {
namespace {

// Keys that a file may leave out and that change the arithmetic.
constexpr std::array<std::string_view, 44> kKnown{
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "intermediate_size",
    "vocab_size",
    "tie_word_embeddings",
    "attention_bias",
    "mlp_bias",
    "max_position_embeddings",
    "torch_dtype",
    "dtype",
    "model_type",
    "sliding_window",
    "sliding_window_pattern",
    "use_sliding_window",
    "max_window_layers",
    "layer_types",
    "partial_rotary_factor",
    "num_experts",
    "num_local_experts",
    "n_routed_experts",
    "num_experts_per_tok",
    "moe_intermediate_size",
    "n_shared_experts",
    "shared_expert_intermediate_size",
    "first_k_dense_replace",
    "moe_layer_freq",
    "q_lora_rank",
    "kv_lora_rank",
    "qk_nope_head_dim",
    "qk_rope_head_dim",
    "v_head_dim",
    "index_n_heads",
    "index_head_dim",
    "index_topk",
    "full_attention_interval",
    "linear_num_key_heads",
    "linear_num_value_heads",
    "linear_key_head_dim",
    "linear_value_head_dim",
    "num_nextn_predict_layers",
    "quantization_config",
};

constexpr std::size_t kLongestKey = 100;

Json value_of(const std::string& text) {
  if (Result<JsonDocument> document = parse_json(text, "set")) return std::move(document->root);
  Json bare;
  bare.kind = Json::Kind::string;
  bare.string = text;
  return bare;
}

Failure unknown_key(const std::string& key, const Json& text, const Json& root) {
  std::string_view best;
  std::size_t least = kLongestKey;
  const auto look = [&](std::string_view known) {
    if (known.size() > kLongestKey) return;
    const std::size_t d = letters_apart(key.substr(0, kLongestKey), known);
    if (d < least) {
      least = d;
      best = known;
    }
  };
  for (std::string_view known : kKnown) look(known);
  for (const std::string& known : text.keys) look(known);
  for (const std::string& known : root.keys) look(known);
  return fail(ErrorCode::invalid, key + " is no key of this config", "set: " + key,
              "nearest: " + std::string(best));
}

}  // namespace

Result<void> apply_overrides(Json& root, const std::vector<std::string>& set) {
  if (!root.is(Json::Kind::object)) return {};  // refused as no config
  for (const std::string& entry : set) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == entry.size()) {
      return fail(ErrorCode::malformed, "\"" + entry.substr(0, kLongestKey) + "\" sets nothing",
                  "set", "write key=value, as in num_key_value_heads=4");
    }
    const std::string key = entry.substr(0, equals);
    Json* text = text_object(root);
    const std::size_t dot = key.find('.');
    const std::string outer = key.substr(0, dot);
    const auto holds = [&](const Json& object) { return object.find(outer) != nullptr; };
    const bool known =
        std::find(kKnown.begin(), kKnown.end(), std::string_view(outer)) != kKnown.end();
    if (!holds(*text) && !holds(root) && !known) return unknown_key(key, *text, root);
    Json* at = !holds(*text) && holds(root) ? &root : text;
    std::string name = key;
    if (dot != std::string::npos) {
      Json* inner = nullptr;
      for (std::size_t i = 0; i < at->keys.size(); ++i) {
        if (at->keys[i] == outer && at->items[i].is(Json::Kind::object)) inner = &at->items[i];
      }
      if (inner == nullptr) return unknown_key(key, *text, root);
      at = inner;
      name = key.substr(dot + 1);
    }
    set_member(*at, name, value_of(entry.substr(equals + 1)));
  }
  return {};
}

std::vector<std::string> override_keys(const std::vector<std::string>& set) {
  std::vector<std::string> keys;
  keys.reserve(set.size());
  for (const std::string& entry : set) keys.push_back(entry.substr(0, entry.find('=')));
  return keys;
}

}  // namespace rooflens
