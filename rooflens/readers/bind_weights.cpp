#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "rooflens/core/composition.h"
#include "rooflens/core/layer_visit.h"
#include "rooflens/core/parameters.h"
#include "rooflens/readers/json_value.h"
#include "rooflens/readers/layer_groups.h"
#include "rooflens/readers/weight_pieces.h"

namespace rooflens {
namespace {

// What the files hold of one slot of one layer, or of one table.
struct Held {
  double parameters = 0, bytes = 0;
  std::vector<std::pair<const WeightPiece*, double>> formats;  // one of each, with its bytes

  void add(const WeightPiece& p) {
    parameters += p.parameters;
    bytes += p.bytes;
    for (auto& [known, sum] : formats) {
      if (known->format == p.format || formats.size() == kMostFormats) {
        sum += p.bytes;  // past so many formats the first stands for the rest
        return;
      }
    }
    formats.emplace_back(&p, p.bytes);
  }
  static constexpr std::size_t kMostFormats = 64;
  // The format of most of the bytes.
  [[nodiscard]] const WeightPiece& main() const {
    return *std::max_element(formats.begin(), formats.end(), [](const auto& a, const auto& b) {
              return a.second < b.second;
            })->first;
  }
};
using HeldLayer = std::array<Held, kSlots>;

std::size_t index_of(Slot s) { return static_cast<std::size_t>(s); }

// A format that is not in the table: only its bits count; it is computed like an integer of them.
Storage nearest(double bits) {
  struct Row {
    double most;
    Element element;
  };
  constexpr std::array rows{Row{1.9, Element::int1}, Row{2.9, Element::int2},
                            Row{3.9, Element::int3}, Row{4.9, Element::int4},
                            Row{5.9, Element::int5}, Row{6.9, Element::int6},
                            Row{12, Element::int8},  Row{24, Element::bf16}};
  for (const Row& row : rows) {
    if (bits <= row.most) return plain(row.element);
  }
  return plain(Element::fp32);
}

// Norms, biases, routers and the like, by the model's own shapes.
double count_small(const Model& m) {
  const Cut c = whole(m);
  double sum = (m.final_norm ? m.hidden * (m.norm_bias ? 2 : 1) : 0) + m.embedding_norm +
               m.extra_parameters + m.position_rows * m.hidden + (m.head_bias ? m.vocabulary : 0);
  for (const Layer& layer : m.layers) {
    double values = vector_weights(layer, m, c).whole;
    for_each_matrix(layer, c, [&](const Matrix& x) {
      if (x.bias) values += x.n * x.copies;
      if (x.small) values += x.n * x.k * x.copies;
    });
    sum += layer.count * values;
  }
  return sum;
}

class Binder {
 public:
  Binder(std::string_view where, Model& model)
      : where_(where), model_(model), layers_(single_layers(model)), held_(layers_.size()) {}

  Result<void> run(const std::vector<WeightPiece>& pieces) {
    for (const WeightPiece& p : pieces) take(p);
    if (auto r = all_known(pieces); !r) return r;
    model_.stored = stored_parts(pieces, layers_, model_.tied);
    if (auto r = tables(); !r) return r;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      if (auto r = bind_layer(l); !r) return r;
    }
    group_layers(layers_, model_);
    small_values();
    beside(pieces);
    contradictions();
    unknown_formats();
    return {};
  }

 private:
  void take(const WeightPiece& p) {
    switch (p.use) {
      case PieceUse::matrix:
        held_[static_cast<std::size_t>(p.layer)][index_of(p.slot)].add(p);
        break;
      case PieceUse::embedding:
        embedding_.add(p);
        break;
      case PieceUse::head:
        head_.add(p);
        break;
      case PieceUse::small:
      case PieceUse::positions:
        small_.add(p);
        break;
      default:
        break;
    }
  }

  void set(Weight& weight, const Held& held) {
    const WeightPiece& main = held.main();
    if (main.storage) {
      weight.storage = *main.storage;
    } else {
      const double bits = held.bytes * 8 / std::max(held.parameters, 1.0);
      weight.storage = nearest(bits);
      if (unknown_.size() < Held::kMostFormats) unknown_[main.format] += held.bytes;
    }
    weight.bytes = held.bytes;
  }

