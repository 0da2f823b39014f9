#include <cmath>
#include <optional>
#include <string>

#include "rooflens/readers/hf_layers.h"

namespace rooflens {
namespace {

const Fields::Keys kWidth{"intermediate_size", "ffn_dim",      "ffn_hidden_size",
                          "n_inner",           "block_ff_dim", "inter_dim"};
const Fields::Keys kLlama4Dense{"intermediate_size_mlp"};
const Fields::Keys kExpertWidth{"moe_intermediate_size", "moe_inter_dim"};
const Fields::Keys kExperts{"num_local_experts", "num_experts", "n_routed_experts",
                            "moe_num_experts"};
const Fields::Keys kActive{"num_experts_per_tok",
                           "num_experts_per_token",
                           "experts_per_token",
                           "n_activated_experts",
                           "moe_topk",
                           "top_k_experts"};
const Fields::Keys kShared{"n_shared_experts", "num_shared_experts", "num_shared_expert"};

double matrices(Fields& f) {
  const double n =
      f.size_or("matrices of a feed-forward", {"mlp_matrices"}, 3, "derived: gate, up and down", 3);
  return n == 2 ? 2 : 3;
}

bool has_experts(const Fields& f) {
  const Fields::Found found = f.find(kExperts);
  return found.value != nullptr &&
         !(found.value->is(Json::Kind::number) && found.value->number == 0);
}

}  // namespace

Dense dense_block(Fields& f, double hidden) {
  Dense d;
  const double factor_of_hidden = f.real_or("width over hidden size", {"width_factor"}, 0);
  d.width = factor_of_hidden > 0 && factor_of_hidden <= 64
                ? f.size_or("feed-forward width", kWidth, std::floor(factor_of_hidden * hidden),
                            "derived: width factor x hidden size")
                : f.size("feed-forward width", kWidth);
  d.bias = f.flag_told("feed-forward bias", {"mlp_bias"}, false);
  d.matrices = matrices(f);
  const double factor = f.real_or("stored over real width", {"stored_width_factor"}, 1);
  if (factor != 1) {
    d.width /= factor;
    f.derived("feed-forward width", number_text(d.width),
              "derived: the file counts gate and up together");
  }
  if (f.family().mixing == Mixing::conv &&
      f.flag_or("width is adjusted", {"block_auto_adjust_ff_dim"}, false)) {
    const double multiple = f.size("width is a multiple of", {"block_multiple_of"});
    const double scale = f.real_or("width multiplier", {"block_ffn_dim_multiplier"}, 1);
    d.width = std::floor(scale * std::floor(2 * d.width / 3));
    d.width = std::ceil(d.width / multiple) * multiple;
    f.derived("feed-forward width", number_text(d.width),
              "derived: 2/3 of it, rounded up to a multiple");
    if (!(d.width >= 1 && d.width <= kMaxDimension)) {
      f.error(ErrorCode::invalid,
              "block_ffn_dim_multiplier gives a width of " + number_text(d.width),
              "block_ffn_dim_multiplier", "check the file against the model's own config.json");
    }
  }
  return d;
}

// Experts and how many of them a token uses.
MixtureOfExperts expert_block(Fields& f, Fields::Keys width) {
  MixtureOfExperts m;
  m.experts = f.size("experts", kExperts, kMaxExperts);
  m.active = f.size("experts of a token", kActive, kMaxExperts);
  m.width = f.size("expert width", width);
  m.matrices = matrices(f);
  m.bias = f.flag_or("bias of the experts", {"expert_bias"}, false);
  m.router_bias = f.flag_or("router bias or correction", {"router_bias"}, false);
  if (f.find({"topk_method"}).from_file) {
    m.router_bias = m.router_bias || f.text("routing", {"topk_method"}) == "noaux_tc";
  }
  if (!f.failed() && m.active > m.experts) {
    f.error(ErrorCode::invalid,
            number_text(m.active) + " experts of a token are more than the " +
                number_text(m.experts) + " there are",
            "num_experts_per_tok", "it must not exceed the number of experts");
  }
  return m;
}

namespace {

// qwen*_moe: which layers have experts.
std::vector<bool> qwen_sparse(Fields& f, std::size_t layers) {
  const double step =
      f.size_or("experts every", {"decoder_sparse_step"}, 1, "derived: every layer", kMaxLayers);
  std::vector<bool> sparse(layers);
  for (std::size_t l = 0; l < layers; ++l) {
    sparse[l] = std::fmod(static_cast<double>(l) + 1, step) == 0;
  }
  const Json* dense = f.text_keys().get("mlp_only_layers");
  if (dense == nullptr) f.derived("dense layers", "none", "default: no mlp_only_layers");
  for (std::size_t l : f.layer_numbers("mlp_only_layers", 0, static_cast<double>(layers) - 1)) {
    sparse[l] = false;
  }
  return sparse;
}

// deepseek, glm, kimi: dense layers first, then experts; or an explicit list.
std::vector<bool> deepseek_sparse(Fields& f, std::size_t layers) {
  std::vector<bool> sparse(layers, true);
  const auto count = static_cast<double>(layers);
  if (const Json* types = f.list("mlp_layer_types", count)) {
    for (std::size_t l = 0; l < layers; ++l) {
      const std::string& type = types->items[l].string;
      if (type != "dense" && type != "sparse") {
        f.error(ErrorCode::unsupported,
                "mlp_layer_types[" + std::to_string(l) + "] = " + brief(types->items[l]) +
                    " is neither dense nor sparse",
                "mlp_layer_types", "");
        return sparse;
      }
      sparse[l] = type == "sparse";
    }
    return sparse;
  }
  const double first =
      f.count("dense layers first", {"first_k_dense_replace", "n_dense_layers"}, kMaxLayers);
  const Json* frequency = f.text_keys().get("moe_layer_freq");
  if (frequency != nullptr && frequency->is(Json::Kind::array)) {
    if (f.list("moe_layer_freq", static_cast<double>(layers)) == nullptr) return sparse;
    const std::vector<bool> list = f.layer_flags("moe_layer_freq", layers);
    return list.empty() ? sparse : list;
  }
  const double every =
      f.size_or("experts every", {"moe_layer_freq"}, 1, "derived: every layer", kMaxLayers);
  for (std::size_t l = 0; l < layers; ++l) {
    const auto n = static_cast<double>(l);
    sparse[l] = n >= first && std::fmod(n, every) == 0;
  }
  return sparse;
}

std::vector<bool> llama4_sparse(Fields& f, std::size_t layers) {
  std::vector<bool> sparse(layers);
  const double step = f.size("experts every", {"interleave_moe_layer_step"}, kMaxLayers);
  for (std::size_t l = 0; l < layers; ++l) {
    sparse[l] = std::fmod(static_cast<double>(l) + 1, step) == 0;
  }
  return sparse;
}

}  // namespace

// A family of experts whose file has none: Qwen and DeepSeek name small dense models so. Keys of
// experts beside it say that the count itself is missing.
namespace {

std::vector<FeedForward> all_dense(Fields& f, std::size_t layers, double hidden) {
  for (const Fields::Keys& keys : {kActive, kExpertWidth}) {
    const Fields::Found found = f.find(keys);
    if (found.value == nullptr || !found.from_file) continue;
    // A list, one entry a layer, says as much as a number (Hunyuan).
    if (!found.value->is(Json::Kind::array) && found.value->number == 0) continue;
    f.error(ErrorCode::invalid,
            std::string(found.key) + " = " + brief(*found.value) +
                ", but the number of experts is missing",
            "num_experts",
            "add num_experts (n_routed_experts), or give the model's own config.json");
  }
  f.derived("experts", "none", "default: no number of experts");
  return std::vector<FeedForward>(layers, dense_block(f, hidden));
}

}  // namespace

std::vector<FeedForward> read_feed_forwards(Fields& f, std::size_t layers, double hidden) {
  std::vector<bool> sparse(layers, true);
  MixtureOfExperts experts;
  Fields::Keys dense_width = kWidth;
  switch (f.family().feeding) {
    case Feeding::none:
      return std::vector<FeedForward>(layers);
    case Feeding::dense:
      return std::vector<FeedForward>(layers, dense_block(f, hidden));
    case Feeding::mixtral:
      if (f.flag_or("experts may be missing", {"experts_optional"}, false) && !has_experts(f)) {
        return std::vector<FeedForward>(layers, dense_block(f, hidden));
      }
      return std::vector<FeedForward>(layers, expert_block(f, kWidth));
    case Feeding::qwen: {
      if (!has_experts(f)) return all_dense(f, layers, hidden);
      sparse = qwen_sparse(f, layers);
      experts = expert_block(f, kExpertWidth);
      experts.shared_width = f.count("shared expert width", {"shared_expert_intermediate_size"});
      experts.shared_gate = experts.shared_width > 0;
      break;
    }
    case Feeding::deepseek: {
      if (!has_experts(f)) return all_dense(f, layers, hidden);
      sparse = deepseek_sparse(f, layers);
      experts = expert_block(f, kExpertWidth);
      experts.shared_width = experts.width * f.count("shared experts", kShared, kMaxExperts);
      break;
    }
    case Feeding::llama4: {
      sparse = llama4_sparse(f, layers);
      experts = expert_block(f, kWidth);
      experts.shared_width = experts.width;
      dense_width = kLlama4Dense;
      break;
    }
    case Feeding::gemma4: {
      if (!f.flag_or("experts beside the dense block", {"enable_moe_block"}, false)) {
        return std::vector<FeedForward>(layers, dense_block(f, hidden));
      }
      // The dense block runs for every token: a shared expert. Each expert has an output scale.
      experts = expert_block(f, kExpertWidth);
      experts.shared_width = f.size("feed-forward width", kWidth);
      experts.router_bias = true;
      break;
    }
  }
  std::vector<FeedForward> blocks(layers, experts);
  std::optional<Dense> dense;
  for (std::size_t l = 0; l < layers && !f.failed(); ++l) {
    if (sparse[l]) continue;
    if (!dense) dense = Dense{.width = f.size("width of dense layers", dense_width)};
    dense->bias = f.flag_or("feed-forward bias", {"mlp_bias"}, false);
    blocks[l] = *dense;
  }
  return blocks;
}

}  // namespace rooflens
