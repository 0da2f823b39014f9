#include "rooflens/readers/hf_pieces.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

#include "rooflens/readers/hf_modules.h"
#include "rooflens/readers/packed_weights.h"
#include "rooflens/readers/words.h"

namespace rooflens {
namespace {

// The last two components of a path: "transformer.ln_f" -> "ln_f" and the like.
std::string_view last_part(std::string_view module) {
  const std::size_t dot = module.rfind('.');
  return dot == std::string_view::npos ? module : module.substr(dot + 1);
}

// "model.layers.12.mlp.up_proj" -> 12, "mlp.up_proj".
struct InLayer {
  int layer = -1;
  std::string_view before, module;
};
InLayer in_layer(std::string_view name) {
  InLayer out;
  for (std::string_view word : {"layers.", "h.", "blocks.", "block."}) {
    for (std::size_t at = name.find(word); at != std::string_view::npos;
         at = name.find(word, at + 1)) {
      if (at > 0 && name[at - 1] != '.') continue;
      const std::size_t begin = at + word.size();
      const std::size_t dot = name.find('.', begin);
      if (dot == std::string_view::npos) continue;
      int n = 0;
      const auto [end, ec] = std::from_chars(name.data() + begin, name.data() + dot, n);
      if (ec != std::errc{} || end != name.data() + dot || n < 0) continue;
      return {n, name.substr(0, at), name.substr(dot + 1)};
    }
  }
  return out;
}

// "mlp.experts.17.up_proj" -> "mlp.experts.0.up_proj".
std::string first_expert(std::string_view module) {
  constexpr std::string_view kWord = "experts.";
  std::string out(module);
  const std::size_t at = out.find(kWord);
  if (at == std::string::npos) return out;
  std::size_t end = at + kWord.size();
  while (end < out.size() && out[end] >= '0' && out[end] <= '9') ++end;
  if (end > at + kWord.size()) out.replace(at + kWord.size(), end - at - kWord.size(), "0");
  return out;
}

constexpr std::array<std::string_view, 12> kTowers{
    "vision",  "visual", "image",  "audio",       "projector", "vit.",
    "aligner", "merger", "siglip", "patch_embed", "mlp1.",     "view_seperator"};

bool is_tower(std::string_view name) {
  return std::any_of(kTowers.begin(), kTowers.end(),
                     [&](std::string_view word) { return contains(name, word); });
}

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_buffer(std::string_view name) {
  return contains(name, "inv_freq") || contains(name, "rotary") || contains(name, "masked_bias") ||
         contains(name, "rope.freqs");
}

PieceUse whole_use(std::string_view module) {
  const std::string_view part = last_part(module);
  if (one_of(part, {"embed_tokens", "wte", "word_embeddings", "tok_embeddings", "embed_in",
                    "embeddings", "embedding"})) {
    return PieceUse::embedding;
  }
  if (one_of(part, {"lm_head", "embed_out", "output", "output_layer", "head"})) {
    return PieceUse::head;
  }
  if (part == "ff_out") return PieceUse::head;  // Molmo
  if (part == "new_embedding") return PieceUse::embedding;
  if (one_of(part, {"wpe", "embed_positions"})) return PieceUse::positions;
  return PieceUse::unknown;
}

class Sorter {
 public:
  explicit Sorter(const Model& model)
      : model_(model),
        per_block_(model.layers_per_block),
        layers_(static_cast<int>(model.order.size()) / model.layers_per_block) {}

  // A layer past the model's that has what only a prediction block has.
  void see(const Tensor& t) {
    const InLayer in = in_layer(t.name);
    if (in.layer < layers_) return;
    for (std::string_view mark : {"eh_proj", "enorm", "hnorm", "shared_head", "mtp", "nextn"}) {
      if (contains(in.module, mark)) predicts_.insert(in.layer);
    }
  }

  void add(const Tensor& t) {
    const TensorName name = split_tensor_name(t.name);
    if (name.leaf == "bias" || is_buffer(t.name)) {
      single(t, name.module);
      return;
    }
    auto [at, fresh] = index_.emplace(name.module, modules_.size());
    if (fresh) modules_.emplace_back(name.module, ModuleTensors{});
    modules_[at->second].second.parts.emplace_back(name.leaf, &t);
  }

