// What the tensors of a GGUF file show: biases, norms, a head of its own, matrices.
#include "rooflens/core/quantity.h"
#include "rooflens/readers/gguf_translation.h"

namespace rooflens {

void GgufTranslation::from_tensors() {
  const auto block = [&](const char* part) { return in_any_block(part); };
  const auto flag = [&](const char* name, bool value, const char* tensor) {
    set_shown(name, json_of(value), tensor);
  };
  flag("tie_word_embeddings", tensors_.find("output.weight") == nullptr, "output.weight");
  flag("norm_bias", tensors_.find("output_norm.bias") != nullptr, "output_norm.bias");
  flag("lm_head_bias", tensors_.find("output.bias") != nullptr, "output.bias");
  flag("learned_positions", tensors_.find("position_embd.weight") != nullptr,
       "position_embd.weight");
  const bool qkv = block("attn_q.bias") != nullptr || block("attn_qkv.bias") != nullptr;
  flag("attention_bias", qkv, "attn_q.bias");
  flag("attention_out_bias", block("attn_output.bias") != nullptr, "attn_output.bias");
  const Tensor* norm = block("attn_q_norm.weight");
  if (norm != nullptr) {
    const Tensor* output = block("attn_output.weight");  // as wide as all heads together
    const bool full = output != nullptr && heads_ > 1 && norm->elements == columns_of(*output);
    set_shown("qk_norm", json_of(full ? "full" : "head"), "attn_q_norm.weight");
  }
  if (norm != nullptr || number("attention.kv_lora_rank") <= 0) {
    flag("use_qk_norm", norm != nullptr, "attn_q_norm.weight");
  }
  const Tensor* up = block("ffn_up.weight");
  if (up != nullptr && block("ffn_gate.weight") == nullptr) {
    set_shown("mlp_matrices", json_of(rows_of(*up) == 2 * width_ ? 3.0 : 2.0), "ffn_gate.weight");
  }
  flag("mlp_bias", block("ffn_up.bias") != nullptr, "ffn_up.bias");
  if (block("ffn_gate_inp.weight") != nullptr) {
    const bool corrected = block("exp_probs_b.bias") != nullptr;
    flag("router_bias", corrected || block("ffn_gate_inp.bias") != nullptr,
         corrected ? "exp_probs_b.bias" : "ffn_gate_inp.bias");
    flag("expert_bias", block("ffn_up_exps.bias") != nullptr, "ffn_up_exps.bias");
  }
  // Of these the family knows itself where its norms stand.
  const bool own = family_->feeding == Feeding::gemma4 || family_->mixing == Mixing::nemotron_h;
  if (!own) norms();
  if (!out_.known) unknown_architecture();
}

// Read as its tensors are when they are plain attention and a feed-forward.
void GgufTranslation::unknown_architecture() {
  const std::string unknown = quoted(arch_) + " is not an architecture that is read, and ";
  for (const char* part :
       {"ssm_in.weight", "ssm_out.weight", "attn_kv_a_mqa.weight", "shortconv.in_proj.weight"}) {
    if (in_any_block(part) != nullptr) {
      return unsupported(unknown + "its tensors are no plain attention");
    }
  }
  if (number("attention.sliding_window") > 0) {
    return unsupported(unknown + "which of its blocks look at a window only is not known");
  }
  out_.document.notes.push_back("the architecture " + quoted(arch_) +
                                " is not known; it is read as its tensors are");
}

// Norms around the blocks: what stands in the first of them.
void GgufTranslation::norms() {
  const auto has = [&](const char* part) { return tensors_.in_block(0, part) != nullptr; };
  int around = 0;
  for (const char* part : {"attn_norm.weight", "attn_norm_2.weight", "attn_output_norm.weight",
                           "post_attention_norm.weight", "layer_output_norm.weight",
                           "ffn_norm.weight", "post_ffw_norm.weight"}) {
    if (has(part)) ++around;
  }
  // Qwen 3.5 and gpt-oss call the norm before the feed-forward post_attention_norm.
  if (around == 1 || around == 2 || around == 4) {
    set("norms", json_of(static_cast<double>(around)));
    if (around == 2) set("parallel_attn", json_of(false));  // as Falcon's with two norms
  }
}

}  // namespace rooflens
