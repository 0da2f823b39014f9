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

// Lightning layers have as many heads as the softmax layers, each with keys and values of its own.
LightningAttention lightning_mixer(Fields& f, double hidden) {
  LightningAttention m;
  m.heads = f.size("heads of lightning layers", {"num_attention_heads"});
  m.head_dim = f.size_or("head size of lightning layers", {"head_dim"},
                         std::floor(hidden / m.heads), "derived: hidden size / heads");
  return m;
}

// Mamba's older files keep their sizes in ssm_cfg, under the names of its class. A size that stands
// there and outside must be the same. Null when it is not in ssm_cfg.
const Json* ssm_member(Fields& f, const char* what, Fields::Keys keys, std::string_view inner) {
  const Json* config = f.text_keys().get("ssm_cfg");
  const Json* value = config != nullptr ? config->get(inner) : nullptr;
  const Fields::Found outside = f.find(keys);
  if (value == nullptr || !outside.from_file) return value;
  if (value->kind != outside.value->kind || value->number != outside.value->number) {
    f.error(ErrorCode::invalid,
            std::string(what) + ": " + std::string(outside.key) + " = " + brief(*outside.value) +
                ", but ssm_cfg." + std::string(inner) + " = " + brief(*value),
            "ssm_cfg." + std::string(inner), "both name the same thing: leave the right one");
  }
  return nullptr;
}

double ssm_size(Fields& f, const char* what, Fields::Keys keys, std::string_view inner,
                double most = kMaxDimension) {
  const Json* value = ssm_member(f, what, keys, inner);
  if (value == nullptr) return f.size(what, keys, most);
  if (!value->is(Json::Kind::number) || !(value->number >= 1 && value->number <= most) ||
      std::floor(value->number) != value->number) {
    f.error(ErrorCode::invalid,
            std::string(what) + ": ssm_cfg." + std::string(inner) + " = " + brief(*value) +
                " must be a whole number from 1 to " + number_text(most),
            "ssm_cfg." + std::string(inner), "give the model's own config.json");
    return 1;
  }
  f.fact(what, "ssm_cfg." + std::string(inner), *value, true);
  return value->number;
}

// What ssm_cfg may hold, and whose mixer it names.
void check_ssm_config(Fields& f) {
  const Json* config = f.text_keys().get("ssm_cfg");
  if (config == nullptr) return;
  if (!config->is(Json::Kind::object)) {
    f.error(ErrorCode::malformed, "ssm_cfg = " + brief(*config) + " is no object", "ssm_cfg",
            "give the model's own config.json");
    return;
  }
  const std::string_view mine = f.family().mixing == Mixing::mamba1 ? "Mamba1" : "Mamba2";
  for (std::size_t i = 0; i < config->keys.size(); ++i) {
    const std::string& key = config->keys[i];
    const Json& value = config->items[i];
    if (key == "layer" && !value.is(Json::Kind::null) && value.string != mine) {
      f.error(ErrorCode::unsupported,
              "ssm_cfg.layer = " + brief(value) + ", but model_type " +
                  std::string(f.family().model_type) + " has " + std::string(mine) + " layers",
              "ssm_cfg.layer", "set model_type to the one that is meant");
    }
    bool known = false;
    for (std::string_view name :
         {"layer", "expand", "d_state", "d_conv", "dt_rank", "headdim", "ngroups", "chunk_size",
          "dt_min", "dt_max", "dt_init", "dt_scale", "dt_init_floor", "A_init_range", "dt_limit"}) {
      known = known || key == name;
    }
    if (!known) f.warn("ssm_cfg." + key + " = " + brief(value) + " is not read");
  }
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
    case Mixing::lightning:
      recurrent = lightning_mixer(f, hidden);
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
  check_ssm_config(f);
  const double expand = ssm_size(f, "inner over hidden size", {"expand"}, "expand", 64);
  const double inner = f.size_or("inner size", {"intermediate_size", "d_inner"}, expand * hidden,
                                 "derived: expand x hidden size");
  const double state = ssm_size(f, "state size", {"state_size", "d_state"}, "d_state");
  const double conv = ssm_size(f, "convolution length", {"conv_kernel", "d_conv"}, "d_conv");
  if (f.family().mixing == Mixing::mamba1) {
    Mamba1 m{.inner = inner, .state = state, .conv = conv};
    const Fields::Keys keys{"time_step_rank", "dt_rank"};
    const Json* rank = ssm_member(f, "time step rank", keys, "dt_rank");
    if (rank == nullptr) rank = f.find(keys).value;
    if (rank == nullptr || rank->string == "auto") {
      m.dt_rank = std::ceil(hidden / 16);
      f.derived("time step rank", number_text(m.dt_rank), "derived: hidden size / 16");
    } else {
      m.dt_rank = ssm_size(f, "time step rank", keys, "dt_rank");
    }
    return m;
  }
  Mamba2 m{.inner = inner, .state = state, .conv = conv};
  m.head_dim = ssm_size(f, "head size", {"head_dim", "headdim"}, "headdim");
  m.groups = ssm_size(f, "groups of B and C", {"n_groups", "ngroups"}, "ngroups");
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
