// State spaces, delta nets and convolutions of GGUF files.
#include <algorithm>

#include "rooflens/readers/gguf_translation.h"

namespace rooflens {

void GgufTranslation::recurrent() {
  switch (family_->mixing) {
    case Mixing::conv:
      return short_convolution();
    case Mixing::nemotron_h:
      return nemotron_h();
    case Mixing::granite_hybrid:
      return granite_hybrid();
    case Mixing::mamba1:
    case Mixing::mamba2:
      return mamba();
    case Mixing::delta:
      return delta_net();
    default:
      return;
  }
}

void GgufTranslation::mamba() {
  const double inner = number("ssm.inner_size"), ranks = number("ssm.time_step_rank");
  if (inner <= 0) return;  // the family says what is missing
  set_from("intermediate_size", "ssm.inner_size", inner);
  set_from("state_size", "ssm.state_size", number("ssm.state_size"));
  set_from("conv_kernel", "ssm.conv_kernel", number("ssm.conv_kernel"));
  if (family_->mixing == Mixing::mamba1) {
    set_from("time_step_rank", "ssm.time_step_rank", ranks);
  } else if (ranks > 0) {
    set_from("num_heads", "ssm.time_step_rank", ranks);
    set_from("head_dim", "ssm.inner_size", inner / ranks);
    set_from("n_groups", "ssm.group_count", number("ssm.group_count"));
  }
}

void GgufTranslation::delta_net() {
  const double inner = number("ssm.inner_size"), ranks = number("ssm.time_step_rank");
  if (inner <= 0 || ranks <= 0) return;
  set_from("linear_num_value_heads", "ssm.time_step_rank", ranks);
  set_from("linear_num_key_heads", "ssm.group_count", number("ssm.group_count"));
  set_from("linear_key_head_dim", "ssm.state_size", number("ssm.state_size"));
  set_from("linear_value_head_dim", "ssm.inner_size", inner / ranks);
  set_from("linear_conv_kernel_dim", "ssm.conv_kernel", number("ssm.conv_kernel"));
}

// One block a layer: attention where there are key/value heads, a feed-forward where there is a
// width (experts where there is a router, or the width is theirs), else Mamba-2.
void GgufTranslation::nemotron_h() {
  const double heads = number("ssm.time_step_rank");
  if (heads <= 0) return;  // the family says what is missing
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
  for (std::size_t l = 0; l < layers(); ++l) {
    const auto at_layer = [&](const std::vector<double>& each) {
      return l < each.size() ? each[l] : 0;
    };
    const double width = at_layer(out_.sizes.width);
    const bool router =
        tensors_.in_block(l, "ffn_gate_inp.weight") != nullptr ||
        (!tensors_.any() && width > 0 && width == number("expert_feed_forward_length"));
    pattern += at_layer(out_.sizes.kv_heads) > 0 ? '*' : router ? 'E' : width > 0 ? '-' : 'M';
  }
  set("hybrid_override_pattern", json_of(pattern));
  out_.names.emplace_back("hybrid_override_pattern", key("attention.head_count_kv"));
  out_.sizes = {};
}

// Mamba-2 where there are no key/value heads; a feed-forward in every layer.
void GgufTranslation::granite_hybrid() {
  const double heads = number("ssm.time_step_rank");
  if (heads <= 0) return;
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
  for (std::size_t l = 0; l < layers(); ++l) {
    const auto& each = out_.sizes.kv_heads;
    kinds.items.push_back(json_of(l < each.size() && each[l] > 0 ? "attention" : "mamba"));
  }
  set("layer_types", std::move(kinds));
  out_.names.emplace_back("layer_types", key("attention.head_count_kv"));
  out_.sizes = {};
}

// Blocks with no key/value heads convolve.
void GgufTranslation::short_convolution() {
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

}  // namespace rooflens
