#include "rooflens/readers/hf_native.h"

#include <cmath>

#include "rooflens/readers/json_edit.h"

namespace rooflens {
namespace {

double number_at(const Json& object, std::string_view key) {
  const Json* value = object.get(key);
  return value != nullptr && value->is(Json::Kind::number) ? value->number : 0;
}

bool has(const Json& object, std::string_view key) { return object.get(key) != nullptr; }

void set_quantisation(Json& root, const std::string& method) {
  if (has(root, "quantization_config")) return;
  Json block;
  block.kind = Json::Kind::object;
  set_member(block, "quant_method", json_of(method));
  if (method == "fp8") {
    Json tile;
    tile.kind = Json::Kind::array;
    tile.items = {json_of(128.0), json_of(128.0)};
    set_member(block, "weight_block_size", std::move(tile));
  }
  set_member(root, "quantization_config", std::move(block));
}

void adopt_deepseek(Json& root, std::vector<std::string>& notes) {
  const Json* score = root.get("score_func");
  const bool sigmoid = score != nullptr && score->string == "sigmoid";
  const std::string type = sigmoid ? "deepseek_v3" : "deepseek_v2";
  set_member(root, "model_type", json_of(type));
  notes.push_back("no model_type: DeepSeek's own keys, read as " + type);
  const Json* dtype = root.get("dtype");
  if (dtype != nullptr && dtype->string == "fp8") {
    set_quantisation(root, "fp8");
    notes.push_back("dtype = fp8: the linear layers are taken as fp8 in tiles of 128 x 128");
  }
}

// Meta's width: 2/3 of 4 x dim, times a factor, rounded up.
void derive_width(Json& root, std::vector<std::string>& notes) {
  if (has(root, "hidden_dim")) {
    set_member(root, "intermediate_size", *root.get("hidden_dim"));
    return;
  }
  if (!has(root, "multiple_of")) return;  // the missing width is an error of its own
  const double multiple = number_at(root, "multiple_of");
  const double factor = has(root, "ffn_dim_multiplier") ? number_at(root, "ffn_dim_multiplier") : 1;
  const double dim = number_at(root, "dim");
  if (!(multiple >= 1 && factor > 0 && factor <= 64 && dim >= 1)) return;
  const double raw = std::floor(factor * std::floor(8 * dim / 3));
  const double width = std::ceil(raw / multiple) * multiple;
  set_member(root, "intermediate_size", json_of(width));
  notes.push_back("feed-forward width " + number_text(width) +
                  " is derived from dim, multiple_of and ffn_dim_multiplier");
}

void adopt_params(Json& root, std::vector<std::string>& notes) {
  const Json* moe = root.get("moe");
  const bool meta = has(root, "multiple_of");
  std::string type = meta ? "llama" : "mistral";
  if (moe != nullptr && moe->is(Json::Kind::object)) {
    type = "mixtral";
    for (const char* key : {"num_experts", "num_experts_per_tok"}) {
      if (has(*moe, key)) {
        Json value = *moe->get(key);
        set_member(root, key, std::move(value));
        moe = root.get("moe");
      }
    }
  }
  set_member(root, "model_type", json_of(type));
  notes.push_back("no model_type: a params.json, read as " + type);
  derive_width(root, notes);
  if (number_at(root, "vocab_size") == -1) {
    set_member(root, "vocab_size", json_of(32000.0));
    notes.push_back("vocab_size = -1: 32000 is taken, the tokenizer of Llama 1 and 2");
  }
  if (has(root, "tied_embeddings")) {
    Json value = *root.get("tied_embeddings");
    set_member(root, "tie_word_embeddings", std::move(value));
  } else {
    notes.push_back("params.json does not say whether the head is the embedding: two tables taken");
  }
}

}  // namespace

void adopt_native(Json& root, std::vector<std::string>& notes) {
  if (!root.is(Json::Kind::object) || has(root, "model_type") || has(root, "architectures")) return;
  if (has(root, "n_dense_layers") && has(root, "kv_lora_rank")) {
    adopt_deepseek(root, notes);
  } else if (has(root, "swiglu_limit") && has(root, "experts_per_token")) {
    set_member(root, "model_type", json_of("gpt_oss"));
    notes.push_back("no model_type: gpt-oss's original keys, read as gpt_oss");
    set_quantisation(root, "mxfp4");
    notes.push_back("the original gpt-oss files hold their experts in MXFP4");
  } else if (has(root, "dim") && has(root, "n_layers") && has(root, "n_heads") &&
             !has(root, "kv_lora_rank") && !has(root, "q_lora_rank")) {
    adopt_params(root, notes);
  }
}

}  // namespace rooflens
