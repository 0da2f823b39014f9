#include <array>
#include <cmath>

#include "rooflens/readers/hf_layers.h"

namespace rooflens {
namespace {

struct KindName {
  std::string_view name;
  LayerKind kind;
};

constexpr std::array kKindNames{
    KindName{"full_attention", LayerKind::full},
    KindName{"attention", LayerKind::full},
    KindName{"deepseek_sparse_attention", LayerKind::full},
    KindName{"sliding_attention", LayerKind::sliding},
    KindName{"chunked_attention", LayerKind::chunked},
    KindName{"linear_attention", LayerKind::linear},
    KindName{"conv", LayerKind::conv},
};

bool allowed(LayerKind kind, Mixing mixing) {
  switch (kind) {
    case LayerKind::full:
      return true;
    case LayerKind::sliding:
    case LayerKind::chunked:
      return mixing == Mixing::attention;
    case LayerKind::linear:
      return mixing == Mixing::delta || mixing == Mixing::kimi || mixing == Mixing::lightning;
    case LayerKind::cross:
      return false;  // named by a list of its own
    case LayerKind::conv:
      return mixing == Mixing::conv;
  }
  return false;
}

std::vector<LayerKind> listed(Fields& f, const Json& list) {
  std::vector<LayerKind> kinds;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const Json& entry = list.items[i];
    const KindName* known = nullptr;
    for (const KindName& k : kKindNames) {
      if (entry.is(Json::Kind::string) && entry.string == k.name) known = &k;
    }
    const bool sparse = known != nullptr && known->name == "deepseek_sparse_attention";
    if (known == nullptr || !allowed(known->kind, f.family().mixing) ||
        (sparse && f.family().mixing != Mixing::latent)) {
      f.error(
          ErrorCode::unsupported,
          "layer_types[" + std::to_string(i) + "] = " + brief(entry) + " is not a layer that " +
              std::string(f.family().model_type) + " can have here",
          "layer_types",
          "known: full_attention, sliding_attention, chunked_attention, linear_attention, conv");
      return kinds;
    }
    kinds.push_back(known->kind);
  }
  f.fact("layer kinds", "layer_types", list, true);
  return kinds;
}

std::vector<LayerKind> kimi_kinds(Fields& f, std::size_t layers) {
  std::vector<LayerKind> kinds(layers, LayerKind::linear);
  const Json* config = f.text_keys().get("linear_attn_config");
  const Json* full = config != nullptr ? config->get("full_attn_layers") : nullptr;
  const Json* linear = config != nullptr ? config->get("kda_layers") : nullptr;
  if (full == nullptr || linear == nullptr) {
    f.error(ErrorCode::invalid, "full_attn_layers and kda_layers are missing", "linear_attn_config",
            "give the model's own config.json");
    return kinds;
  }
  const auto most = static_cast<double>(layers);
  std::vector<int> seen(layers, 0);
  constexpr std::string_view kInside = "linear_attn_config.";
  for (std::size_t l : f.layer_numbers("kda_layers", 1, most, config, kInside)) ++seen[l - 1];
  for (std::size_t l : f.layer_numbers("full_attn_layers", 1, most, config, kInside)) {
    ++seen[l - 1];
    kinds[l - 1] = LayerKind::full;
  }
  for (std::size_t l = 0; l < layers && !f.failed(); ++l) {
    if (seen[l] != 1) {
      f.error(ErrorCode::invalid,
              "layer " + std::to_string(l + 1) + " stands " + std::to_string(seen[l]) +
                  " times in full_attn_layers and kda_layers together",
              "linear_attn_config", "every layer (counted from 1) must be in one of the lists");
    }
  }
  return kinds;
}

// attn_type_list: 0 lightning attention, 1 softmax attention (MiniMax).
std::vector<LayerKind> numbered_kinds(Fields& f, std::size_t layers) {
  std::vector<LayerKind> kinds(layers, LayerKind::full);
  const std::vector<bool> softmax = f.layer_flags("attn_type_list", layers);
  const bool lightning = f.family().mixing == Mixing::lightning;
  if (softmax.empty()) {
    if (lightning) {
      f.error(ErrorCode::invalid, "neither attn_type_list nor layer_types is there",
              "attn_type_list", "one entry a layer: 0 lightning attention, 1 softmax attention");
    }
    return kinds;
  }
  for (std::size_t l = 0; l < layers; ++l) {
    if (softmax[l]) continue;
    kinds[l] = LayerKind::linear;
    if (!lightning) {
      f.error(ErrorCode::unsupported,
              "attn_type_list[" + std::to_string(l) + "] = 0: this family has no linear layers",
              "attn_type_list", "1 = softmax attention");
    }
  }
  f.fact("layer kinds", "attn_type_list", *f.text_keys().get("attn_type_list"), true);
  return kinds;
}

// Layers that attend to an image instead of the text (Llama 3.2 Vision).
void set_cross(Fields& f, std::vector<LayerKind>& kinds) {
  constexpr std::string_view kKey = "cross_attention_layers";
  const Json* list = f.text_keys().get(kKey);
  if (list == nullptr || !f.reads(kKey)) return;
  for (std::size_t l : f.layer_numbers(kKey, 0, static_cast<double>(kinds.size()) - 1)) {
    kinds[l] = LayerKind::cross;
  }
  f.fact("layers that attend to an image", kKey, *list, true);
  f.warn(
      "no image is taken to be there: the layers of cross_attention_layers read their query, "
      "output and feed-forward matrices in every step, their key and value matrices and an "
      "image's cache in none; engines may skip these layers");
}

std::vector<LayerKind> hybrid_kinds(Fields& f, std::size_t layers) {
  if (f.family().mixing == Mixing::lightning) return numbered_kinds(f, layers);
  if (f.family().mixing == Mixing::kimi) return kimi_kinds(f, layers);
  if (f.family().mixing == Mixing::conv) {
    std::vector<LayerKind> kinds(layers, LayerKind::conv);
    const Json* full = f.text_keys().get("full_attn_idxs");
    if (full == nullptr) {
      f.error(ErrorCode::invalid, "neither layer_types nor full_attn_idxs is there",
              "full_attn_idxs", "give the model's own config.json");
      return kinds;
    }
    for (std::size_t l : f.layer_numbers("full_attn_idxs", 0, static_cast<double>(layers) - 1)) {
      kinds[l] = LayerKind::full;
    }
    f.fact("layer kinds", "full_attn_idxs", *full, true);
    return kinds;
  }
  std::vector<LayerKind> kinds(layers, LayerKind::linear);
  const double every = f.size("full attention every", {"full_attention_interval"}, kMaxLayers);
  for (std::size_t l = 0; l < layers; ++l) {
    if (std::fmod(static_cast<double>(l) + 1, every) == 0) kinds[l] = LayerKind::full;
  }
  return kinds;
}

// "LLLG", repeated: L local, G global (EXAONE 4).
std::vector<LayerKind> lettered(Fields& f, std::size_t layers) {
  std::vector<LayerKind> kinds(layers, LayerKind::full);
  const std::string letters = f.text("layer kinds", {"sliding_window_pattern"});
  if (letters.empty() || letters.find_first_not_of("LG") != std::string::npos) {
    f.error(ErrorCode::unsupported, "sliding_window_pattern holds other letters than L and G",
            "sliding_window_pattern", "L = windowed, G = full");
    return kinds;
  }
  for (std::size_t l = 0; l < layers; ++l) {
    if (letters[l % letters.size()] == 'L') kinds[l] = LayerKind::sliding;
  }
  return kinds;
}

}  // namespace

