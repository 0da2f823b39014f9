#include "rooflens/readers/gguf_model.h"

#include <algorithm>

#include "rooflens/readers/gguf_architectures.h"
#include "rooflens/readers/gguf_config.h"
#include "rooflens/readers/layer_groups.h"
#include "rooflens/readers/weight_pieces.h"

namespace rooflens {
namespace {

constexpr std::size_t kMaxParts = 10000;

// Head counts and widths that differ from layer to layer; a layer that a what-if adds is like the
// last.
void apply_layer_sizes(const LayerSizes& sizes, Model& model) {
  constexpr double kNotGiven = -1;
  const auto at = [](const std::vector<double>& each, std::size_t l) {
    return each.empty() ? kNotGiven : each[std::min(l, each.size() - 1)];
  };
  std::vector<Layer> layers = single_layers(model);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    if (auto* a = std::get_if<Attention>(&layers[l].mixer)) {
      const double heads = at(sizes.heads, l), kv_heads = at(sizes.kv_heads, l);
      if (heads > 0) a->query_heads = heads;
      if (kv_heads > 0) a->kv_heads = kv_heads;
      if (heads == 0 || kv_heads == 0) layers[l].mixer = NoMixer{};
    }
    auto* dense = std::get_if<Dense>(&layers[l].ffn);
    if (dense != nullptr && !sizes.width.empty()) {
      dense->width = at(sizes.width, l);
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

// An error about a key of a config.json told as one about the file's own key.
Error in_gguf_words(Error e, const GgufHeader& header) {
  const std::size_t colon = e.where.rfind(": ");
  if (colon == std::string::npos) return e;
  const std::string own = gguf_key(e.where.substr(colon + 2));
  if (own.empty()) return e;
  e.where.resize(colon + 2);
  e.where.append(header.text("general.architecture")).append(".").append(own);
  e.hint = "the file lacks this key, or it is damaged; fetch it again";
  return e;
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
    if (!model) return Result<Model>(Failure(in_gguf_words(model.error(), header)));
    apply_layer_sizes(config->sizes, *model);
    model->extra_parameters += config->inner_norms;
    rename_facts(*config, *model);
    model->architecture = header.text("general.architecture");
    if (const auto name = header.text("general.name"); !name.empty()) model->name = name;
    return model;
  };
  auto model = from_keys({});
  if (!model) return model;
  const Model keys = options.set.empty() ? Model{} : *model;
  if (!header.tensors.empty()) {
    if (auto bound =
            bind_weights(gguf_pieces(header.tensors, *model, config->draft_blocks), where, *model);
        !bound) {
      return Failure(std::move(bound.error()));
    }
    model->read_from = "GGUF";
  }
  if (options.set.empty()) return model;
  auto changed = from_keys(options.set);
  if (changed) take_formats(keys, *model, options.set, *changed);
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