  Result<void> tables() {
    if (embedding_.parameters > 0) {
      const double rows = embedding_.parameters / model_.hidden;
      if (rows != std::floor(rows)) {
        return fail(ErrorCode::invalid,
                    "the embedding has " + number_text(embedding_.parameters) +
                        " values, no multiple of the hidden size " + number_text(model_.hidden),
                    where_, "the weights and the keys are of different models");
      }
      const double known = model_.vocabulary + model_.extra_rows;
      if (rows != known) {
        warn("the embedding has " + number_text(rows) + " rows, the keys say " +
             number_text(known) + ": the weights are used");
        model_.vocabulary = rows - model_.extra_rows;
      }
      set(model_.embedding, embedding_);
      model_.embedding.bytes *= model_.vocabulary / rows;
    } else {
      return fail(ErrorCode::invalid, "the files hold no embedding", where_,
                  "a part of the model is missing; fetch it again");
    }
    if (head_.parameters > 0 && model_.tied) {
      again_.push_back({"tied head, stored once more", head_.parameters, head_.bytes});
    } else if (head_.parameters > 0) {
      if (head_.parameters != model_.vocabulary * model_.hidden) {
        warn("the head has " + number_text(head_.parameters) + " values, the embedding " +
             number_text(model_.vocabulary * model_.hidden));
      }
      set(model_.head, head_);
    } else if (!model_.tied && embedding_.parameters > 0) {
      warn("the weights have no head of their own: the embedding is used as the head");
      model_.tied = true;
    }
    return {};
  }

  void warn(std::string text) { model_.warnings.push_back(std::move(text)); }

  // Sizes of a feed-forward follow from its weights.
  void resize(std::size_t l) {
    const HeldLayer& held = held_[l];
    if (auto* dense = std::get_if<Dense>(&layers_[l].ffn)) {
      const double down = held[index_of(Slot::down)].parameters;
      const double up = held[index_of(Slot::up)].parameters;
      if (down <= 0 || up <= 0) return;
      const double width = down / model_.hidden, matrices = 1 + up / down;
      if (width == dense->width && matrices == dense->matrices) return;
      if (width != std::floor(width) || (matrices != 2 && matrices != 3)) return;
      resized_.push_back("layer " + std::to_string(l) + " is " + number_text(width) +
                         " wide, not " + number_text(dense->width));
      dense->width = width;
      dense->matrices = matrices;
    } else if (auto* moe = std::get_if<MixtureOfExperts>(&layers_[l].ffn)) {
      const double down = held[index_of(Slot::experts_down)].parameters;
      const double gate = held[index_of(Slot::router)].parameters / model_.hidden;
      const double experts = gate - (moe->shared_gate ? 1 : 0);
      const double inner = moe->latent > 0 ? moe->latent : model_.hidden;
      if (down <= 0 || experts < 1 || experts != std::floor(experts)) return;
      const double width = down / experts / inner;
      const double up = held[index_of(Slot::experts_up)].parameters;
      if (up != (moe->matrices - 1) * down) return;
      if ((width == moe->width && experts == moe->experts) || width != std::floor(width)) return;
      resized_.push_back("layer " + std::to_string(l) + " has " + number_text(experts) +
                         " experts of width " + number_text(width) + ", not " +
                         number_text(moe->experts) + " of " + number_text(moe->width));
      moe->width = width;
      moe->experts = experts;
      moe->active = std::min(moe->active, experts);
    }
  }

  Failure trouble(std::size_t l, std::string_view what, const std::string& why) const {
    return fail(ErrorCode::invalid,
                "layer " + std::to_string(l) + ", " + std::string(what) + ": " + why, where_,
                "the weights and the keys are of different models, or this model is not built as "
                "its architecture says");
  }

  // A matrix of a layer that is not known, or of a layer that the keys do not have.
  // A tensor of a few rows is a norm or scale of some kind, told and not fatal.
  static constexpr double kSmallRows = 8;
  Result<void> all_known(const std::vector<WeightPiece>& pieces) const {
    for (const WeightPiece& p : pieces) {
      const bool matrix = p.parameters > kSmallRows * model_.hidden;
      if (p.use != PieceUse::unknown || p.layer < 0 || !matrix) continue;
      if (static_cast<std::size_t>(p.layer) >= layers_.size()) {
        return trouble(
            static_cast<std::size_t>(p.layer), p.name,
            "the keys give " + std::to_string(layers_.size()) + " layers and no prediction block");
      }
      return trouble(static_cast<std::size_t>(p.layer), p.name, "a matrix that is not known");
    }
    return {};
  }

