// Names of tensors in GGUF files.
#include <array>
#include <charconv>
#include <cstdlib>
#include <unordered_set>

#include "rooflens/readers/weight_pieces.h"

namespace rooflens {
namespace {

using enum Slot;

// Matrices that have one place whatever the layer is.
struct Place {
  std::string_view part;
  Slot slot;
};
constexpr std::array kPlaces{
    Place{"attn_q", mix_in},
    Place{"attn_k", mix_in},
    Place{"attn_v", mix_in},
    Place{"attn_qkv", mix_in},
    Place{"attn_out", mix_out},  // Ollama
    Place{"attn_gate", mix_in},
    Place{"attn_output", mix_out},
    Place{"attn_q_a", mix_in},
    Place{"attn_q_b", mix_in3},
    Place{"attn_kv_b", mix_in4},
    Place{"attn_k_b", mix_in4},
    Place{"attn_v_b", mix_in4},
    Place{"indexer.attn_q_b", index_q},
    Place{"indexer.attn_k", index_k},
    Place{"indexer.proj", index_w},
    Place{"ssm_in", mix_in},
    Place{"ssm_x", mix_in2},
    Place{"ssm_dt", mix_in3},
    Place{"ssm_out", mix_out},
    Place{"ssm_ba", mix_in2},
    Place{"ssm_alpha", mix_in2},
    Place{"ssm_beta", mix_in2},
    Place{"shortconv.in_proj", mix_in},
    Place{"shortconv.out_proj", mix_out},
    Place{"ffn_gate_inp", router},
    Place{"ffn_gate_inp_shexp", router},
    Place{"ffn_gate", up},
    Place{"ffn_up", up},
    Place{"ffn_down", down},
    Place{"ffn_gate_exps", experts_up},
    Place{"ffn_up_exps", experts_up},
    Place{"ffn_gate_up_exps", experts_up},
    Place{"ffn_down_exps", experts_down},
    Place{"ffn_gate_shexp", shared_up},
    Place{"ffn_up_shexp", shared_up},
    Place{"ffn_down_shexp", shared_down},
    Place{"ffn_latent_down", latent_in},
    Place{"ffn_latent_up", latent_out},
};

// Older files keep every expert in a tensor of its own: "ffn_up.3".
std::string_view without_expert(std::string_view part) {
  const std::size_t dot = part.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == part.size()) return part;
  for (char c : part.substr(dot + 1)) {
    if (c < '0' || c > '9') return part;
  }
  return part.substr(0, dot);
}

std::optional<Slot> slot_of(std::string_view part, const Layer& layer) {
  const std::string_view plain = without_expert(part);
  const bool expert = plain.size() != part.size();
  if (const auto* latent = std::get_if<LatentAttention>(&layer.mixer)) {
    if (plain == "attn_kv_a_mqa") return latent->query_rank > 0 ? mix_in : mix_in2;
  }
  const auto* moe = std::get_if<MixtureOfExperts>(&layer.ffn);
  for (const Place& p : kPlaces) {
    if (p.part != plain) continue;
    if (expert && p.slot == up) return experts_up;
    if (expert && p.slot == down) return experts_down;
    // Gemma 4: the dense block beside the experts.
    if (moe != nullptr && p.slot == up) return shared_up;
    if (moe != nullptr && p.slot == down) return shared_down;
    return p.slot;
  }
  return std::nullopt;
}

bool begins(std::string_view s, std::string_view head) { return s.substr(0, head.size()) == head; }

// "blk.12.attn_q.weight" -> 12, "attn_q", "weight".
struct BlockName {
  int block = -1;
  std::string_view part, leaf;
};
BlockName block_name(std::string_view name) {
  BlockName out;
  if (!begins(name, "blk.")) return out;
  const std::size_t dot = name.find('.', 4);
  int n = 0;
  const auto [end, ec] = std::from_chars(name.data() + 4, name.data() + name.size(), n);
  if (dot == std::string_view::npos || ec != std::errc{} || end != name.data() + dot) return out;
  out.block = n;
  const std::size_t last = name.rfind('.');
  out.part = last > dot ? name.substr(dot + 1, last - dot - 1) : name.substr(dot + 1);
  out.leaf = last > dot ? name.substr(last + 1) : std::string_view();
  return out;
}

void classify_whole(std::string_view name, WeightPiece& p) {
  if (begins(name, "v.") || begins(name, "mm.") || begins(name, "a.")) {
    p.use = PieceUse::beside;
    p.what = "vision or audio tower";
  } else if (name == "token_embd.weight") {
    p.use = PieceUse::embedding;
  } else if (name == "output.weight") {
    p.use = PieceUse::head;
  } else if (name == "position_embd.weight") {
    p.use = PieceUse::positions;
  } else if (begins(name, "rope_")) {
    p.use = PieceUse::buffer;
  } else if (begins(name, "output") || begins(name, "token_embd_norm")) {
    p.use = PieceUse::small;
  }
}

void classify_block(const BlockName& b, const Tensor& t, const Layer& layer, WeightPiece& p) {
  p.layer = b.block;
  if (begins(b.part, "rope_") || b.part == "attn_rot_embd") {
    p.use = PieceUse::buffer;
  } else if (const auto slot = b.leaf == "weight" ? slot_of(b.part, layer) : std::nullopt) {
    p.use = PieceUse::matrix;
    p.slot = *slot;
  } else if (t.dims <= 1 || b.part.ends_with("_norm") || begins(b.part, "ssm_") ||
             begins(b.part, "shortconv") || b.leaf == "bias" || b.leaf == "scale" ||
             b.leaf == "input_scale") {
    p.use = PieceUse::small;
  }
}

}  // namespace

std::vector<WeightPiece> gguf_pieces(const std::vector<Tensor>& tensors, const Model& model,
                                     double draft_blocks) {
  std::unordered_set<int> split;  // blocks whose kv_b is there as k_b and v_b
  for (const Tensor& t : tensors) {
    const BlockName b = block_name(t.name);
    if (b.part == "attn_k_b" && b.leaf == "weight") split.insert(b.block);
  }
  std::vector<WeightPiece> pieces;
  const int layers = static_cast<int>(model.order.size());
  for (const Tensor& t : tensors) {
    WeightPiece p;
    p.name = t.name;
    p.format = t.format;
    p.storage = t.storage;
    p.parameters = t.elements;
    p.bytes = t.bytes;
    const BlockName b = block_name(t.name);
    if (b.block < 0) {
      classify_whole(t.name, p);
    } else if (b.block >= layers + static_cast<int>(draft_blocks)) {
      p.layer = b.block;  // more blocks than the keys say
    } else if (b.block >= layers || begins(b.part, "nextn.")) {
      p.use = PieceUse::beside;
      p.what = "prediction block (MTP)";
    } else {
      classify_block(b, t, model.layers[model.order[static_cast<std::size_t>(b.block)]], p);
      if (b.part == "attn_kv_b" && split.count(b.block) > 0) {
        p.use = PieceUse::duplicate;
        p.what = "kv_b, stored whole and again as k_b and v_b";
      }
    }
    // Scales of quantised matrices are no parameters; Gemma 4's router and experts have real ones.
    const bool learned = b.part == "ffn_gate_inp" || b.part == "ffn_down_exps";
    if (p.use == PieceUse::small && b.leaf.find("scale") != std::string_view::npos && !learned) {
      p.parameters = 0;
    }
    if (p.use == PieceUse::buffer) p.parameters = 0;
    pieces.push_back(std::move(p));
  }
  return pieces;
}

}  // namespace rooflens
