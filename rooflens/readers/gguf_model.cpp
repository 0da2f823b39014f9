#include "rooflens/readers/gguf_model.h"

#include "rooflens/readers/gguf_config.h"
#include "rooflens/readers/layer_groups.h"
#include "rooflens/readers/weight_pieces.h"

namespace rooflens {
namespace {

constexpr std::size_t kMaxParts = 10000;

// Head counts and widths that differ from layer to layer.
void apply_layer_sizes(const LayerSizes& sizes, Model& model) {
  std::vector<Layer> layers = single_layers(model);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    if (auto* a = std::get_if<Attention>(&layers[l].mixer)) {
      if (!sizes.heads.empty() && sizes.heads[l] > 0) a->query_heads = sizes.heads[l];
      if (!sizes.kv_heads.empty() && sizes.kv_heads[l] > 0) a->kv_heads = sizes.kv_heads[l];
      const bool none = (!sizes.heads.empty() && sizes.heads[l] == 0) ||
                        (!sizes.kv_heads.empty() && sizes.kv_heads[l] == 0);
      if (none) layers[l].mixer = NoMixer{};
    }
    auto* dense = std::get_if<Dense>(&layers[l].ffn);
    if (dense != nullptr && !sizes.width.empty()) {
      dense->width = sizes.width[l];
      if (dense->width == 0) layers[l].ffn = NoFeedForward{};
    }
  }
  group_layers(layers, model);
}

// The keys stand in the first part; its tensors are those of all.
Result<GgufHeader> join(std::vector<GgufHeader> parts, std::string_view where) {
  const double told = parts.front().number("split.count", 0);
  if (told > 1 && told != static_cast<double>(parts.size())) {
    return fail(ErrorCode::not_found,
                "the model is split into " + std::to_string(static_cast<long long>(told)) +
                    " files, " + std::to_string(parts.size()) + " are given",
                std::string(where), "give the first file with all others beside it");
  }
  std::size_t first = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].find("general.architecture") != nullptr) {
      first = i;
      break;
    }
  }
  GgufHeader whole = std::move(parts[first]);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == first) continue;
    for (Tensor& t : parts[i].tensors) {
      t.file = static_cast<std::uint16_t>(i);
      whole.tensors.push_back(std::move(t));
    }
  }
  if (whole.tensors.size() > kMaxTensors) {
    return fail(ErrorCode::out_of_range, "more than " + std::to_string(kMaxTensors) + " tensors",
                std::string(where), "no model needs this; check where the files come from");
  }
  const double all = whole.number("split.tensors.count", 0);
  if (parts.size() > 1 && all > 0 && all != static_cast<double>(whole.tensors.size())) {
    return fail(ErrorCode::malformed,
                "the files hold " + std::to_string(whole.tensors.size()) +
                    " tensors together, the first says " +
                    std::to_string(static_cast<long long>(all)),
                std::string(where), "the parts are of different models; fetch them again");
  }
  return whole;
}

void rename_facts(const GgufConfig& config, Model& model) {
  for (Fact& fact : model.facts) {
    for (const auto& [key, gguf] : config.names) {
      if (fact.key != key) continue;
      fact.key = gguf;
      break;
    }
  }
}

}  // namespace

Result<Model> read_gguf_model(std::vector<GgufHeader> parts, std::string_view where,
                              const HfOptions& options) {
  auto joined = join(std::move(parts), where);
  if (!joined) return Failure(std::move(joined.error()));
  const GgufHeader& header = *joined;
  auto config = gguf_config(header, where);
  if (!config) return Failure(std::move(config.error()));
  const auto from_keys = [&](const std::vector<std::string>& set) {
    HfOptions reading = options;
    reading.set = set;
    auto model = read_config_tree(config->document, where, {}, reading);
    if (!model) return model;
    apply_layer_sizes(config->sizes, *model);
    model->extra_parameters += config->inner_norms;
    rename_facts(*config, *model);
    model->architecture = header.text("general.architecture");
    if (const auto name = header.text("general.name"); !name.empty()) model->name = name;
    return model;
  };
  auto model = from_keys({});
  if (!model) return model;
  if (!header.tensors.empty()) {
    if (auto bound = bind_weights(gguf_pieces(header.tensors, *model), where, *model); !bound) {
      return Failure(std::move(bound.error()));
    }
    model->read_from = "GGUF";
  }
  if (options.set.empty()) return model;
  auto changed = from_keys(options.set);
  if (changed) take_formats(*model, options.set, *changed);
  return changed;
}

std::vector<std::string> split_names(std::string_view name) {
  // "...-00001-of-00003.gguf"
  constexpr std::string_view kTail = "-00001-of-00003.gguf";
  if (name.size() < kTail.size()) return {};
  const std::string_view tail = name.substr(name.size() - kTail.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < kTail.size(); ++i) {
    const bool digit = kTail[i] >= '0' && kTail[i] <= '9';
    if (digit ? tail[i] < '0' || tail[i] > '9' : tail[i] != kTail[i]) return {};
  }
  for (char c : tail.substr(10, 5)) count = count * 10 + static_cast<std::size_t>(c - '0');
  if (count < 1 || count > kMaxParts) return {};
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= count; ++i) {
    std::string number = std::to_string(i);
    number.insert(0, 5 - number.size(), '0');
    names.push_back(std::string(name.substr(0, name.size() - kTail.size())) + "-" + number +
                    std::string(tail.substr(6)));
  }
  return names;
}

}  // namespace rooflens
