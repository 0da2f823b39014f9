// Networks whose layers differ in kind: Nemotron-H, Jamba, Granite 4 and Bamba, Falcon-H1,
// Nemotron-NAS.
#include <cmath>
#include <string>

#include "rooflens/readers/hf_layers.h"

namespace rooflens {
namespace {

Attention plain_attention(Fields& f, double hidden) {
  const std::vector<Mixer> one = attention_mixers(f, {LayerKind::full}, hidden);
  const auto* a = one.empty() ? nullptr : std::get_if<Attention>(&one[0]);
  return a != nullptr ? *a : Attention{};
}

void refuse_layer(Fields& f, std::string_view key, std::size_t layer, const std::string& what,
                  const char* known) {
  f.error(ErrorCode::unsupported,
          std::string(key) + "[" + std::to_string(layer) + "]: " + what + " is not modelled", key,
          known);
}

// ---- Nemotron-H ---------------------------------------------------------------------------------

// One letter a layer: M Mamba-2, * attention, - feed-forward, E experts.
std::string letters(Fields& f, std::size_t layers) {
  std::string out;
  if (const Json* list = f.list("layers_block_type", static_cast<double>(layers))) {
    for (std::size_t l = 0; l < layers; ++l) {
      const std::string& name = list->items[l].string;
      const char letter = name == "mamba"       ? 'M'
                          : name == "attention" ? '*'
                          : name == "mlp"       ? '-'
                          : name == "moe"       ? 'E'
                                                : '?';
      if (letter == '?') {
        refuse_layer(f, "layers_block_type", l, brief(list->items[l]),
                     "known: mamba, attention, mlp, moe");
      }
      out += letter;
    }
    f.fact("layer kinds", "layers_block_type", *list, true);
    return out;
  }
  out = f.text("layer kinds", {"hybrid_override_pattern"});
  if (!f.failed() && out.size() != layers) {
    f.error(ErrorCode::invalid,
            "the pattern of layers has " + std::to_string(out.size()) + " letters for " +
                std::to_string(layers) + " layers",
            "hybrid_override_pattern", "one letter a layer: M, *, -, E");
  }
  return out;
}

LayerParts nemotron_h_layers(Fields& f, std::size_t layers, double hidden) {
  LayerParts parts{std::vector<Mixer>(layers), std::vector<FeedForward>(layers)};
  const std::string pattern = letters(f, layers);
  if (f.failed()) return parts;
  const auto has = [&](char c) { return pattern.find(c) != std::string::npos; };
  Mamba2 mamba;
  if (has('M')) {
    mamba.head_dim = f.size("state-space head size", {"mamba_head_dim"});
    mamba.inner = mamba.head_dim * f.size("state-space heads", {"mamba_num_heads"});
    mamba.state = f.size("state size", {"ssm_state_size"});
    mamba.groups = f.size("groups of B and C", {"n_groups"});
    mamba.conv = f.size("convolution length", {"conv_kernel"}, 1024);
  }
  const Attention attention = has('*') ? plain_attention(f, hidden) : Attention{};
  const Dense dense = has('-') ? dense_block(f, hidden) : Dense{};
  MixtureOfExperts experts;
  if (has('E')) {
    experts = expert_block(f, {"moe_intermediate_size"});
    experts.latent = f.count("width the experts work in", {"moe_latent_size"});
    experts.shared_width = f.count("shared experts", {"n_shared_experts"}, kMaxExperts) *
                           f.count("shared expert width", {"moe_shared_expert_intermediate_size"});
  }
  for (std::size_t l = 0; l < layers && !f.failed(); ++l) {
    switch (pattern[l]) {
      case 'M':
        parts.mixers[l] = mamba;
        break;
      case '*':
        parts.mixers[l] = attention;
        break;
      case '-':
        parts.blocks[l] = dense;
        break;
      case 'E':
        parts.blocks[l] = experts;
        break;
      default:
        refuse_layer(f, "hybrid_override_pattern", l, std::string("\"") + pattern[l] + '"',
                     "known: M, *, -, E");
    }
  }
  return parts;
}

// ---- Jamba --------------------------------------------------------------------------------------

LayerParts jamba_layers(Fields& f, std::size_t layers, double hidden) {
  LayerParts parts{std::vector<Mixer>(layers), std::vector<FeedForward>(layers)};
  Mamba1 mamba;
  mamba.inner_norms = true;
  mamba.inner = hidden * f.size("inner over hidden size", {"mamba_expand"}, 64);
  mamba.state = f.size("state size", {"mamba_d_state"});
  mamba.conv = f.size("convolution length", {"mamba_d_conv"}, 1024);
  const Fields::Found rank = f.find({"mamba_dt_rank"});
  if (rank.value == nullptr || rank.value->string == "auto") {
    mamba.dt_rank = std::ceil(hidden / 16);
    f.derived("time step rank", number_text(mamba.dt_rank), "derived: hidden size / 16");
  } else {
    mamba.dt_rank = f.size("time step rank", {"mamba_dt_rank"});
  }
  const Attention attention = plain_attention(f, hidden);
  const double period = f.size("attention every", {"attn_layer_period"}, kMaxLayers);
  const double offset = f.count("attention from", {"attn_layer_offset"}, kMaxLayers);
  const double expert_period = f.size("experts every", {"expert_layer_period"}, kMaxLayers);
  const double expert_offset = f.count("experts from", {"expert_layer_offset"}, kMaxLayers);
  const Dense dense = dense_block(f, hidden);
  const bool sparse = f.size("experts", {"num_experts"}, kMaxExperts) > 1;
  const MixtureOfExperts experts =
      sparse ? expert_block(f, {"intermediate_size"}) : MixtureOfExperts{};
  for (std::size_t l = 0; l < layers; ++l) {
    const auto n = static_cast<double>(l);
    parts.mixers[l] = std::fmod(n, period) == offset ? Mixer{attention} : Mixer{mamba};
    const bool moe = sparse && std::fmod(n, expert_period) == expert_offset;
    parts.blocks[l] = moe ? FeedForward{experts} : FeedForward{dense};
  }
  return parts;
}

// ---- Granite 4, Bamba ---------------------------------------------------------------------------

Mamba2 granite_mamba(Fields& f, double hidden) {
  Mamba2 m;
  const double heads = f.size("state-space heads", {"mamba_n_heads"});
  m.inner = hidden * f.size("inner over hidden size", {"mamba_expand"}, 64);
  const Fields::Found head = f.find({"mamba_d_head"});
  m.head_dim = m.inner / heads;
  if (head.value != nullptr && head.value->string != "auto") {
    m.head_dim = f.size("state-space head size", {"mamba_d_head"});
  } else {
    f.derived("state-space head size", number_text(m.head_dim), "derived: inner size / heads");
  }
  if (!f.failed() && m.head_dim * heads != m.inner) {
    f.error(ErrorCode::invalid,
            number_text(heads) + " heads of " + number_text(m.head_dim) +
                " are not the inner size " + number_text(m.inner),
            "mamba_n_heads", "check mamba_expand, mamba_n_heads and mamba_d_head");
  }
  m.state = f.size("state size", {"mamba_d_state"});
  m.groups = f.size("groups of B and C", {"mamba_n_groups"});
  m.conv = f.size("convolution length", {"mamba_d_conv"}, 1024);
  return m;
}

std::vector<bool> attention_layers(Fields& f, std::size_t layers) {
  std::vector<bool> out(layers, false);
  std::string_view key = "layer_types";
  if (f.text_keys().get(key) == nullptr) key = "layers_block_type";
  if (const Json* list = f.list(key, static_cast<double>(layers))) {
    for (std::size_t l = 0; l < layers; ++l) {
      const std::string& name = list->items[l].string;
      if (name != "mamba" && name != "attention") {
        refuse_layer(f, key, l, brief(list->items[l]), "known: mamba, attention");
      }
      out[l] = name == "attention";
    }
    f.fact("layer kinds", key, *list, true);
  } else if (const Json* some = f.text_keys().get("attn_layer_indices")) {
    for (std::size_t l :
         f.layer_numbers("attn_layer_indices", 0, static_cast<double>(layers) - 1)) {
      out[l] = true;
    }
    f.fact("layers with attention", "attn_layer_indices", *some, true);
  } else if (!f.failed()) {
    f.derived("layer kinds", "all Mamba-2", "default for " + std::string(f.family().model_type));
  }
  return out;
}

LayerParts granite_layers(Fields& f, std::size_t layers, double hidden) {
  LayerParts parts{std::vector<Mixer>(layers), std::vector<FeedForward>(layers)};
  const std::vector<bool> with_attention = attention_layers(f, layers);
  const Mamba2 mamba = granite_mamba(f, hidden);
  const Attention attention = plain_attention(f, hidden);
  FeedForward block;
  const double shared = f.size("width of the shared feed-forward", {"shared_intermediate_size"});
  if (f.count("experts", {"num_local_experts"}, kMaxExperts) > 0) {
    MixtureOfExperts m = expert_block(f, {"intermediate_size"});
    m.shared_width = shared;
    block = m;
  } else {
    block = Dense{.width = shared};
  }
  for (std::size_t l = 0; l < layers; ++l) {
    parts.mixers[l] = with_attention[l] ? Mixer{attention} : Mixer{mamba};
    parts.blocks[l] = block;
  }
  return parts;
}

// ---- Falcon-H1 ----------------------------------------------------------------------------------

// Attention and Mamba-2 read the output of one norm, their outputs are added, a feed-forward
// follows. A layer is told as two: attention, then Mamba-2 (without a norm of its own) with the
// feed-forward.
LayerParts falcon_h1_layers(Fields& f, std::size_t layers, double hidden) {
  Mamba2 m;
  const double heads = f.size("state-space heads", {"mamba_n_heads"});
  const bool given =
      f.find({"mamba_d_head"}).value != nullptr && f.find({"mamba_d_head"}).value->string != "auto";
  m.head_dim = given ? f.size("state-space head size", {"mamba_d_head"}) : 0;
  m.inner = given ? f.size_or("inner size", {"mamba_d_ssm"}, heads * m.head_dim,
                              "derived: heads x head size")
                  : f.size("inner size", {"mamba_d_ssm"});
  if (!given) m.head_dim = m.inner / heads;
  if (!f.failed() && m.head_dim * heads != m.inner) {
    f.error(ErrorCode::invalid,
            number_text(heads) + " heads of " + number_text(m.head_dim) +
                " are not the inner size " + number_text(m.inner),
            "mamba_n_heads", "check mamba_d_ssm, mamba_n_heads and mamba_d_head");
  }
  m.state = f.size("state size", {"mamba_d_state"});
  m.groups = f.size("groups of B and C", {"mamba_n_groups"});
  m.conv = f.size("convolution length", {"mamba_d_conv"}, 1024);
  m.gate_norm = f.flag_told("norm behind the gate", {"mamba_rms_norm"}, false);
  const Attention attention = plain_attention(f, hidden);
  const Dense block = dense_block(f, hidden);
  LayerParts parts{std::vector<Mixer>(2 * layers, m), std::vector<FeedForward>(2 * layers)};
  for (std::size_t l = 0; l < layers; ++l) {
    parts.mixers[2 * l] = attention;
    parts.blocks[2 * l + 1] = block;
  }
  f.derived("layer kinds", "each layer told as two: attention | Mamba-2 and feed-forward",
            "derived: both mixers read one norm");
  return parts;
}

// ---- Nemotron-NAS -------------------------------------------------------------------------------

bool set(const Json& object, std::string_view key) {
  const Json* value = object.get(key);
  return value != nullptr && (!value->is(Json::Kind::boolean) || value->boolean);
}

double positive(Fields& f, const Json& object, std::string_view key, std::size_t layer) {
  const Json* value = object.get(key);
  if (value != nullptr && value->number > 0 && value->number <= kMaxDimension) return value->number;
  f.error(ErrorCode::invalid,
          "block_configs[" + std::to_string(layer) + "]: " + std::string(key) + " is " +
              (value != nullptr ? brief(*value) : "missing") + ", not a positive number",
          "block_configs", "give the model's own config.json");
  return 1;
}

LayerParts nas_layers(Fields& f, std::size_t layers, double hidden) {
  LayerParts parts{std::vector<Mixer>(layers), std::vector<FeedForward>(layers)};
  const Json* list = f.list("block_configs", static_cast<double>(layers));
  if (list == nullptr) {
    f.error(ErrorCode::invalid, "block_configs is missing", "block_configs",
            "give the model's own config.json");
    return parts;
  }
  f.fact("layers' own shapes", "block_configs", *list, true);
  const Attention attention = plain_attention(f, hidden);
  for (std::size_t l = 0; l < layers && !f.failed(); ++l) {
    const Json* mix = list->items[l].get("attention");
    const Json* ffn = list->items[l].get("ffn");
    if (mix == nullptr || ffn == nullptr) {
      refuse_layer(f, "block_configs", l, "an entry without attention and ffn", "");
      return parts;
    }
    for (std::string_view key : {"replace_with_linear", "sparsify", "window_length",
                                 "num_sink_tokens", "unshifted_sink"}) {
      if (set(*mix, key)) refuse_layer(f, "block_configs", l, "attention." + std::string(key), "");
      if (set(*ffn, key)) refuse_layer(f, "block_configs", l, "ffn." + std::string(key), "");
    }
    if (!set(*mix, "no_op")) {
      Attention a = attention;
      a.kv_heads = a.query_heads / positive(f, *mix, "n_heads_in_group", l);
      if (std::floor(a.kv_heads) != a.kv_heads || a.kv_heads < 1) {
        refuse_layer(f, "block_configs", l, "n_heads_in_group does not divide the heads: it", "");
      }
      parts.mixers[l] = a;
    }
    if (!set(*ffn, "no_op")) {
      const double width = std::floor(2 * positive(f, *ffn, "ffn_mult", l) * hidden / 3);
      parts.blocks[l] = Dense{.width = std::ceil(width / 256) * 256};
    }
  }
  return parts;
}

}  // namespace

bool has_own_layers(const Family& family) {
  switch (family.mixing) {
    case Mixing::nemotron_h:
    case Mixing::jamba:
    case Mixing::granite_hybrid:
    case Mixing::falcon_h1:
    case Mixing::nas:
      return true;
    default:
      return false;
  }
}

LayerParts read_own_layers(Fields& f, std::size_t layers, double hidden) {
  switch (f.family().mixing) {
    case Mixing::nemotron_h:
      return nemotron_h_layers(f, layers, hidden);
    case Mixing::jamba:
      return jamba_layers(f, layers, hidden);
    case Mixing::granite_hybrid:
      return granite_layers(f, layers, hidden);
    case Mixing::falcon_h1:
      return falcon_h1_layers(f, layers, hidden);
    default:
      return nas_layers(f, layers, hidden);
  }
}

}  // namespace rooflens
