#include "rooflens/readers/hf_storage.h"

#include <algorithm>
#include <array>
#include <span>

namespace rooflens {
namespace {

enum class Owner {
  attention,
  cross,
  latent,
  latent_direct,
  delta,
  kimi,
  lightning,
  conv,
  mamba,
  dense,
  experts,
  beside
};

// One matrix of a slot under the names files give it. linear = false: quantised only when a rule
// names it.
struct Part {
  Owner owner;
  Slot slot;
  bool linear;
  std::array<std::string_view, 6> names;
};

using enum Owner;
using enum Slot;

constexpr std::array kParts{
    Part{attention,
         mix_in,
         true,
         {"self_attn.q_proj", "self_attn.qkv_proj", "attention.wqkv", "attn.c_attn",
          "attn.attention.q_proj", "mixer.q_proj"}},
    Part{attention,
         mix_in,
         true,
         {"self_attn.k_proj", "self_attn.qkv_proj", "attention.wqkv", "attn.c_attn",
          "attn.attention.k_proj", "mixer.k_proj"}},
    Part{attention,
         mix_in,
         true,
         {"self_attn.v_proj", "self_attn.qkv_proj", "attention.wqkv", "attn.c_attn",
          "attn.attention.v_proj", "mixer.v_proj"}},
    Part{attention,
         mix_out,
         true,
         {"self_attn.o_proj", "attention.wo", "attn.c_proj", "attn.attention.out_proj",
          "self_attn.out_proj", "mixer.o_proj"}},
    Part{cross, mix_in, true, {"cross_attn.q_proj"}},
    Part{cross, mix_in, true, {"cross_attn.k_proj"}},
    Part{cross, mix_in, true, {"cross_attn.v_proj"}},
    Part{cross, mix_out, true, {"cross_attn.o_proj"}},
    Part{latent, mix_in, true, {"self_attn.q_a_proj", "self_attn.fused_qkv_a_proj_with_mqa"}},
    Part{latent,
         mix_in,
         true,
         {"self_attn.kv_a_proj_with_mqa", "self_attn.fused_qkv_a_proj_with_mqa"}},
    Part{latent, mix_in3, true, {"self_attn.q_b_proj"}},
    Part{latent_direct, mix_in, true, {"self_attn.q_proj"}},
    Part{latent_direct, mix_in2, true, {"self_attn.kv_a_proj_with_mqa"}},
    Part{delta, mix_in, true, {"linear_attn.in_proj_qkv", "linear_attn.in_proj_qkvz"}},
    Part{delta, mix_in, true, {"linear_attn.in_proj_z", "linear_attn.in_proj_qkvz"}},
    Part{delta, mix_in2, false, {"linear_attn.in_proj_a", "linear_attn.in_proj_ba"}},
    Part{delta, mix_in2, false, {"linear_attn.in_proj_b", "linear_attn.in_proj_ba"}},
    Part{delta, mix_out, true, {"linear_attn.out_proj"}},
    Part{kimi, mix_in, true, {"self_attn.q_proj"}},
    Part{kimi, mix_in, true, {"self_attn.k_proj"}},
    Part{kimi, mix_in, true, {"self_attn.v_proj"}},
    Part{kimi, mix_in2, true, {"self_attn.f_a_proj"}},
    Part{kimi, mix_in2, true, {"self_attn.g_a_proj"}},
    Part{kimi, mix_in3, true, {"self_attn.f_b_proj"}},
    Part{kimi, mix_in3, true, {"self_attn.g_b_proj"}},
    Part{kimi, mix_in4, false, {"self_attn.b_proj"}},
    Part{kimi, mix_out, true, {"self_attn.o_proj"}},
    Part{lightning, mix_in, true, {"self_attn.qkv_proj"}},
    Part{lightning, mix_in2, true, {"self_attn.output_gate"}},
    Part{lightning, mix_out, true, {"self_attn.out_proj"}},
    Part{conv, mix_in, true, {"conv.in_proj"}},
    Part{conv, mix_out, true, {"conv.out_proj"}},
    Part{mamba, mix_in, true, {"mixer.in_proj", "mamba.in_proj"}},
    Part{mamba, mix_in2, true, {"mixer.x_proj", "mamba.x_proj"}},
    Part{mamba, mix_in3, true, {"mixer.dt_proj", "mamba.dt_proj"}},
    Part{mamba, mix_out, true, {"mixer.out_proj", "mamba.out_proj"}},
    Part{dense,
         up,
         true,
         {"mlp.gate_proj", "mlp.gate_up_proj", "feed_forward.w1", "feed_forward.gate_proj",
          "mlp.c_fc_0", "mixer.up_proj"}},
    Part{dense,
         up,
         true,
         {"mlp.up_proj", "mlp.gate_up_proj", "feed_forward.w3", "feed_forward.up_proj",
          "mlp.c_fc_1"}},
    Part{dense,
         down,
         true,
         {"mlp.down_proj", "feed_forward.w2", "feed_forward.down_proj", "mlp.c_proj",
          "mixer.down_proj"}},
    Part{experts,
         router,
         false,
         {"mlp.gate", "block_sparse_moe.gate", "mlp.router", "feed_forward.router", "mixer.gate"}},
    Part{experts,
         experts_up,
         true,
         {"mlp.experts.0.gate_proj", "block_sparse_moe.experts.0.w1", "mlp.experts.gate_up_proj",
          "feed_forward.experts.gate_up_proj", "feed_forward.experts.0.gate_proj",
          "mixer.experts.0.up_proj"}},
    Part{experts,
         experts_down,
         true,
         {"mlp.experts.0.down_proj", "block_sparse_moe.experts.0.w2", "mlp.experts.down_proj",
          "feed_forward.experts.down_proj", "feed_forward.experts.0.down_proj",
          "mixer.experts.0.down_proj"}},
    Part{experts,
         shared_up,
         true,
         {"mlp.shared_expert.gate_proj", "mlp.shared_experts.gate_proj",
          "feed_forward.shared_expert.gate_proj", "block_sparse_moe.shared_experts.gate_proj",
          "mixer.shared_experts.up_proj"}},
    Part{experts,
         shared_up,
         true,
         {"mlp.shared_expert.up_proj", "mlp.shared_experts.up_proj",
          "feed_forward.shared_expert.up_proj", "block_sparse_moe.shared_experts.up_proj",
          "mixer.shared_experts.up_proj"}},
    Part{experts,
         shared_down,
         true,
         {"mlp.shared_expert.down_proj", "mlp.shared_experts.down_proj",
          "feed_forward.shared_expert.down_proj", "block_sparse_moe.shared_experts.down_proj",
          "mixer.shared_experts.down_proj"}},
    Part{experts, latent_in, true, {"mixer.fc1_latent_proj"}},
    Part{experts, latent_out, true, {"mixer.fc2_latent_proj"}},
    // Gemma 4: the dense block is the shared expert.
    Part{beside, router, false, {"router.proj", "router"}},
    Part{beside, experts_up, true, {"experts.gate_up_proj", "experts.0.gate_proj"}},
    Part{beside, experts_down, true, {"experts.down_proj", "experts.0.down_proj"}},
    Part{beside, shared_up, true, {"mlp.gate_proj", "mlp.gate_up_proj"}},
    Part{beside, shared_up, true, {"mlp.up_proj", "mlp.gate_up_proj"}},
    Part{beside, shared_down, true, {"mlp.down_proj"}},
};

// Parts every latent attention has, whatever its query projection.
constexpr std::array kLatentParts{
    Part{latent, mix_in4, true, {"self_attn.kv_b_proj"}},
    Part{latent, mix_out, true, {"self_attn.o_proj"}},
};

constexpr std::array kIndexParts{
    Part{latent, index_q, true, {"self_attn.indexer.wq_b"}},
    Part{latent, index_k, true, {"self_attn.indexer.wk"}},
    Part{latent, index_w, false, {"self_attn.indexer.weights_proj", "self_attn.indexers_proj"}},
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

struct Context {
  const Quantisation& q;
  const Storage plain_storage;
  const std::string& prefix;
  Layer& layer;
  std::vector<std::string>& mixed;
  std::vector<Element>& inputs;
  std::array<bool, kSlots> seen{};
};

const Format& format_of(const Context& c, const Part& part) {
  static const Format plain_format;
  const bool expert = part.slot == experts_up || part.slot == experts_down;
  const bool reached = part.linear && (!c.q.experts_only || expert);
  for (const FormatRule& rule : c.q.rules) {
    for (std::string_view name : part.names) {
      if (!name.empty() && rule.modules.contains(c.prefix + std::string(name))) return rule.format;
    }
  }
  return reached ? c.q.linear : plain_format;
}

void apply(Context& c, const Part& part) {
  const Format& format = format_of(c, part);
  const Storage storage = format.storage.value_or(c.plain_storage);
  Weight& weight = c.layer.weight(part.slot);
  auto& seen = c.seen[static_cast<std::size_t>(part.slot)];
  if (seen && !(weight.storage == storage)) {
    c.mixed.push_back(c.prefix + std::string(part.names[0]));
    if (bits_per_weight(storage) <= bits_per_weight(weight.storage)) return;
  }
  seen = true;
  weight.storage = storage;
  if (format.storage) c.inputs.push_back(format.input);
}

template <std::size_t N>
void apply_all(Context& c, Owner owner, const std::array<Part, N>& parts) {
  for (const Part& part : parts) {
    if (part.owner == owner) apply(c, part);
  }
}

struct MixerOwner {
  std::optional<Owner> operator()(const NoMixer&) const { return std::nullopt; }
  std::optional<Owner> operator()(const Attention& a) const { return a.cross ? cross : attention; }
  std::optional<Owner> operator()(const LatentAttention& a) const {
    return a.query_rank > 0 ? latent : latent_direct;
  }
  std::optional<Owner> operator()(const GatedDeltaNet&) const { return delta; }
  std::optional<Owner> operator()(const KimiDelta&) const { return kimi; }
  std::optional<Owner> operator()(const LightningAttention&) const { return lightning; }
  std::optional<Owner> operator()(const Mamba2&) const { return mamba; }
  std::optional<Owner> operator()(const Mamba1&) const { return mamba; }
  std::optional<Owner> operator()(const ShortConv&) const { return conv; }
};

}  // namespace

Element read_dtype(Fields& f) {
  for (std::string_view key : {"torch_dtype", "dtype"}) {
    const Json* value = f.find_shared(key);
    if (value == nullptr) continue;
    const std::string_view name = value->string;
    f.fact("stored type", key, *value, true);
    if (name == "bfloat16" || name == "torch.bfloat16" || name == "bf16") return Element::bf16;
    if (name == "float16" || name == "torch.float16" || name == "half" || name == "fp16") {
      return Element::fp16;
    }
    if (name == "float32" || name == "torch.float32" || name == "float") return Element::fp32;
    if (name == "fp8") return Element::bf16;  // DeepSeek's own format: what is not fp8 is bf16
    f.error(ErrorCode::unsupported,
            std::string(key) + " = " + brief(*value) + " is not a known stored type", key,
            "known: bfloat16, float16, float32");
    return Element::bf16;
  }
  f.derived("stored type", "bfloat16", "default");
  return Element::bf16;
}

void set_layer_storage(const Quantisation& q, Element dtype, const Family& family,
                       const std::string& prefix, Layer& layer, std::vector<std::string>& mixed,
                       std::vector<Element>& inputs) {
  for (Weight& weight : layer.weights) weight.storage = plain(dtype);
  if (q.words.empty()) return;
  Context c{q, plain(dtype), prefix, layer, mixed, inputs};
  const std::optional<Owner> owner = std::visit(MixerOwner{}, layer.mixer);
  if (owner) apply_all(c, *owner, kParts);
  if (const auto* a = std::get_if<LatentAttention>(&layer.mixer)) {
    apply_all(c, latent, kLatentParts);
    if (a->index.top_k > 0 && a->index.dim > 0) apply_all(c, latent, kIndexParts);
  }
  if (std::holds_alternative<Dense>(layer.ffn)) {
    apply_all(c, dense, kParts);
  } else if (std::holds_alternative<MixtureOfExperts>(layer.ffn)) {
    apply_all(c, family.feeding == Feeding::gemma4 ? beside : experts, kParts);
  }
}

std::optional<Slot> slot_of_module(const Layer& layer, std::string_view module) {
  const auto search = [&](const auto& parts, auto belongs) -> std::optional<Slot> {
    for (const Part& part : parts) {
      if (!belongs(part.owner)) continue;
      for (std::string_view name : part.names) {
        if (!name.empty() && name == module) return part.slot;
      }
    }
    return std::nullopt;
  };
  const std::optional<Owner> mixer = std::visit(MixerOwner{}, layer.mixer);
  const bool moe = std::holds_alternative<MixtureOfExperts>(layer.ffn);
  const auto mine = [&](Owner owner) {
    return (mixer && owner == *mixer) ||
           (moe ? owner == experts || owner == beside : owner == dense);
  };
  if (auto slot = search(kParts, mine)) return slot;
  if (std::holds_alternative<LatentAttention>(layer.mixer)) {
    const auto any = [](Owner) { return true; };
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

void set_storage(Fields& f, const Quantisation& q, Element dtype, std::vector<Layer>& layers,
                 Model& model) {
  std::vector<std::string> mixed;
  std::vector<Element> inputs;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const std::size_t number = l / static_cast<std::size_t>(model.layers_per_block);
    set_layer_storage(q, dtype, f.family(), "layers." + std::to_string(number) + ".", layers[l],
                      mixed, inputs);
  }
  const auto whole = [&](std::string_view module, bool linear) {
    if (q.words.empty()) return plain(dtype);
    const Format& format = q.of(module, linear);
    if (format.storage) inputs.push_back(format.input);
    return format.storage.value_or(plain(dtype));
  };
  model.embedding.storage = whole("embed_tokens", q.embedding);
  model.head.storage = model.tied ? model.embedding.storage : whole("lm_head", q.head);
  model.small = plain(dtype);
  model.quantisation = q.words;
  if (q.kv) {
    model.kv = *q.kv;
    f.derived("KV cache type", storage_name(*q.kv), "file: quantisation");
  }
  if (!mixed.empty()) {
    f.warn(std::to_string(mixed.size()) + " merged matrices have parts in different formats (" +
           mixed.front() + "); the widest is used");
  }
  for (const FormatRule& rule : q.rules) {
    for (const std::string& pattern : rule.modules.unknown()) {
      f.warn("pattern \"re:" + pattern +
             "\" of the quantisation is not understood and names nothing");
    }
  }
  if (inputs.empty()) return;
  const auto narrow = [](Element a, Element b) { return element_bits(a) < element_bits(b); };
  model.gemm_input = *std::min_element(inputs.begin(), inputs.end(), narrow);
  if (std::any_of(inputs.begin(), inputs.end(), [&](Element e) { return e != model.gemm_input; })) {
    f.warn(std::string("some quantised matrices take a wider input than ") +
           name_of(model.gemm_input) + "; the roof uses the narrowest for all");
  }
}

}  // namespace rooflens
