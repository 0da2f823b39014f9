#include <cmath>
#include <string>

#include "rooflens/readers/hf_layers.h"

namespace rooflens {
namespace {

GatedDeltaNet delta_net(Fields& f) {
  GatedDeltaNet m;
  m.key_heads = f.size("key heads of linear layers", {"linear_num_key_heads"});
  m.value_heads = f.size("value heads of linear layers", {"linear_num_value_heads"});
  m.key_dim = f.size("key head size of linear layers", {"linear_key_head_dim"});
  m.value_dim = f.size("value head size of linear layers", {"linear_value_head_dim"});
  m.conv = f.size("convolution length", {"linear_conv_kernel_dim"}, 1024);
  if (!f.failed() && std::fmod(m.value_heads, m.key_heads) != 0) {
    f.error(ErrorCode::invalid,
            number_text(m.value_heads) + " value heads cannot share " + number_text(m.key_heads) +
                " key heads evenly",
            "linear_num_value_heads", "it must be a multiple of linear_num_key_heads");
  }
  return m;
}

// The keys of Kimi's linear layers stand in an object of their own.
double kimi_size(Fields& f, const Json& config, const char* what, std::string_view key,
                 double most) {
  const Json* value = config.get(key);
  if (value == nullptr || !value->is(Json::Kind::number) || value->number < 1 ||
      value->number > most || std::floor(value->number) != value->number) {
    f.error(ErrorCode::invalid,
            std::string(what) + ": " + std::string(key) + " = " +
                (value != nullptr ? brief(*value) : "(missing)") +
                "; it must be a whole number from 1 to " + number_text(most),
            "linear_attn_config." + std::string(key), "give the model's own config.json");
    return 1;
  }
  f.fact(what, "linear_attn_config." + std::string(key), *value, true);
  return value->number;
}

KimiDelta kimi_delta(Fields& f) {
  KimiDelta m;
  const Json* config = f.text_keys().get("linear_attn_config");
  if (config == nullptr) {
    f.error(ErrorCode::invalid, "linear_attn_config is missing", "linear_attn_config",
            "give the model's own config.json");
    return m;
  }
  m.heads = kimi_size(f, *config, "heads of linear layers", "num_heads", kMaxDimension);
  m.key_dim = m.value_dim =
      kimi_size(f, *config, "head size of linear layers", "head_dim", kMaxDimension);
  m.conv = kimi_size(f, *config, "convolution length", "short_conv_kernel_size", 1024);
  return m;
}

// Mamba's older files keep their sizes in ssm_cfg.
double ssm_size(Fields& f, const char* what, Fields::Keys keys, std::string_view inner) {
  const Json* config = f.text_keys().get("ssm_cfg");
  const Json* value = config != nullptr ? config->get(inner) : nullptr;
  if (value == nullptr || f.find(keys).from_file) return f.size(what, keys);
  if (!value->is(Json::Kind::number) || value->number < 1 || value->number > kMaxDimension) {
    f.error(ErrorCode::invalid,
            std::string(what) + " = " + brief(*value) + " must be a whole number from 1",
            "ssm_cfg." + std::string(inner), "give the model's own config.json");
    return 1;
  }
  f.fact(what, "ssm_cfg." + std::string(inner), *value, true);
  return value->number;
}

}  // namespace

void fill_recurrent(Fields& f, const std::vector<LayerKind>& kinds, double hidden,
                    std::vector<Mixer>& mixers) {
  Mixer recurrent;
  switch (f.family().mixing) {
    case Mixing::delta:
      recurrent = delta_net(f);
      break;
    case Mixing::kimi:
      recurrent = kimi_delta(f);
      break;
    case Mixing::conv: {
      ShortConv m;
      m.conv = f.size("convolution length", {"conv_L_cache"}, 1024);
      m.bias = f.flag_or("convolution bias", {"conv_bias"}, false);
      for (std::string_view key : {"conv_dim", "conv_dim_out", "block_dim"}) {
        const Json* width = f.text_keys().get(key);
        if (width != nullptr && width->number != hidden) {
          f.error(ErrorCode::unsupported,
                  std::string(key) + " = " + brief(*width) + " differs from the hidden size " +
                      number_text(hidden) + ": not modelled",
                  key, "");
        }
      }
      recurrent = m;
      break;
    }
    default:
      return;
  }
  for (std::size_t l = 0; l < kinds.size(); ++l) {
    if (kinds[l] == LayerKind::linear || kinds[l] == LayerKind::conv) mixers[l] = recurrent;
  }
}

Mixer state_space_mixer(Fields& f, double hidden) {
  const double expand = f.size("inner over hidden size", {"expand"}, 64);
  const double inner = f.size_or("inner size", {"intermediate_size", "d_inner"}, expand * hidden,
                                 "derived: expand x hidden size");
  const double state = ssm_size(f, "state size", {"state_size", "d_state"}, "d_state");
  const double conv = ssm_size(f, "convolution length", {"conv_kernel", "d_conv"}, "d_conv");
  if (f.family().mixing == Mixing::mamba1) {
    Mamba1 m{.inner = inner, .state = state, .conv = conv};
    const Fields::Found rank = f.find({"time_step_rank", "dt_rank"});
    const bool automatic = rank.value == nullptr || rank.value->is(Json::Kind::string);
    if (automatic) {
      m.dt_rank = std::ceil(hidden / 16);
      f.derived("time step rank", number_text(m.dt_rank), "derived: hidden size / 16");
    } else {
      m.dt_rank = f.size("time step rank", {"time_step_rank", "dt_rank"});
    }
    return m;
  }
  Mamba2 m{.inner = inner, .state = state, .conv = conv};
  m.head_dim = f.size("head size", {"head_dim", "headdim"});
  m.groups = f.size("groups of B and C", {"n_groups", "ngroups"});
  if (!f.failed() && std::fmod(inner, m.head_dim) != 0) {
    f.error(ErrorCode::invalid,
            "inner size " + number_text(inner) + " is not a multiple of head_dim " +
                number_text(m.head_dim),
            "head_dim", "check expand, hidden_size and head_dim");
  }
  const double heads = f.count("heads", {"num_heads"});
  if (!f.failed() && heads > 0 && heads * m.head_dim != inner) {
    f.error(ErrorCode::invalid,
            number_text(heads) + " heads of " + number_text(m.head_dim) +
                " are not the inner size " + number_text(inner),
            "num_heads", "check expand, hidden_size, num_heads and head_dim");
  }
  return m;
}

namespace {

// Layers that use the token choice of an earlier layer own no index (GLM-5.2).
void share_index(Fields& f, std::vector<Mixer>& mixers) {
  const Json* types = f.list("indexer_types", static_cast<double>(mixers.size()));
  if (types == nullptr) {
    f.derived("layers with an index of their own", "all that have one",
              "default: no indexer_types");
    return;
  }
  for (std::size_t l = 0; l < mixers.size(); ++l) {
    const std::string& type = types->items[l].string;
    auto* a = std::get_if<LatentAttention>(&mixers[l]);
    if (type == "full" && a != nullptr) continue;
    if (type != "shared" || a == nullptr || l == 0) {
      f.error(ErrorCode::unsupported,
              "indexer_types[" + std::to_string(l) + "] = " + brief(types->items[l]) +
                  " is not a layer that is known here",
              "indexer_types", "known: full, shared (after a full one)");
      return;
    }
    a->index.heads = a->index.dim = 0;
  }
  f.fact("layers with an index of their own", "indexer_types", *types, true);
}

}  // namespace

std::vector<Mixer> read_mixers(Fields& f, std::size_t layers, double hidden) {
  const Mixing mixing = f.family().mixing;
  if (mixing == Mixing::mamba1 || mixing == Mixing::mamba2) {
    return std::vector<Mixer>(layers, state_space_mixer(f, hidden));
  }
  const std::vector<LayerKind> kinds = layer_kinds(f, layers);
  if (f.failed()) return std::vector<Mixer>(layers);
  const bool plain_heads = f.find({"kv_lora_rank"}).value == nullptr ||
                           !f.flag_or("latent attention", {"use_mla"}, true);
  if (mixing == Mixing::kimi || (mixing == Mixing::latent && !plain_heads)) {
    std::vector<Mixer> mixers(layers, latent_mixer(f, hidden));
    share_index(f, mixers);
    fill_recurrent(f, kinds, hidden, mixers);
    return mixers;
  }
  if (mixing == Mixing::latent) {
    f.derived("attention", "plain heads", "derived: kv_lora_rank is null");
  }
  std::vector<Mixer> mixers = attention_mixers(f, kinds, hidden);
  fill_recurrent(f, kinds, hidden, mixers);
  return mixers;
}

}  // namespace rooflens
