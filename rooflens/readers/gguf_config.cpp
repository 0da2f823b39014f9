#include "rooflens/readers/gguf_config.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "rooflens/readers/hf_fields.h"
#include "rooflens/readers/json_edit.h"
#include "rooflens/readers/words.h"

namespace rooflens {
namespace embedded {
extern const std::string_view gguf_tsv;
}

namespace {

struct Architecture {
  std::string_view name, model_type, entries;
};

const std::vector<Architecture>& architectures() {
  static const std::vector<Architecture> rows = [] {
    std::vector<Architecture> out;
    std::string_view rest = embedded::gguf_tsv;
    take(rest, '\n');
    while (!rest.empty()) {
      std::string_view line = take(rest, '\n');
      if (line.empty() || line.front() == '#') continue;
      Architecture row;
      row.name = take(line, '\t');
      row.model_type = take(line, '\t');
      row.entries = take(line, '\t');
      out.push_back(row);
    }
    return out;
  }();
  return rows;
}

const Architecture* find_architecture(std::string_view name, bool experts) {
  const std::string with = std::string(name) + "+experts";
  const auto row_of = [](std::string_view wanted) -> const Architecture* {
    for (const Architecture& row : architectures()) {
      if (row.name == wanted) return &row;
    }
    return nullptr;
  };
  const Architecture* exact = row_of(name);
  const Architecture* moe = row_of(with);
  return experts ? (moe != nullptr ? moe : exact) : exact;
}

// Keys that mean the same everywhere. "A." = general.architecture.
struct Rename {
  std::string_view gguf, config;
  bool keeps_zero = false;  // else 0 means that there is none
};
constexpr std::array kRenames{
    Rename{"embedding_length", "hidden_size"},
    Rename{"context_length", "max_position_embeddings"},
    Rename{"attention.sliding_window", "sliding_window"},
    Rename{"attention.chunk_size", "attention_chunk_size"},
    Rename{"expert_used_count", "num_experts_per_tok"},
    Rename{"expert_shared_count", "n_shared_experts"},
    Rename{"expert_shared_feed_forward_length", "shared_expert_intermediate_size"},
    Rename{"leading_dense_block_count", "first_k_dense_replace", true},
    Rename{"embedding_length_per_layer_input", "hidden_size_per_layer_input"},
    Rename{"attention.shared_kv_layers", "num_kv_shared_layers"},
    Rename{"moe_latent_size", "moe_latent_size"},
    Rename{"interleave_moe_layer_step", "interleave_moe_layer_step"},
    Rename{"attention.q_lora_rank", "q_lora_rank"},
    Rename{"attention.kv_lora_rank", "kv_lora_rank"},
    Rename{"full_attention_interval", "full_attention_interval"},
    Rename{"shortconv.l_cache", "conv_L_cache"},
};

// What the tensors of a file show.
class Shown {
 public:
  explicit Shown(const GgufHeader& header) {
    for (const Tensor& t : header.tensors) by_name_.emplace(t.name, &t);
  }
  [[nodiscard]] bool any() const { return !by_name_.empty(); }
  [[nodiscard]] const Tensor* find(const std::string& name) const {
    const auto at = by_name_.find(name);
    return at == by_name_.end() ? nullptr : at->second;
  }
  // The tensor of the first block that has it.
  [[nodiscard]] const Tensor* block(const std::string& part, double blocks) const {
    for (double l = 0; l < blocks; ++l) {
      if (const Tensor* t = find("blk." + number_text(l) + "." + part)) return t;
    }
    return nullptr;
  }

 private:
  std::unordered_map<std::string_view, const Tensor*> by_name_;
};

double rows(const Tensor& t) { return static_cast<double>(t.shape[0]); }
double columns(const Tensor& t) {
  return t.dims > 0 ? static_cast<double>(t.shape[t.dims - 1U]) : 0;
}

class Translation {
 public:
  Translation(const GgufHeader& header, std::string_view where)
      : header_(header), shown_(header), where_(where), arch_(header.text("general.architecture")) {
    root_.kind = Json::Kind::object;
  }