  std::vector<WeightPiece> take() {
    for (const auto& [module, parts] : modules_) {
      WeightPiece p = place(module);
      const Storage hint = p.use == PieceUse::matrix ? layer(p.layer).weight(p.slot).storage
                           : p.use == PieceUse::head ? model_.head.storage
                                                     : model_.embedding.storage;
      const Unpacked u = unpack(parts, hint);
      p.format = u.format;
      p.storage = u.storage;
      p.parameters = u.parameters;
      p.bytes = u.bytes;
      p.tensors = static_cast<double>(parts.parts.size());
      const bool flat = parts.parts.size() == 1 && parts.parts[0].second->dims <= 1;
      if (p.use == PieceUse::unknown && (flat || in_small_module(module)) &&
          (p.layer >= 0 || is_norm(module))) {
        p.use = PieceUse::small;
      }
      // Scales of a cache or of an input lie beside no matrix.
      if (u.parameters == 0 && p.use == PieceUse::unknown) p.use = PieceUse::small;
      pieces_.push_back(std::move(p));
    }
    return std::move(pieces_);
  }

 private:
  [[nodiscard]] const Layer& layer(int l) const {
    return model_.layers[model_.order[static_cast<std::size_t>(l)]];
  }
  static bool is_norm(std::string_view module) {
    const std::string_view part = last_part(module);
    return contains(part, "norm") || contains(part, "ln_");
  }
  static bool in_small_module(std::string_view module) {
    return contains(module, "conv") || contains(module, "A_log") || contains(module, "dt_bias") ||
           contains(module, "norm") || contains(module, "sinks") || contains(module, "correction");
  }

  // Where a module of this name belongs.
  WeightPiece place(std::string_view module) const {
    WeightPiece p;
    p.name = module;
    const InLayer in = in_layer(module);
    const std::string_view outside = in.layer >= 0 ? in.before : module;
    if (is_tower(outside)) {
      p.use = PieceUse::beside;
      p.what = "vision or audio tower";
    } else if (contains(outside, "mtp") || predicts_.count(in.layer) > 0) {
      p.use = PieceUse::beside;
      p.what = "prediction block (MTP)";
    } else if (in.layer >= layers_) {
      p.layer = in.layer;  // more layers than the config says
    } else if (in.layer >= 0) {
      place_in_layer(in, p);
    } else {
      p.use = whole_use(module);
    }
    return p;
  }

  // A layer of the files may be told as several of the model (Falcon-H1): the first that has a
  // place for the module.
  void place_in_layer(const InLayer& in, WeightPiece& p) const {
    p.layer = in.layer * per_block_;
    for (int part = 0; part < per_block_; ++part) {
      const int l = in.layer * per_block_ + part;
      const auto slot = slot_of_module(layer(l), first_expert(in.module));
      if (!slot) continue;
      p.use = PieceUse::matrix;
      p.layer = l;
      p.slot = *slot;
      return;
    }
  }

  // A bias or a buffer, a piece of its own.
  void single(const Tensor& t, std::string_view module) {
    WeightPiece p = place(module);
    p.name = t.name;
    p.format = t.format;
    p.storage = t.storage;
    p.bytes = t.bytes;
    p.parameters = t.elements;
    // GPT-2 and its kin keep a causal mask under this name.
    const bool mask = t.dims > 2;
    if (mask || is_buffer(t.name)) {
      p.use = PieceUse::buffer;
      p.parameters = 0;
    } else if (p.use != PieceUse::beside) {
      p.use = PieceUse::small;
    }
    pieces_.push_back(std::move(p));
  }

  const Model& model_;
  const int per_block_, layers_;  // layers of the model for one of the files; of the files
  std::unordered_set<int> predicts_;
  std::unordered_map<std::string_view, std::size_t> index_;
  std::vector<std::pair<std::string_view, ModuleTensors>> modules_;
  std::vector<WeightPiece> pieces_;
};

}  // namespace

std::vector<WeightPiece> hf_pieces(const std::vector<Tensor>& tensors, const Model& model) {
  Sorter sorter(model);
  for (const Tensor& t : tensors) sorter.see(t);
  for (const Tensor& t : tensors) sorter.add(t);
  return sorter.take();
}

Result<Model> bind_safetensors(Model model, const TensorTable& table, std::string_view where) {
  if (auto r = bind_weights(hf_pieces(table.tensors, model), where, model); !r) {
    return Failure(std::move(r.error()));
  }
  model.read_from = "safetensors";
  return model;
}

}  // namespace rooflens