  Result<void> bind_layer(std::size_t l) {
    resize(l);
    Layer& layer = layers_[l];
    Result<void> result;
    std::array<bool, kSlots> used{};
    for_each_matrix(layer, whole(model_), [&](const Matrix& x) {
      const Held& held = held_[l][index_of(x.slot)];
      used[index_of(x.slot)] = true;
      const double expected = x.n * x.k * x.copies;
      if (x.small) {
        small_matrices_ += expected;
        small_bytes_ += held.bytes;
      }
      if (held.parameters <= 0) {
        if (result) result = trouble(l, role_of(x.slot, layer), "a matrix is not in the file");
        return;
      }
      if (held.parameters != expected && result) {
        result = trouble(l, role_of(x.slot, layer),
                         "the file holds " + number_text(held.parameters) +
                             " weights, its keys give " + number_text(expected));
      }
      if (!x.small && result) set(layer.weight(x.slot), held);
    });
    for (std::size_t s = 0; s < kSlots; ++s) {
      if (used[s] || held_[l][s].parameters <= 0 || !result) continue;
      result = trouble(l, held_[l][s].formats.front().first->name,
                       "the architecture has no place for it");
    }
    return result;
  }

  // Norms, biases, routers: their mean width makes the sum of all exact.
  void small_values() {
    model_.small_bytes = 0;
    if (small_.bytes + small_bytes_ <= 0) return;
    const double one = count_small(model_);
    if (one <= 0 || small_.formats.empty()) return;
    if (!model_.computes_in) model_.computes_in = model_.small.element;
    const WeightPiece& main = small_.main();
    if (main.storage) model_.small = *main.storage;
    model_.small_bytes = (small_.bytes + small_bytes_) / one;
    const double in_file = small_.parameters + small_matrices_;
    if (in_file != one) {
      warn("norms, biases and other small weights: the file holds " + number_text(in_file) +
           " values, the architecture has " + number_text(one) + "; their bytes are the file's");
    }
  }

  // What is stored and not run replaces what the keys let expect.
  void beside(const std::vector<WeightPiece>& pieces) {
    std::vector<Extra> found = std::move(again_);
    const auto add = [&](const std::string& what, const WeightPiece& p) {
      auto at =
          std::find_if(found.begin(), found.end(), [&](const Extra& e) { return e.what == what; });
      if (at == found.end()) at = found.insert(at, Extra{what, 0, 0});
      at->parameters += p.parameters;
      at->bytes += p.bytes;
    };
    double unknown = 0;
    for (const WeightPiece& p : pieces) {
      if (p.use == PieceUse::beside || p.use == PieceUse::duplicate) add(p.what, p);
      if (p.use == PieceUse::unknown) {
        add("not known", p);
        if (unknown++ == 0) first_unknown_ = p.name;
      }
    }
    if (unknown > 0) {
      warn(number_text(unknown) + " tensors are not known (" + first_unknown_ +
           "): counted in storage, not in a step");
    }
    model_.extras = std::move(found);
  }

  void contradictions() {
    if (!resized_.empty()) {
      warn("the weights contradict the keys: " + resized_.front() +
           (resized_.size() > 1 ? ", and " + std::to_string(resized_.size() - 1) + " layers more"
                                : "") +
           "; the weights are used");
    }
  }

  void unknown_formats() {
    for (const auto& [format, bytes] : unknown_) {
      warn("format \"" + format + "\" is not known: its " + number_text(bytes) +
           " bytes are exact, its arithmetic is taken as that of its width");
    }
  }

  std::string where_;
  Model& model_;
  std::vector<Layer> layers_;
  std::vector<HeldLayer> held_;
  Held embedding_, head_, small_;
  double small_matrices_ = 0, small_bytes_ = 0;
  std::vector<Extra> again_;
  std::vector<std::string> resized_;
  std::map<std::string, double> unknown_;
  std::string first_unknown_;
};

}  // namespace

Result<void> bind_weights(const std::vector<WeightPiece>& pieces, std::string_view where,
                          Model& model) {
  return Binder(where, model).run(pieces);
}

}  // namespace rooflens