  Result<GgufConfig> run() {
    if (auto r = refuse(); !r) return Failure(std::move(r.error()));
    sizes();
    if (error_) return Failure(std::move(*error_));
    const bool experts = number("expert_count") > 0;
    const Architecture* row = find_architecture(arch_, experts);
    if (row == nullptr && find_architecture(arch_, true) != nullptr) {
      return fail(ErrorCode::invalid, key("expert_count") + " is missing", at(key("expert_count")),
                  "the file is damaged, or no model of this architecture; fetch it again");
    }
    if (row == nullptr && !shown_.any()) {
      return fail(ErrorCode::unsupported, quote(arch_) + " is not an architecture that is read",
                  at("general.architecture"), "give the .gguf file itself, or its config.json");
    }
    out_.known = row != nullptr;
    // Unknown ones with experts: dense layers first, then experts and shared ones.
    std::string type(row != nullptr ? row->model_type : experts ? "glm4_moe" : "llama");
    if (type == "deepseek_v2" && sigmoid_router()) type = "deepseek_v3";
    if (row != nullptr) entries(row->entries);
    set("model_type", json_of(type));
    set("torch_dtype", json_of("float16"));  // what plain values are computed and cached in
    out_.names.emplace_back("torch_dtype", "");
    attention(type);
    experts_of(type);
    recurrent(type);
    if (shown_.any()) from_tensors(type);
    if (error_) return Failure(std::move(*error_));
    if (arch_.substr(0, 6) == "bitnet") {
      out_.inner_norms = out_.layers * (number("embedding_length") + width_);
    }
    out_.document.root = std::move(root_);
    return std::move(out_);
  }

 private:
  static std::string quote(std::string_view s) { return '"' + std::string(s.substr(0, 60)) + '"'; }
  [[nodiscard]] std::string at(std::string_view key) const {
    return where_ + ": " + std::string(key);
  }
  [[nodiscard]] std::string key(std::string_view suffix) const {
    return arch_ + "." + std::string(suffix);
  }
  [[nodiscard]] double number(std::string_view suffix) const {
    return header_.number(key(suffix), 0);
  }
  void set(std::string_view name, Json value) {
    set_member(root_, std::string(name), std::move(value));
  }
  // A key of the file under its name of a config.json.
  void set_from(std::string_view name, std::string_view suffix, double value) {
    set(name, json_of(value));
    out_.names.emplace_back(name, key(suffix));
  }
  void wrong(std::string_view suffix, const std::string& message) {
    if (!error_) {
      error_ =
          Error{ErrorCode::invalid, message, at(key(suffix)), "check where the file comes from"};
    }
  }

