#include "rooflens/readers/hf_config.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "rooflens/core/parameters.h"
#include "rooflens/readers/hf_extras.h"
#include "rooflens/readers/hf_fields.h"
#include "rooflens/readers/hf_hazards.h"
#include "rooflens/readers/hf_layers.h"
#include "rooflens/readers/hf_native.h"
#include "rooflens/readers/hf_overrides.h"
#include "rooflens/readers/hf_quant.h"
#include "rooflens/readers/hf_storage.h"
#include "rooflens/readers/hf_text_model.h"
#include "rooflens/readers/json_text.h"
#include "rooflens/readers/layer_groups.h"

namespace rooflens {
namespace {

constexpr double kSizeTolerance = 0.01;  // buffers and fp32 routers are below it
constexpr double kExact = 1e-4;

// A side file's tree, null when there is none. It says how the weights are stored: one that is there
// and cannot be read is an error.
Result<Json> side_file(std::string_view text, const char* name) {
  if (text.empty()) return Json{};
  Result<JsonDocument> document = parse_json(text, name);
  if (!document) return Failure(document.error());
  return std::move(document->root);
}

bool present(const Json& file) { return !file.is(Json::Kind::null); }

void set_norms(Fields& f, std::vector<Layer>& layers) {
  double norms = f.size_or("norms of a layer", {"norms"}, 2, "derived: before each block", 4);
  if (f.flag_or("attention beside the feed-forward", {"parallel_attn"}, false) &&
      !f.flag_or("groups of queries", {"new_decoder_architecture"}, false)) {
    norms = 1;  // Falcon 7B
  }
  for (Layer& layer : layers) {
    layer.mixer_norms = norms == 4 ? 2 : 1;
    layer.ffn_norms = norms == 4 ? 2 : norms == 1 ? 0 : 1;
    if (std::holds_alternative<NoFeedForward>(layer.ffn)) layer.ffn_norms = 0;
    if (f.family().mixing == Mixing::falcon_h1 && std::holds_alternative<Mamba2>(layer.mixer)) {
      layer.mixer_norms = 0;  // the attention beside it has counted it
    }
    if (f.family().feeding == Feeding::gemma4 &&
        std::holds_alternative<MixtureOfExperts>(layer.ffn)) {
      layer.ffn_norms = 6;  // around both blocks, around their sum, and the router's own
    }
  }
}

// Drops the extras that the index plainly does not hold: its total fits without them and not with.
void drop_absent(double total, double text_bytes, Model& model) {
  const std::size_t n = model.extras.size();
  const auto fits = [&](std::size_t subset) {
    double bytes = text_bytes;
    for (std::size_t i = 0; i < n; ++i) {
      if ((subset >> i & 1) != 0) bytes += model.extras[i].bytes;
    }
    return std::fabs(total / bytes - 1) <= kExact;
  };
  const std::size_t all = (std::size_t{1} << n) - 1;
  for (std::size_t subset = all; subset + 1 > 0; --subset) {
    if (!fits(subset)) continue;
    for (std::size_t i = n; i-- > 0;) {
      if ((subset >> i & 1) != 0) continue;
      model.warnings.push_back(model.extras[i].what + ": the config has one, the index does not");
      model.extras.erase(model.extras.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return;
  }
}

void compare_index(const Json& index, Model& model) {
  const Json* metadata = index.get("metadata");
  const Json* total = metadata != nullptr ? metadata->get("total_size") : nullptr;
  if (total == nullptr || !total->is(Json::Kind::number) || total->number <= 0) return;
  double counted = weight_bytes(model, Deployment{});
  drop_absent(total->number, counted, model);
  for (const Extra& extra : model.extras) counted += extra.bytes;
  const double ratio = total->number / counted;
  if (std::fabs(ratio - 1) <= kSizeTolerance) return;
  const double table = model.vocabulary * model.hidden * model.embedding.storage.bits / 8.0;
  const bool again = std::fabs((total->number - counted) / table - 1) < kSizeTolerance;
  model.warnings.push_back(
      "the index says " + number_text(total->number) + " bytes of tensors, the config gives " +
      number_text(counted) +
      (std::fabs(ratio - 2) < 0.05
           ? ": the weights are stored twice as wide as the config's dtype says"
       : again && model.tied ? ": the tied head is stored once more"
                             : ""));
}

// Some files only list their layers (Nemotron 3 Ultra).
double layer_count(Fields& f) {
  const Fields::Keys keys{"num_hidden_layers", "n_layer", "n_layers", "num_layers"};
  const Json* list = f.text_keys().get("layers_block_type");
  if (f.find(keys).value == nullptr && list != nullptr && f.reads("layers_block_type") &&
      !list->items.empty() && static_cast<double>(list->items.size()) <= kMaxLayers) {
    f.derived("layers", std::to_string(list->items.size()),
              "derived: entries of layers_block_type");
    return static_cast<double>(list->items.size());
  }
  return f.size("layers", keys, kMaxLayers);
}

void read_sizes(Fields& f, Model& model) {
  model.hidden = f.size("hidden size", {"hidden_size", "n_embd", "n_embed", "d_model", "dim"});
  // The table has the padded rows, whatever the tokenizer's own number beside them.
  const bool padded = f.find({"padded_vocab_size"}).from_file;
  model.vocabulary = padded ? f.size("vocabulary", {"padded_vocab_size"})
                            : f.size("vocabulary", {"vocab_size", "padded_vocab_size"});
  const Json* tied = f.find_shared("tie_word_embeddings");
  if (tied != nullptr && tied->is(Json::Kind::boolean)) {
    model.tied = tied->boolean;
    f.fact("head tied to the embedding", "tie_word_embeddings", *tied, true);
  } else {
    model.tied =
        f.flag_or("head tied to the embedding",
                  {"tie_word_embeddings", "tie_embedding_weights", "tie_embedding"}, false);
  }
  model.norm_bias = f.flag_or("bias of the norms", {"norm_bias"}, false);
  model.head_bias = f.flag_or("bias of the head", {"lm_head_bias"}, false);
  const Fields::Keys context{"max_position_embeddings",
                             "max_seq_len",
                             "model_max_length",
                             "seq_length",
                             "n_positions",
                             "max_sequence_length",
                             "initial_context_length"};
  // The names of the longest context mean different things in some files: the first one counts.
  const Fields::Found longest = f.find(context);
  if (longest.value != nullptr) {
    model.max_context = f.size("longest context", {longest.key}, kMaxContext);
  }
  if (f.flag_or("learned positions", {"learned_positions"}, false) &&
      !f.flag_or("positions by bias (ALiBi)", {"alibi"}, false)) {
    model.position_rows = f.size("longest context", {longest.key}, kMaxDimension) +
                          f.count("positions kept free", {"position_offset"});
    f.derived("position rows", number_text(model.position_rows), "derived: longest context");
  }
  if (f.flag_or("norm of the embedding", {"embedding_norm"}, false)) {
    model.embedding_norm = model.hidden * (model.norm_bias ? 2 : 1);
  }
  if (f.find({"extra_embedding_rows"}).value != nullptr) {
    model.extra_rows = f.count("embedding rows beside the vocabulary", {"extra_embedding_rows"});
  }
}

// The recurrence is taken at the deployment's type (fp32 unless it says otherwise), whatever the
// file asks for.
void check_state_type(Fields& f) {
  for (std::string_view key : {"mamba_ssm_dtype", "mamba_ssm_cache_dtype"}) {
    const Json* type = f.text_keys().get(key);
    if (type == nullptr || type->string == "float32" || type->string == "auto") continue;
    f.warn(std::string(key) + " = " + brief(*type) +
           " is not applied: the recurrent state is taken as fp32 unless --state-bytes says so");
  }
}

}  // namespace

Result<Model> read_hf_config(std::string_view text, std::string_view where, const HfSideFiles& side,
                             const HfOptions& options) {
  Result<JsonDocument> document = parse_json(text, where);
  if (!document) return Failure(std::move(document.error()));
  adopt_native(document->root, document->notes);
  return read_config_tree(std::move(*document), where, side, options);
}

Result<Model> read_config_tree(JsonDocument document, std::string_view where,
                               const HfSideFiles& side, const HfOptions& options) {
  if (auto done = apply_overrides(document.root, options.set); !done) {
    return Failure(std::move(done.error()));
  }
  const Json& root = document.root;
  Result<TextModel> found = find_text_model(root, where, options.assume_llama_like);
  if (!found) return Failure(std::move(found.error()));

  Model model;
  model.warnings = document.notes;
  if (!found->warning.empty()) model.warnings.push_back(found->warning);
  model.architecture = found->architecture;
  Fields f(*found->text, root, *found->family, found->extra_defaults, where, model);
  f.prefer(override_keys(options.set));
  f.derived("family", std::string(found->family->model_type), "file: model_type");
  check_hazards(f, found->assumed);
  read_sizes(f, model);
  const double count = layer_count(f);
  if (f.failed()) return Failure(f.first_error());

  const auto n = static_cast<std::size_t>(count);
  LayerParts parts;
  if (has_own_layers(*found->family)) {
    parts = read_own_layers(f, n, model.hidden);
  } else {
    parts.mixers = read_mixers(f, n, model.hidden);
    if (f.failed()) return Failure(f.first_error());
    parts.blocks = read_feed_forwards(f, n, model.hidden);
  }
  if (f.failed()) return Failure(f.first_error());
  model.layers_per_block = static_cast<int>(parts.mixers.size() / n);
  std::vector<Layer> layers(parts.mixers.size());
  for (std::size_t l = 0; l < layers.size(); ++l) {
    layers[l].mixer = parts.mixers[l];
    layers[l].ffn = parts.blocks[l];
  }
  set_norms(f, layers);
  check_state_type(f);
  if (found->family->feeding == Feeding::gemma4) model.extra_parameters = count;  // layer scalars

  const Element dtype = read_dtype(f);
  const auto hf_quant = side_file(side.hf_quant_config, "hf_quant_config.json");
  if (!hf_quant) return Failure(hf_quant.error());
  const auto quantize = side_file(side.quantize_config, "quantize_config.json");
  if (!quantize) return Failure(quantize.error());
  const Quantisation quantisation = read_quantisation(
      f, {present(*hf_quant) ? &*hf_quant : nullptr, present(*quantize) ? &*quantize : nullptr});
  if (f.failed()) return Failure(f.first_error());
  set_storage(f, quantisation, dtype, layers, model);
  group_layers(layers, model);
  add_extras(f, quantisation, dtype, layers.back(), model);
  if (f.failed()) return Failure(f.first_error());
  if (const auto index = side_file(side.index, "the index of weights"); !index) {
    model.warnings.push_back("the index of weights is not read: " + index.error().message);
  } else if (present(*index)) {
    compare_index(*index, model);
  }
  if (const Json* name = root.get("_name_or_path")) {
    if (!name->string.empty() && name->string[0] != '/') model.name = name->string;
  }
  if (model.name.empty()) model.name = model.architecture;
  for (const std::string& key : override_keys(options.set)) {
    for (Fact& fact : model.facts) {
      if (fact.key == key && fact.origin == "file") fact.origin = "set";
    }
  }
  return model;
}

}  // namespace rooflens
