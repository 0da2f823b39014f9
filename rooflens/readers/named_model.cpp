#include "rooflens/readers/named_model.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "rooflens/core/parameters.h"
#include "rooflens/core/quantity.h"
#include "rooflens/core/requantise.h"
#include "rooflens/core/serving.h"
#include "rooflens/core/traits.h"
#include "rooflens/readers/builtin_models.h"
#include "rooflens/readers/coarse_model.h"
#include "rooflens/readers/model_name.h"

namespace rooflens {
namespace {

// Rounded to three digits ("8.03 B"), or counted with a few tensors more.
constexpr double kSameParameters = 0.0015;
// A name is taken against a count that differs by a prediction block or a tower, no more.
constexpr double kNearParameters = 0.08;
// Bytes or parameters past which a name or a row is no model's.
constexpr double kMostOfModel = 1e15;
// What a mixture of formats, or a head in another one, makes of the bytes.
constexpr double kLeastFactor = 0.7, kMostFactor = 1.45;

struct Known {
  ModelName name;
  Model model;
  double parameters = 0;
  bool quantised = false;  // its published form is
};

// Every built-in model, read once.
const std::vector<Known>& known_models() {
  static const std::vector<Known> all = [] {
    std::vector<Known> list;
    for (const BuiltinModel& row : builtin_models()) {
      auto model = builtin_model(row.name);
      if (!model) continue;  // a test reads every row
      const double parameters = count_parameters(*model).total;
      list.push_back(
          {read_model_name(row.name), std::move(*model), parameters, !row.quantisation.empty()});
    }
    return list;
  }();
  return all;
}

bool holds(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// A word that some known model has tells models apart; others are of whoever made the file.
bool tells_apart(const std::string& word) {
  return std::any_of(known_models().begin(), known_models().end(),
                     [&](const Known& k) { return holds(k.name.words, word); });
}

bool same_name(const ModelName& asked, const ModelName& known) {
  const auto in_known = [&](const std::string& w) {
    return holds(known.words, w) || !tells_apart(w);
  };
  const auto in_asked = [&](const std::string& w) { return holds(asked.words, w); };
  const auto size_known = [&](const std::string& w) { return holds(known.sizes, w); };
  return !known.words.empty() && std::all_of(asked.words.begin(), asked.words.end(), in_known) &&
         std::all_of(known.words.begin(), known.words.end(), in_asked) &&
         std::all_of(asked.sizes.begin(), asked.sizes.end(), size_known) &&
         asked.sizes.empty() == known.sizes.empty();
}

// Without what changes no weight.
Mixer unwindowed(Mixer mixer) {
  if (auto* attention = std::get_if<Attention>(&mixer)) attention->window = attention->chunk = 0;
  return mixer;
}

bool same_weights(const Model& a, const Model& b) {
  if (a.hidden != b.hidden || a.vocabulary != b.vocabulary || a.tied != b.tied ||
      a.layers.size() != b.layers.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.layers.size(); ++i) {
    const Layer& x = a.layers[i];
    const Layer& y = b.layers[i];
    if (x.count != y.count || !(unwindowed(x.mixer) == unwindowed(y.mixer)) || !(x.ffn == y.ffn))
      return false;
  }
  return true;
}

// One of the candidates: of those with the same weights the one published in this format (or the
// one that is not quantised), rather one without windows: an engine that calls a family by its
// kin's name runs it without. Null when there is none, or their weights differ.
const Known* choose(const std::vector<const Known*>& all, const NamedStorage* format) {
  const Known* best = nullptr;
  for (const Known* k : all) {
    if (!same_weights(all.front()->model, k->model)) return nullptr;
    const auto score = [&](const Known& x) {
      const bool same =
          format != nullptr && quantised_storage(x.model).element == format->storage.element;
      return 2 * (!x.quantised ? 1 : same ? 2 : 0) + static_cast<int>(!has_windows(x.model));
    };
    if (best == nullptr || score(*k) > score(*best)) best = k;
  }
  return best;
}

std::string whole(double n) { return std::to_string(static_cast<long long>(n)); }

double apart(double a, double b) { return std::abs(a / b - 1); }

void store_as(Model& m, const Storage& s) {
  for (const Role role : {Role::linear, Role::experts, Role::head, Role::embedding}) {
    requantise(m, role, s);
  }
}

// The ways in which files of this format store the whole of a model: everything in it, the layers
// alone, or the experts alone with the rest in 8 or 16 bits; and as it is published.
std::vector<Model> stored_ways(const Model& published, const Storage& format) {
  std::vector<Model> ways{published, published, published};
  store_as(ways[1], format);
  requantise(ways[2], Role::linear, format);
  requantise(ways[2], Role::experts, format);
  if (!has_experts(published)) return ways;
  // 16 bits beside the experts is how models are published, not how mixtures of K-quants are made.
  std::vector<const char*> rests{"Q8_0"};
  if (storage_of(published, Role::experts).element == format.element) rests.push_back("bf16");
  for (const char* rest : rests) {
    Model& m = ways.emplace_back(published);
    store_as(m, find_storage(rest)->storage);
    requantise(m, Role::experts, format);
  }
  return ways;
}

// The way that comes nearest to the bytes, in exactly so many; empty when none is near.
std::optional<Model> in_bytes(std::vector<Model> ways, double bytes) {
  const Model* best = nullptr;
  double best_off = 0;
  for (Model& m : ways) {
    const double factor = fit_to_bytes(m, bytes);
    if (factor < kLeastFactor || factor > kMostFactor) continue;
    const double off = std::abs(std::log(factor));
    if (best != nullptr && off >= best_off) continue;
    best = &m;
    best_off = off;
  }
  return best == nullptr ? std::nullopt : std::optional<Model>(*best);
}

// The format whose bits per weight come nearest: what a mixture is called then does not matter.
const NamedStorage* nearest_format(double bits) {
  std::size_t count = 0;
  const NamedStorage* table = storage_table(&count);
  const NamedStorage* best = nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    if (table[i].storage.packing != Packing::rows) continue;
    const double d = std::abs(bits_per_weight(table[i].storage) - bits);
    if (best == nullptr || d < std::abs(bits_per_weight(best->storage) - bits)) best = &table[i];
  }
  return best;
}

// Without a size: experts that are published in this format already stay as they are, GGUF stores
// the tables as the layers, servers keep them in 16 bits.
Model by_words(const Model& published, const Storage& format) {
  const bool own = has_experts(published) && !is_plain(format) &&
                   storage_of(published, Role::experts).element == format.element;
  if (own || format == storage_of(published, Role::linear)) return published;
  return stored_ways(published, format)[format.packing == Packing::rows ? 1 : 2];
}

// Average bits, where neither the words nor the published form explain the size.
Model by_size(const Model& published, double bytes) {
  const double bits = bytes * 8 / count_parameters(published).total;
  const NamedStorage* near = nearest_format(bits);
  Model m = published;
  store_as(m, near->storage);
  m.quantisation = near->name;
  (void)fit_to_bytes(m, bytes);
  m.warnings.push_back("the size, " + whole(bytes) + " bytes, is " +
                       std::to_string(bits).substr(0, 4) +
                       " bits a weight: taken so, whatever the format is called");
  return m;
}

void set_formats(Model& m, const NamedStorage* format, double bytes) {
  const Model published = m;
  if (bytes > 0) {
    std::vector<Model> ways{published};
    if (format != nullptr) ways = stored_ways(published, format->storage);
    auto found = in_bytes(std::move(ways), bytes);
    m = found ? std::move(*found) : by_size(published, bytes);
  } else if (format != nullptr) {
    m = by_words(published, format->storage);
  }
  if (format == nullptr) return;
  if (!is_plain(format->storage)) m.quantisation = format->name;
  // llama.cpp serves in fp16 what GGUF stores; so does everybody what is stored so.
  if (format->storage.packing == Packing::rows || format->storage == plain(Element::fp16)) {
    m.computes_in = Element::fp16;
    m.kv = plain(Element::fp16);
  }
}

Result<FoundModel> coarse(const NamedModel& named, const ModelName& name,
                          const NamedStorage* format) {
  Size size{named.parameters, named.active_parameters, named.bytes};
  if (size.parameters <= 0) size.parameters = name.parameters;
  if (size.active_parameters <= 0) size.active_parameters = name.active_parameters;
  const double bits = format != nullptr ? bits_per_weight(format->storage) : 0;
  if (size.bytes <= 0) size.bytes = size.parameters * bits / 8;
  if (size.parameters <= 0 && bits > 0) size.parameters = size.bytes * 8 / bits;
  if (!(size.parameters > 0) || !(size.bytes > 0)) {
    std::string hint = "nearest:";
    for (const std::string_view near : nearest_builtin_models(named.name, 3)) {
      hint += (hint.back() == ':' ? " " : ", ") + std::string(near);
    }
    return fail(ErrorCode::not_found,
                named.name.empty() ? std::string("the model is not named")
                                   : "no model called " + rooflens::quoted(named.name) +
                                         " is known, and its size is not told",
                {},
                named.name.empty() ? "--model MODEL gives it" : hint + "; --model MODEL gives it");
  }
  if (format == nullptr) format = nearest_format(size.bytes * 8 / size.parameters);
  return FoundModel{coarse_model(named.name, size, format->storage), true, "its size alone"};
}

}  // namespace

Result<FoundModel> find_named_model(const NamedModel& named) {
  for (const double n : {named.bytes, named.parameters, named.active_parameters}) {
    if (!(n >= 0 && n <= kMostOfModel)) {
      return fail(ErrorCode::out_of_range, "a model of that size cannot be", {},
                  "--model MODEL gives the real one");
    }
  }
  const ModelName name = read_model_name(named.name);
  const NamedStorage* format = format_in_words(named.quantisation);
  if (format == nullptr) format = name.format;
  if (format == nullptr && !named.quantisation.empty() && named.bytes <= 0) {
    return fail(ErrorCode::not_found,
                "the format " + rooflens::quoted(named.quantisation) +
                    " is not known, and the size not told",
                {}, "--weights FORMAT gives it");
  }
  std::vector<const Known*> by_name, by_count;
  double nearest = 1;  // of those by name, how far the count is off
  for (const Known& k : known_models()) {
    const double off = named.parameters > 0 ? apart(named.parameters, k.parameters) : 0;
    if (named.parameters > 0 && off < kSameParameters) by_count.push_back(&k);
    if (off < kNearParameters && same_name(name, k.name)) {
      by_name.push_back(&k);
      nearest = std::min(nearest, off);
    }
  }
  const bool use_name = !by_name.empty() && (nearest < kSameParameters || by_count.empty());
  const Known* chosen = choose(use_name ? by_name : by_count, format);
  if (chosen == nullptr) return coarse(named, name, format);
  FoundModel found;
  found.how = chosen->model.name +
              (use_name ? " by its name" : " by its " + whole(named.parameters) + " parameters");
  found.model = chosen->model;
  set_formats(found.model, format, named.bytes);
  return found;
}

void store_as_told(Model& m, const std::string& quantisation, double bytes) {
  set_formats(m, format_in_words(quantisation), bytes);
}

}  // namespace rooflens