  Result<void> refuse() {
    if (arch_.empty()) {
      return fail(ErrorCode::malformed, "the file does not say its architecture",
                  at("general.architecture"), "give a GGUF file of a language model");
    }
    const std::string_view type = header_.text("general.type");
    if (arch_ == "clip" || type == "mmproj") {
      return fail(ErrorCode::unsupported, "a vision or audio projector, not a language model",
                  where_, "give the model's own GGUF; the projector is no part of a text step");
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
  double per_layer(std::string_view suffix, std::vector<double>& each) {
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

  void sizes() {
    for (const Rename& r : kRenames) {
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
      if (!each->empty() && each->size() < static_cast<std::size_t>(out_.layers)) {
        wrong("block_count", "a list of sizes has " + std::to_string(each->size()) +
                                 " entries for " + number_text(out_.layers) + " blocks");
      }
    }
    const GgufKey* tokens = header_.find("tokenizer.ggml.tokens");
    const auto* list = tokens != nullptr ? std::get_if<GgufArray>(&tokens->value) : nullptr;
    if (const Tensor* table = shown_.find("token_embd.weight")) {
      set("vocab_size", json_of(rows(*table)));
      out_.names.emplace_back("vocab_size", "token_embd.weight");
    } else if (number("vocab_size") > 0) {
      set_from("vocab_size", "vocab_size", number("vocab_size"));
    } else if (list != nullptr) {
      set("vocab_size", json_of(static_cast<double>(list->count)));
      out_.names.emplace_back("vocab_size", "tokenizer.ggml.tokens");
    }
    if (!shown_.any() && header_.header_bytes > 0) {
      error_ = Error{ErrorCode::unsupported, "the file holds a vocabulary and no tensors", where_,
                     "give the GGUF file of the model itself"};
    }
  }

  void entries(std::string_view text) {
    while (!text.empty()) {
      std::string_view entry = take(text, ' ');
      const std::string_view name = take(entry, '=');
      set(name, entry == "true" || entry == "false" ? json_of(entry == "true") : json_of(entry));
    }
  }

  [[nodiscard]] bool sigmoid_router() const {
    const double gate = number("expert_gating_func");  // 1 = softmax, 2 = sigmoid
    return gate > 0 ? gate == 2 : shown_.block("exp_probs_b.bias", out_.layers) != nullptr;
  }

  void attention(const std::string& type) {
    const double rope = number("rope.dimension_count");
    if (number("attention.kv_lora_rank") > 0) {
      const bool fresh = number("attention.key_length_mla") > 0;  // newer conversions
      const double keys = number(fresh ? "attention.key_length_mla" : "attention.key_length");
      set_from("qk_rope_head_dim", "rope.dimension_count", rope);
      set_from("qk_nope_head_dim", "attention.key_length", keys - rope);
      const char* values = fresh ? "attention.value_length_mla" : "attention.value_length";
      if (number(values) > 0) set_from("v_head_dim", values, number(values));
      set("num_key_value_heads", json_of(heads_));
      if (number("attention.q_lora_rank") <= 0) set("q_lora_rank", Json{});
      return;
    }
    const double keys = number("attention.key_length"), values = number("attention.value_length");
    if (type == "gemma4_text") {
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

  // Full layers of their own size, with keys that serve as values; a dense block beside experts.
  void gemma4() {
    const GgufKey* k = header_.find(key("attention.sliding_window_pattern"));
    const auto* windowed = k != nullptr ? std::get_if<GgufArray>(&k->value) : nullptr;
    bool keys_are_values = false;
    for (std::size_t l = 0; l < static_cast<std::size_t>(out_.layers); ++l) {
      const std::string at = "blk." + std::to_string(l) + ".";
      const bool shares = shown_.any() && shown_.find(at + "attn_k.weight") != nullptr &&
                          shown_.find(at + "attn_v.weight") == nullptr;
      const bool full =
          windowed != nullptr && l < windowed->numbers.size() && windowed->numbers[l] == 0;
      keys_are_values = keys_are_values || shares;
      if ((shares || full) && l < out_.sizes.kv_heads.size()) {
        set_from("num_global_key_value_heads", "attention.head_count_kv", out_.sizes.kv_heads[l]);
      } else if (l < out_.sizes.kv_heads.size()) {
        set_from("num_key_value_heads", "attention.head_count_kv", out_.sizes.kv_heads[l]);
      }
    }
    if (shown_.any()) set("attention_k_eq_v", json_of(keys_are_values));
    set("enable_moe_block", json_of(number("expert_count") > 0));
    out_.sizes.kv_heads.clear();
  }

  // Newer files say for each block whether it looks at a window only.
  void window_pattern() {
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
    if (!list->complete || list->numbers.size() < static_cast<std::size_t>(out_.layers)) {
      wrong("attention.sliding_window_pattern", "the list of windowed blocks is too short");
      return;
    }
    Json kinds;
    kinds.kind = Json::Kind::array;
    for (std::size_t l = 0; l < static_cast<std::size_t>(out_.layers); ++l) {
      kinds.items.push_back(
          json_of(list->numbers[l] != 0 ? "sliding_attention" : "full_attention"));
    }
    set("layer_types", std::move(kinds));
    out_.names.emplace_back("layer_types", key("attention.sliding_window_pattern"));
  }

  void experts_of(const std::string& type) {
    const double experts = number("expert_count");
    if (experts <= 0) return;
    for (const char* name : {"num_local_experts", "num_experts", "n_routed_experts"}) {
      set_from(name, "expert_count", experts);
    }
    double width = number("expert_feed_forward_length");
    const Tensor* down = shown_.block("ffn_down_exps.weight", out_.layers);
    if (width <= 0 && down != nullptr) width = columns(*down);
    if (width <= 0) return;  // as wide as the dense blocks
    set_from("moe_intermediate_size", "expert_feed_forward_length", width);
    const Family* family = find_family(type);
    if (family != nullptr && family->feeding == Feeding::llama4) {
      set_from("intermediate_size_mlp", "feed_forward_length", width_);
      set_from("intermediate_size", "expert_feed_forward_length", width);
      out_.sizes.width.clear();
    }
    if (family != nullptr && family->feeding == Feeding::mixtral) {
      set_from("intermediate_size", "expert_feed_forward_length", width);
      out_.sizes.width.clear();
    }
    if (number("expert_shared_count") > 0 && number("expert_shared_feed_forward_length") <= 0 &&
        family != nullptr && family->feeding == Feeding::qwen) {
      set_from("shared_expert_intermediate_size", "expert_shared_count",
               width * number("expert_shared_count"));
    }
  }

  void recurrent(const std::string& type) {
    const double inner = number("ssm.inner_size"), state = number("ssm.state_size");
    const double ranks = number("ssm.time_step_rank"), groups = number("ssm.group_count");
    const double conv = number("ssm.conv_kernel");
    if (type == "lfm2") {
      lfm2_kinds();
      return;
    }
    if (inner <= 0) return;
    if (type == "nemotron_h" || type == "granitemoehybrid") {
      if (ranks <= 0) return;
      (type == "nemotron_h" ? nemotron_keys(ranks) : granite_keys(ranks));
      return;
    }
    if (type == "mamba" || type == "mamba2") {
      set_from("intermediate_size", "ssm.inner_size", inner);
      set_from("state_size", "ssm.state_size", state);
      set_from("conv_kernel", "ssm.conv_kernel", conv);
      if (type == "mamba") {
        set_from("time_step_rank", "ssm.time_step_rank", ranks);
      } else if (ranks > 0) {
        set_from("num_heads", "ssm.time_step_rank", ranks);
        set_from("head_dim", "ssm.inner_size", inner / ranks);
        set_from("n_groups", "ssm.group_count", groups);
      }
      return;
    }
    if (ranks <= 0) return;  // the family says what is missing
    set_from("linear_num_value_heads", "ssm.time_step_rank", ranks);
    set_from("linear_num_key_heads", "ssm.group_count", groups);
    set_from("linear_key_head_dim", "ssm.state_size", state);
    set_from("linear_value_head_dim", "ssm.inner_size", inner / ranks);
    set_from("linear_conv_kernel_dim", "ssm.conv_kernel", conv);
  }

  // One block a layer: attention where there are key/value heads, a feed-forward where there is a
  // width (experts where there is a router, or the width is theirs), else Mamba-2.
  void nemotron_keys(double heads) {
    set_from("mamba_num_heads", "ssm.time_step_rank", heads);
    set_from("mamba_head_dim", "ssm.inner_size", number("ssm.inner_size") / heads);
    set_from("ssm_state_size", "ssm.state_size", number("ssm.state_size"));
    set_from("n_groups", "ssm.group_count", number("ssm.group_count"));
    set_from("conv_kernel", "ssm.conv_kernel", number("ssm.conv_kernel"));
    const double shared = number("expert_shared_feed_forward_length");
    if (shared > 0) {
      set_from("moe_shared_expert_intermediate_size", "expert_shared_feed_forward_length", shared);
    }
    std::string pattern;
    for (std::size_t l = 0; l < static_cast<std::size_t>(out_.layers); ++l) {
      const auto at_layer = [&](const std::vector<double>& each) {
        return l < each.size() ? each[l] : 0;
      };
      const double width = at_layer(out_.sizes.width);
      const bool router =
          shown_.find("blk." + std::to_string(l) + ".ffn_gate_inp.weight") != nullptr ||
          (!shown_.any() && width > 0 && width == number("expert_feed_forward_length"));
      pattern += at_layer(out_.sizes.kv_heads) > 0 ? '*' : router ? 'E' : width > 0 ? '-' : 'M';
    }
    set("hybrid_override_pattern", json_of(pattern));
    out_.names.emplace_back("hybrid_override_pattern", key("attention.head_count_kv"));
    out_.sizes = {};
  }

  // Mamba-2 where there are no key/value heads; a feed-forward in every layer.
  void granite_keys(double heads) {
    set_from("mamba_n_heads", "ssm.time_step_rank", heads);
    set_from("mamba_d_head", "ssm.inner_size", number("ssm.inner_size") / heads);
    set_from("mamba_expand", "ssm.inner_size",
             number("ssm.inner_size") / std::max(number("embedding_length"), 1.0));
    set_from("mamba_d_state", "ssm.state_size", number("ssm.state_size"));
    set_from("mamba_n_groups", "ssm.group_count", number("ssm.group_count"));
    set_from("mamba_d_conv", "ssm.conv_kernel", number("ssm.conv_kernel"));
    const double shared = number("expert_shared_feed_forward_length");
    set_from("shared_intermediate_size",
             shared > 0 ? "expert_shared_feed_forward_length" : "feed_forward_length",
             shared > 0 ? shared : width_);
    if (number("expert_count") <= 0) set("num_local_experts", json_of(0.0));
    Json kinds;
    kinds.kind = Json::Kind::array;
    for (std::size_t l = 0; l < static_cast<std::size_t>(out_.layers); ++l) {
      const auto& each = out_.sizes.kv_heads;
      kinds.items.push_back(json_of(l < each.size() && each[l] > 0 ? "attention" : "mamba"));
    }
    set("layer_types", std::move(kinds));
    out_.names.emplace_back("layer_types", key("attention.head_count_kv"));
    out_.sizes = {};
  }

  // Blocks with no key/value heads convolve.
  void lfm2_kinds() {
    Json full;
    full.kind = Json::Kind::array;
    for (std::size_t l = 0; l < out_.sizes.kv_heads.size(); ++l) {
      if (out_.sizes.kv_heads[l] > 0) full.items.push_back(json_of(static_cast<double>(l)));
    }
    out_.sizes.kv_heads.clear();
    out_.sizes.heads.clear();
    set("full_attn_idxs", std::move(full));
    set("block_ff_dim", json_of(width_));
    out_.names.emplace_back("full_attn_idxs", key("attention.head_count_kv"));
  }

  // What a tensor shows by being there or not.
  void shown(std::string_view name, Json value, const char* tensor) {
    set(name, std::move(value));
    out_.names.emplace_back(name, tensor);
  }
  void flag(std::string_view name, bool value, const char* tensor) {
    shown(name, json_of(value), tensor);
  }

  void from_tensors(const std::string& type) {
    const auto block = [&](const char* part) { return shown_.block(part, out_.layers); };
    flag("tie_word_embeddings", shown_.find("output.weight") == nullptr, "output.weight");
    flag("norm_bias", shown_.find("output_norm.bias") != nullptr, "output_norm.bias");
    flag("lm_head_bias", shown_.find("output.bias") != nullptr, "output.bias");
    flag("learned_positions", shown_.find("position_embd.weight") != nullptr,
         "position_embd.weight");
    const bool qkv = block("attn_q.bias") != nullptr || block("attn_qkv.bias") != nullptr;
    flag("attention_bias", qkv, "attn_q.bias");
    flag("attention_out_bias", block("attn_output.bias") != nullptr, "attn_output.bias");
    const Tensor* norm = block("attn_q_norm.weight");
    if (norm != nullptr) {
      const Tensor* output = block("attn_output.weight");  // as wide as all heads together
      const bool full = output != nullptr && heads_ > 1 && norm->elements == columns(*output);
      shown("qk_norm", json_of(full ? "full" : "head"), "attn_q_norm.weight");
    }
    if (norm != nullptr || number("attention.kv_lora_rank") <= 0) {
      flag("use_qk_norm", norm != nullptr, "attn_q_norm.weight");
    }
    const Tensor* up = block("ffn_up.weight");
    if (up != nullptr && block("ffn_gate.weight") == nullptr) {
      shown("mlp_matrices", json_of(rows(*up) == 2 * width_ ? 3.0 : 2.0), "ffn_gate.weight");
    }
    flag("mlp_bias", block("ffn_up.bias") != nullptr, "ffn_up.bias");
    if (block("ffn_gate_inp.weight") != nullptr) {
      const bool corrected = block("exp_probs_b.bias") != nullptr;
      flag("router_bias", corrected || block("ffn_gate_inp.bias") != nullptr,
           corrected ? "exp_probs_b.bias" : "ffn_gate_inp.bias");
      flag("expert_bias", block("ffn_up_exps.bias") != nullptr, "ffn_up_exps.bias");
    }
    if (type != "gemma4_text" && type != "nemotron_h") norms();
    if (out_.known) return;
    if (block("ssm_in.weight") != nullptr || block("ssm_out.weight") != nullptr ||
        block("attn_kv_a_mqa.weight") != nullptr || block("shortconv.in_proj.weight") != nullptr) {
      error_ =
          Error{ErrorCode::unsupported,
                quote(arch_) +
                    " is not an architecture that is read, and its tensors are no "
                    "plain attention",
                at("general.architecture"), "give the model's config.json if its family is read"};
    } else if (number("attention.sliding_window") > 0) {
      error_ =
          Error{ErrorCode::unsupported,
                quote(arch_) +
                    " is not an architecture that is read, and which of its blocks "
                    "look at a window only is not known",
                at("general.architecture"), "give the model's config.json if its family is read"};
    } else {
      out_.document.notes.push_back("the architecture " + quote(arch_) +
                                    " is not known; it is read as its tensors are");
    }
  }

  // Norms around the blocks: what stands in the first of them.
  void norms() {
    const auto has = [&](const char* part) {
      return shown_.find(std::string("blk.0.") + part) != nullptr;
    };
    int around = 0;
    for (const char* part : {"attn_norm.weight", "attn_norm_2.weight", "attn_output_norm.weight",
                             "post_attention_norm.weight", "layer_output_norm.weight",
                             "ffn_norm.weight", "ffn_post_norm.weight", "post_ffw_norm.weight"}) {
      if (has(part)) ++around;
    }
    // Qwen 3.5 and gpt-oss call the norm before the feed-forward post_attention_norm.
    if (around == 1 || around == 2 || around == 4) {
      set("norms", json_of(static_cast<double>(around)));
      if (around == 2) set("parallel_attn", json_of(false));  // as Falcon's with two norms
    }
  }

  const GgufHeader& header_;
  Shown shown_;
  std::string where_, arch_;
  GgufConfig out_;
  Json root_;
  double width_ = 0, heads_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<GgufConfig> gguf_config(const GgufHeader& header, std::string_view where) {
  return Translation(header, where).run();
}

std::string gguf_key(std::string_view config_key) {
  constexpr std::array kOthers{
      Rename{"block_count", "num_hidden_layers"},
      Rename{"feed_forward_length", "intermediate_size"},
      Rename{"attention.head_count", "num_attention_heads"},
      Rename{"attention.head_count_kv", "num_key_value_heads"},
      Rename{"expert_count", "num_local_experts"},
      Rename{"expert_count", "num_experts"},
      Rename{"expert_feed_forward_length", "moe_intermediate_size"},
      Rename{"vocab_size", "vocab_size"},
  };
  for (const Rename& r : kRenames) {
    if (r.config == config_key) return std::string(r.gguf);
  }
  for (const Rename& r : kOthers) {
    if (r.config == config_key) return std::string(r.gguf);
  }
  return {};
}

}  // namespace rooflens
