#include "rooflens/readers/gguf_config.h"

#include <algorithm>

#include "rooflens/core/quantity.h"
#include "rooflens/readers/gguf_architectures.h"
#include "rooflens/readers/gguf_translation.h"
#include "rooflens/readers/hf_fields.h"
#include "rooflens/readers/words.h"

namespace rooflens {

GgufTranslation::GgufTranslation(const GgufHeader& header, std::string_view where)
    : header_(header),
      tensors_(header.tensors),
      where_(where),
      arch_(header.text("general.architecture")) {
  root_.kind = Json::Kind::object;
}

Result<GgufConfig> GgufTranslation::run() {
  if (auto r = refuse(); !r) return Failure(std::move(r.error()));
  sizes();
  if (error_) return Failure(std::move(*error_));
  const GgufTraits traits{number("expert_count") > 0, sigmoid_router()};
  const GgufArchitecture* row = find_gguf_architecture(arch_, traits);
  if (row == nullptr && find_gguf_architecture(arch_, {.experts = true}) != nullptr) {
    return fail(ErrorCode::invalid, key("expert_count") + " is missing", at(key("expert_count")),
                "the file is damaged, or no model of this architecture; fetch it again");
  }
  if (row == nullptr && !tensors_.any()) {
    return fail(ErrorCode::unsupported, quoted(arch_) + " is not an architecture that is read",
                at("general.architecture"), "give the .gguf file itself, or its config.json");
  }
  out_.known = row != nullptr;
  // Unknown ones with experts: dense layers first, then experts and shared ones.
  const std::string_view type = row != nullptr   ? row->model_type
                                : traits.experts ? "glm4_moe"
                                                 : "llama";
  family_ = find_family(type);
  if (family_ == nullptr) {
    return fail(ErrorCode::unsupported, std::string(type) + " is not a family that is read",
                at("general.architecture"), "read: " + supported_families());
  }
  if (row != nullptr) entries(row->entries);
  set("model_type", json_of(type));
  set("torch_dtype", json_of("float16"));  // what plain values are computed and cached in
  out_.names.emplace_back("torch_dtype", "");
  attention();
  experts();
  recurrent();
  if (tensors_.any()) from_tensors();
  if (error_) return Failure(std::move(*error_));
  if (inner_norms_) out_.inner_norms = out_.layers * (number("embedding_length") + width_);
  out_.document.root = std::move(root_);
  return std::move(out_);
}

void GgufTranslation::set(std::string_view name, Json value) {
  set_member(root_, std::string(name), std::move(value));
}

void GgufTranslation::set_from(std::string_view name, std::string_view suffix, double value) {
  set(name, json_of(value));
  out_.names.emplace_back(name, key(suffix));
}

void GgufTranslation::set_shown(std::string_view name, Json value, const char* tensor) {
  set(name, std::move(value));
  out_.names.emplace_back(name, tensor);
}

void GgufTranslation::wrong(std::string_view suffix, const std::string& message) {
  if (error_) return;
  error_ = Error{ErrorCode::invalid, message, at(key(suffix)), "check where the file comes from"};
}

void GgufTranslation::unsupported(const std::string& message) {
  if (error_) return;
  error_ = Error{ErrorCode::unsupported, message, at("general.architecture"),
                 "give the model's config.json if its family is read"};
}

Result<void> GgufTranslation::refuse() {
  if (arch_.empty()) {
    return fail(ErrorCode::malformed, "the file does not say its architecture",
                at("general.architecture"), "give a GGUF file of a language model");
  }
  const std::string_view type = header_.text("general.type");
  if (arch_ == "clip" || type == "mmproj") {
    return fail(ErrorCode::unsupported, "a vision or audio projector, not a language model", where_,
                "give the model's own GGUF; the projector is no part of a text step");
  }
  if (type == "adapter") {
    return fail(ErrorCode::unsupported, "an adapter (LoRA), not a model", where_,
                "give the GGUF of the base model");
  }
  if (contains(arch_, "bert") || arch_ == "t5" || arch_ == "t5encoder" ||
      arch_ == "gemma-embedding") {
    return fail(ErrorCode::unsupported, arch_ + ": an encoder generates no tokens",
                at("general.architecture"), "give a model that generates text");
  }
  if (contains(arch_, "eagle") || contains(arch_, "dflash") || contains(arch_, "assistant")) {
    return fail(ErrorCode::unsupported, arch_ + ": a draft head is no model of its own",
                at("general.architecture"), "give the model that it drafts for");
  }
  if (contains(arch_, "rwkv")) {
    return fail(ErrorCode::unsupported, arch_ + ": RWKV is not modelled",
                at("general.architecture"), "no other file of it helps");
  }
  return {};
}

// A number, or a list with one for each block (kept in `each`): its largest.
double GgufTranslation::per_layer(std::string_view suffix, std::vector<double>& each) {
  const GgufKey* k = header_.find(key(suffix));
  if (k == nullptr) return 0;
  if (const double* one = std::get_if<double>(&k->value)) return *one;
  const auto* list = std::get_if<GgufArray>(&k->value);
  if (list == nullptr || !list->complete || list->numbers.empty()) {
    wrong(suffix, key(suffix) + " is neither a number nor a short list of numbers");
    return 0;
  }
  each = list->numbers;
  return *std::max_element(each.begin(), each.end());
}

void GgufTranslation::sizes() {
  for (const GgufRename& r : gguf_renames()) {
    // 0 stands for "none" (Phi-4's window, a file without shared experts).
    if (number(r.gguf) != 0 || (header_.find(key(r.gguf)) != nullptr && r.keeps_zero)) {
      set_from(r.config, r.gguf, number(r.gguf));
    }
  }
  const double blocks = number("block_count");
  out_.draft_blocks = number("nextn_predict_layers");
  if (!(blocks >= 1 && blocks <= kMaxLayers) || out_.draft_blocks < 0 ||
      out_.draft_blocks >= blocks) {
    wrong("block_count", "the file says it has " + number_text(blocks) + " blocks, " +
                             number_text(out_.draft_blocks) + " of them for prediction");
    return;
  }
  out_.layers = blocks - out_.draft_blocks;
  set_from("num_hidden_layers", "block_count", out_.layers);
  width_ = per_layer("feed_forward_length", out_.sizes.width);
  set_from("intermediate_size", "feed_forward_length", width_);
  heads_ = per_layer("attention.head_count", out_.sizes.heads);
  if (heads_ > 0) set_from("num_attention_heads", "attention.head_count", heads_);
  const double kv = per_layer("attention.head_count_kv", out_.sizes.kv_heads);
  if (kv > 0) set_from("num_key_value_heads", "attention.head_count_kv", kv);
  if (kv > 1) set("multi_query", json_of(false));  // Falcon's default is one shared head
  for (const auto* each : {&out_.sizes.heads, &out_.sizes.kv_heads, &out_.sizes.width}) {
    if (!each->empty() && each->size() < layers()) {
      wrong("block_count", "a list of sizes has " + std::to_string(each->size()) + " entries for " +
                               number_text(out_.layers) + " blocks");
    }
  }
  vocabulary();
}

void GgufTranslation::vocabulary() {
  const GgufKey* tokens = header_.find("tokenizer.ggml.tokens");
  const auto* list = tokens != nullptr ? std::get_if<GgufArray>(&tokens->value) : nullptr;
  if (const Tensor* table = tensors_.find("token_embd.weight")) {
    set("vocab_size", json_of(rows_of(*table)));
    out_.names.emplace_back("vocab_size", "token_embd.weight");
  } else if (number("vocab_size") > 0) {
    set_from("vocab_size", "vocab_size", number("vocab_size"));
  } else if (list != nullptr) {
    set("vocab_size", json_of(static_cast<double>(list->count)));
    out_.names.emplace_back("vocab_size", "tokenizer.ggml.tokens");
  }
  if (!tensors_.any() && header_.header_bytes > 0) {
    error_ = Error{ErrorCode::unsupported, "the file holds a vocabulary and no tensors", where_,
                   "give the GGUF file of the model itself"};
  }
}

void GgufTranslation::entries(std::string_view text) {
  while (!text.empty()) {
    std::string_view entry = take(text, ' ');
    const std::string_view name = take(entry, '=');
    if (name == "inner_norms") {
      inner_norms_ = true;
    } else {
      set(name, entry == "true" || entry == "false" ? json_of(entry == "true") : json_of(entry));
    }
  }
}

bool GgufTranslation::sigmoid_router() const {
  const double gate = number("expert_gating_func");  // 1 = softmax, 2 = sigmoid
  return gate > 0 ? gate == 2 : in_any_block("exp_probs_b.bias") != nullptr;
}

Result<GgufConfig> gguf_config(const GgufHeader& header, std::string_view where) {
  return GgufTranslation(header, where).run();
}

}  // namespace rooflens