std::vector<LayerKind> layer_kinds(Fields& f, std::size_t layers) {
  const Mixing mixing = f.family().mixing;
  if (const Json* list = f.list("layer_types", static_cast<double>(layers))) {
    std::vector<LayerKind> kinds = listed(f, *list);
    kinds.resize(layers, LayerKind::full);
    if (f.failed() || f.text_keys().get("attn_type_list") == nullptr ||
        !f.reads("attn_type_list")) {
      return kinds;
    }
    if (numbered_kinds(f, layers) != kinds) {
      f.error(ErrorCode::invalid, "layer_types and attn_type_list tell different layers",
              "layer_types", "both name the same thing: leave the right one");
    }
    return kinds;
  }
  std::vector<LayerKind> kinds(layers, LayerKind::full);
  if (f.failed() || mixing == Mixing::latent || has_own_layers(f.family())) return kinds;
  if (mixing != Mixing::attention) return hybrid_kinds(f, layers);
  if (f.reads("attn_type_list")) kinds = numbered_kinds(f, layers);
  set_cross(f, kinds);

  switch (f.family().windows) {
    case Windows::none:
      break;
    case Windows::all:
      if (f.find({"sliding_window"}).value != nullptr) kinds.assign(layers, LayerKind::sliding);
      break;
    case Windows::enabled: {
      if (!f.flag_or("windowed layers", {"use_sliding_window"}, false)) break;
      const double first = f.count("first windowed layer", {"max_window_layers"}, kMaxLayers);
      for (std::size_t l = 0; l < layers; ++l) {
        if (static_cast<double>(l) >= first) kinds[l] = LayerKind::sliding;
      }
      break;
    }
    case Windows::even:
      for (std::size_t l = 0; l < layers; l += 2) kinds[l] = LayerKind::sliding;
      f.derived("layer kinds", "even layers windowed",
                "default for " + std::string(f.family().model_type));
      break;
    case Windows::pattern: {
      const bool optional = f.flag_or("window may be missing", {"window_optional"}, false);
      if (optional && f.find({"sliding_window"}).value == nullptr) break;
      if (f.find({"sliding_window_pattern"}).value->is(Json::Kind::string)) {
        return lettered(f, layers);
      }
      const double every =
          f.size("full attention every", {"sliding_window_pattern", "_sliding_window_pattern"},
                 kMaxLayers);
      for (std::size_t l = 0; l < layers; ++l) {
        if (std::fmod(static_cast<double>(l) + 1, every) != 0) kinds[l] = LayerKind::sliding;
      }
      break;
    }
    case Windows::list: {
      const std::vector<bool> windowed = f.layer_flags("hybrid_layer_pattern", layers);
      if (windowed.empty()) {
        f.error(ErrorCode::invalid, "hybrid_layer_pattern is missing", "hybrid_layer_pattern",
                "one entry a layer: 0 full, 1 windowed");
        return kinds;
      }
      for (std::size_t l = 0; l < layers; ++l) {
        if (windowed[l]) kinds[l] = LayerKind::sliding;
      }
      f.fact("layer kinds", "hybrid_layer_pattern", *f.text_keys().get("hybrid_layer_pattern"),
             true);
      break;
    }
    case Windows::chunked: {
      // The layers without rotary embedding see everything, the others their chunk.
      const double every = f.size("full attention every", {"no_rope_layer_interval"}, kMaxLayers);
      const std::vector<bool> rope = f.layer_flags("no_rope_layers", layers);
      for (std::size_t l = 0; l < layers && !f.failed(); ++l) {
        const bool rotary =
            !rope.empty() ? rope[l] : std::fmod(static_cast<double>(l) + 1, every) != 0;
        if (rotary) kinds[l] = LayerKind::chunked;
      }
      break;
    }
  }
  return kinds;
}

}  // namespace rooflens
