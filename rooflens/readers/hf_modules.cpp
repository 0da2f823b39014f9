#include "rooflens/readers/hf_modules.h"

namespace rooflens {
namespace {

using enum ModuleOwner;
using enum Slot;

constexpr std::array kParts{
    ModuleNames{attention,
                mix_in,
                true,
                {"self_attn.q_proj", "self_attn.qkv_proj", "attention.wqkv", "attn.c_attn",
                 "attn.attention.q_proj", "mixer.q_proj"}},
    ModuleNames{attention,
                mix_in,
                true,
                {"self_attn.k_proj", "self_attn.qkv_proj", "attention.wqkv", "attn.c_attn",
                 "attn.attention.k_proj", "mixer.k_proj"}},
    ModuleNames{attention,
                mix_in,
                true,
                {"self_attn.v_proj", "self_attn.qkv_proj", "attention.wqkv", "attn.c_attn",
                 "attn.attention.v_proj", "mixer.v_proj"}},
    ModuleNames{attention,
                mix_out,
                true,
                {"self_attn.o_proj", "attention.wo", "attn.c_proj", "attn.attention.out_proj",
                 "self_attn.out_proj", "mixer.o_proj"}},
    ModuleNames{cross, mix_in, true, {"cross_attn.q_proj"}},
    ModuleNames{cross, mix_in, true, {"cross_attn.k_proj"}},
    ModuleNames{cross, mix_in, true, {"cross_attn.v_proj"}},
    ModuleNames{cross, mix_out, true, {"cross_attn.o_proj"}},
    ModuleNames{
        latent, mix_in, true, {"self_attn.q_a_proj", "self_attn.fused_qkv_a_proj_with_mqa"}},
    ModuleNames{latent,
                mix_in,
                true,
                {"self_attn.kv_a_proj_with_mqa", "self_attn.fused_qkv_a_proj_with_mqa"}},
    ModuleNames{latent, mix_in3, true, {"self_attn.q_b_proj"}},
    ModuleNames{latent_direct, mix_in, true, {"self_attn.q_proj"}},
    ModuleNames{latent_direct, mix_in2, true, {"self_attn.kv_a_proj_with_mqa"}},
    ModuleNames{delta, mix_in, true, {"linear_attn.in_proj_qkv", "linear_attn.in_proj_qkvz"}},
    ModuleNames{delta, mix_in, true, {"linear_attn.in_proj_z", "linear_attn.in_proj_qkvz"}},
    ModuleNames{delta, mix_in2, false, {"linear_attn.in_proj_a", "linear_attn.in_proj_ba"}},
    ModuleNames{delta, mix_in2, false, {"linear_attn.in_proj_b", "linear_attn.in_proj_ba"}},
    ModuleNames{delta, mix_out, true, {"linear_attn.out_proj"}},
    ModuleNames{kimi, mix_in, true, {"self_attn.q_proj"}},
    ModuleNames{kimi, mix_in, true, {"self_attn.k_proj"}},
    ModuleNames{kimi, mix_in, true, {"self_attn.v_proj"}},
    ModuleNames{kimi, mix_in2, true, {"self_attn.f_a_proj"}},
    ModuleNames{kimi, mix_in2, true, {"self_attn.g_a_proj"}},
    ModuleNames{kimi, mix_in3, true, {"self_attn.f_b_proj"}},
    ModuleNames{kimi, mix_in3, true, {"self_attn.g_b_proj"}},
    ModuleNames{kimi, mix_in4, false, {"self_attn.b_proj"}},
    ModuleNames{kimi, mix_out, true, {"self_attn.o_proj"}},
    ModuleNames{lightning, mix_in, true, {"self_attn.qkv_proj"}},
    ModuleNames{lightning, mix_in2, true, {"self_attn.output_gate"}},
    ModuleNames{lightning, mix_out, true, {"self_attn.out_proj"}},
    ModuleNames{conv, mix_in, true, {"conv.in_proj"}},
    ModuleNames{conv, mix_out, true, {"conv.out_proj"}},
    ModuleNames{mamba, mix_in, true, {"mixer.in_proj", "mamba.in_proj"}},
    ModuleNames{mamba, mix_in2, true, {"mixer.x_proj", "mamba.x_proj"}},
    ModuleNames{mamba, mix_in3, true, {"mixer.dt_proj", "mamba.dt_proj"}},
    ModuleNames{mamba, mix_out, true, {"mixer.out_proj", "mamba.out_proj"}},
    ModuleNames{dense,
                up,
                true,
                {"mlp.gate_proj", "mlp.gate_up_proj", "feed_forward.w1", "feed_forward.gate_proj",
                 "mlp.c_fc_0", "mixer.up_proj"}},
    ModuleNames{dense,
                up,
                true,
                {"mlp.up_proj", "mlp.gate_up_proj", "feed_forward.w3", "feed_forward.up_proj",
                 "mlp.c_fc_1"}},
    ModuleNames{dense,
                down,
                true,
                {"mlp.down_proj", "feed_forward.w2", "feed_forward.down_proj", "mlp.c_proj",
                 "mixer.down_proj"}},
    ModuleNames{
        experts,
        router,
        false,
        {"mlp.gate", "block_sparse_moe.gate", "mlp.router", "feed_forward.router", "mixer.gate"}},
    ModuleNames{experts,
                experts_up,
                true,
                {"mlp.experts.0.gate_proj", "block_sparse_moe.experts.0.w1",
                 "mlp.experts.gate_up_proj", "feed_forward.experts.gate_up_proj",
                 "feed_forward.experts.0.gate_proj", "mixer.experts.0.up_proj"}},
    ModuleNames{experts,
                experts_down,
                true,
                {"mlp.experts.0.down_proj", "block_sparse_moe.experts.0.w2",
                 "mlp.experts.down_proj", "feed_forward.experts.down_proj",
                 "feed_forward.experts.0.down_proj", "mixer.experts.0.down_proj"}},
    ModuleNames{experts,
                shared_up,
                true,
                {"mlp.shared_expert.gate_proj", "mlp.shared_experts.gate_proj",
                 "feed_forward.shared_expert.gate_proj",
                 "block_sparse_moe.shared_experts.gate_proj", "mixer.shared_experts.up_proj"}},
    ModuleNames{experts,
                shared_up,
                true,
                {"mlp.shared_expert.up_proj", "mlp.shared_experts.up_proj",
                 "feed_forward.shared_expert.up_proj", "block_sparse_moe.shared_experts.up_proj",
                 "mixer.shared_experts.up_proj"}},
    ModuleNames{experts,
                shared_down,
                true,
                {"mlp.shared_expert.down_proj", "mlp.shared_experts.down_proj",
                 "feed_forward.shared_expert.down_proj",
                 "block_sparse_moe.shared_experts.down_proj", "mixer.shared_experts.down_proj"}},
    ModuleNames{experts, latent_in, true, {"mixer.fc1_latent_proj"}},
    ModuleNames{experts, latent_out, true, {"mixer.fc2_latent_proj"}},
    // Gemma 4: the dense block is the shared expert.
    ModuleNames{beside, router, false, {"router.proj", "router"}},
    ModuleNames{beside, experts_up, true, {"experts.gate_up_proj", "experts.0.gate_proj"}},
    ModuleNames{beside, experts_down, true, {"experts.down_proj", "experts.0.down_proj"}},
    ModuleNames{beside, shared_up, true, {"mlp.gate_proj", "mlp.gate_up_proj"}},
    ModuleNames{beside, shared_up, true, {"mlp.up_proj", "mlp.gate_up_proj"}},
    ModuleNames{beside, shared_down, true, {"mlp.down_proj"}},
};

// Parts every latent attention has, whatever its query projection.
constexpr std::array kLatentParts{
    ModuleNames{latent, mix_in4, true, {"self_attn.kv_b_proj"}},
    ModuleNames{latent, mix_out, true, {"self_attn.o_proj"}},
};

constexpr std::array kIndexParts{
    ModuleNames{latent, index_q, true, {"self_attn.indexer.wq_b"}},
    ModuleNames{latent, index_k, true, {"self_attn.indexer.wk"}},
    ModuleNames{
        latent, index_w, false, {"self_attn.indexer.weights_proj", "self_attn.indexers_proj"}},
};

// Names of the GPT line, which no quantisation block of a config names.
struct OtherName {
  std::string_view module;
  Slot slot;
};
constexpr std::array kOtherNames{
    OtherName{"attention.query_key_value", mix_in},
    OtherName{"self_attention.query_key_value", mix_in},
    OtherName{"self_attn.W_pack", mix_in},
    OtherName{"attn.Wqkv", mix_in},
    OtherName{"mixer.Wqkv", mix_in},
    OtherName{"norm_attn_norm.attn.Wqkv", mix_in},
    OtherName{"attn.q_proj", mix_in},
    OtherName{"attn.k_proj", mix_in},
    OtherName{"attn.v_proj", mix_in},
    OtherName{"att_proj", mix_in},
    OtherName{"attention.dense", mix_out},
    OtherName{"self_attention.dense", mix_out},
    OtherName{"self_attn.dense", mix_out},
    OtherName{"attn.out_proj", mix_out},
    OtherName{"norm_attn_norm.attn.out_proj", mix_out},
    OtherName{"attn_out", mix_out},
    OtherName{"mlp.dense_h_to_4h", up},
    OtherName{"mlp.c_fc", up},
    OtherName{"mlp.fc_in", up},
    OtherName{"mlp.fc1", up},
    OtherName{"fc1", up},
    OtherName{"ffn.up_proj", up},
    OtherName{"mlp.w1", up},
    OtherName{"mlp.w2", up},
    OtherName{"ff_proj", up},
    OtherName{"mlp.dense_4h_to_h", down},
    OtherName{"mlp.fc_out", down},
    OtherName{"mlp.fc2", down},
    OtherName{"fc2", down},
    OtherName{"ffn.down_proj", down},
    OtherName{"ff_out", down},
    OtherName{"attention.wq", mix_in},
    OtherName{"attention.wk", mix_in},
    OtherName{"attention.wv", mix_in},
    OtherName{"mlp.shared_expert_gate", router},
    OtherName{"mlp.experts.0.up_proj", experts_up},
    OtherName{"block_sparse_moe.experts.0.w3", experts_up},
    OtherName{"feed_forward.experts.0.up_proj", experts_up},
    OtherName{"experts.0.up_proj", experts_up},
    OtherName{"mixer.out_proj", mix_out},
    OtherName{"block_sparse_moe.input_linear", experts_up},  // Granite
    OtherName{"block_sparse_moe.output_linear", experts_down},
    OtherName{"block_sparse_moe.router.layer", router},
    OtherName{"mlp.switch_mlp.gate_proj", experts_up},  // MLX
    OtherName{"mlp.switch_mlp.up_proj", experts_up},
    OtherName{"mlp.switch_mlp.down_proj", experts_down},
    OtherName{"block_sparse_moe.switch_mlp.gate_proj", experts_up},
    OtherName{"block_sparse_moe.switch_mlp.up_proj", experts_up},
    OtherName{"block_sparse_moe.switch_mlp.down_proj", experts_down},
    OtherName{"mlp.gate.wg", router},  // Hunyuan
    OtherName{"mlp.shared_mlp.gate_proj", shared_up},
    OtherName{"mlp.shared_mlp.up_proj", shared_up},
    OtherName{"mlp.shared_mlp.down_proj", shared_down},
    OtherName{"ffn.router.layer", router},  // DBRX
    OtherName{"ffn.experts.mlp.w1", experts_up},
    OtherName{"ffn.experts.mlp.v1", experts_up},
    OtherName{"ffn.experts.mlp.w2", experts_down},
    OtherName{"mlp.experts.0.w1", experts_up},  // MiniCPM
    OtherName{"mlp.experts.0.w3", experts_up},
    OtherName{"mlp.experts.0.w2", experts_down},
};

struct MixerOwner {
  std::optional<ModuleOwner> operator()(const NoMixer&) const { return std::nullopt; }
  std::optional<ModuleOwner> operator()(const Attention& a) const {
    return a.cross ? cross : attention;
  }
  std::optional<ModuleOwner> operator()(const LatentAttention& a) const {
    return a.query_rank > 0 ? latent : latent_direct;
  }
  std::optional<ModuleOwner> operator()(const GatedDeltaNet&) const { return delta; }
  std::optional<ModuleOwner> operator()(const KimiDelta&) const { return kimi; }
  std::optional<ModuleOwner> operator()(const LightningAttention&) const { return lightning; }
  std::optional<ModuleOwner> operator()(const Mamba2&) const { return mamba; }
  std::optional<ModuleOwner> operator()(const Mamba1&) const { return mamba; }
  std::optional<ModuleOwner> operator()(const ShortConv&) const { return conv; }
};

}  // namespace

std::span<const ModuleNames> module_names() { return kParts; }
std::span<const ModuleNames> latent_module_names() { return kLatentParts; }
std::span<const ModuleNames> index_module_names() { return kIndexParts; }

std::optional<ModuleOwner> mixer_owner(const Layer& layer) {
  return std::visit(MixerOwner{}, layer.mixer);
}

std::optional<Slot> slot_of_module(const Layer& layer, std::string_view module) {
  const auto search = [&](const auto& parts, auto belongs) -> std::optional<Slot> {
    for (const ModuleNames& part : parts) {
      if (!belongs(part.owner)) continue;
      for (std::string_view name : part.names) {
        if (!name.empty() && name == module) return part.slot;
      }
    }
    return std::nullopt;
  };
  const std::optional<ModuleOwner> mixer = mixer_owner(layer);
  const bool moe = std::holds_alternative<MixtureOfExperts>(layer.ffn);
  const auto mine = [&](ModuleOwner owner) {
    return (mixer && owner == *mixer) ||
           (moe ? owner == experts || owner == beside : owner == dense);
  };
  if (auto slot = search(kParts, mine)) return slot;
  if (std::holds_alternative<LatentAttention>(layer.mixer)) {
    const auto any = [](ModuleOwner) { return true; };
    if (auto slot = search(kLatentParts, any)) return slot;
    if (auto slot = search(kIndexParts, any)) return slot;
  }
  // Granite's one feed-forward beside or instead of experts.
  if (module == "shared_mlp.input_linear") return moe ? shared_up : up;
  if (module == "shared_mlp.output_linear") return moe ? shared_down : down;
  for (const OtherName& name : kOtherNames) {
    if (name.module == module) return name.slot;
  }
  return std::nullopt;
}

}  // namespace rooflens
