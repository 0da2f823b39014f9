#include "rooflens/core/composition.h"

#include <algorithm>

#include "rooflens/core/layer_visit.h"
#include "rooflens/core/parameters.h"

namespace rooflens {
namespace {

std::string whole_number(double v) { return std::to_string(static_cast<long long>(v)); }

struct MixerWords {
  std::string operator()(const NoMixer&) const { return "none"; }
  std::string operator()(const Attention& a) const {
    std::string s = "attention, " + whole_number(a.query_heads) + " heads";
    if (a.kv_heads != a.query_heads) s += ", " + whole_number(a.kv_heads) + " KV";
    if (a.window > 0) s += ", window " + whole_number(a.window);
    if (a.chunk > 0) s += ", chunk " + whole_number(a.chunk);
    if (a.cross) s += ", to an image";
    return a.shares_kv ? s + ", shared cache" : s;
  }
  std::string operator()(const LatentAttention& a) const {
    const std::string s = "latent attention";
    return a.index.top_k > 0 ? s + ", top " + whole_number(a.index.top_k) : s;
  }
  std::string operator()(const GatedDeltaNet&) const { return "gated delta net"; }
  std::string operator()(const KimiDelta&) const { return "Kimi delta attention"; }
  std::string operator()(const LightningAttention& a) const {
    return "lightning attention, " + whole_number(a.heads) + " heads";
  }
  std::string operator()(const Mamba2&) const { return "Mamba 2"; }
  std::string operator()(const Mamba1&) const { return "Mamba"; }
  std::string operator()(const ShortConv&) const { return "short convolution"; }
};

struct FeedWords {
  std::string operator()(const NoFeedForward&) const { return "none"; }
  std::string operator()(const Dense& d) const { return "dense " + whole_number(d.width); }
  std::string operator()(const MixtureOfExperts& m) const {
    return whole_number(m.active) + " of " + whole_number(m.experts) + " experts" +
           (m.shared_width > 0 ? " + shared" : "");
  }
};

class Sums {
 public:
  void add(const char* role, const Storage& s, double parameters, double bytes) {
    if (parameters <= 0) return;
    auto at = std::find_if(parts_.begin(), parts_.end(), [&](const WeightPart& p) {
      return std::string_view(p.role) == role && p.storage == s;
    });
    if (at == parts_.end()) at = parts_.insert(parts_.end(), {role, s, 0, 0});
    at->parameters += parameters;
    at->bytes += bytes;
  }
  [[nodiscard]] double parameters() const { return sum(&WeightPart::parameters); }
  [[nodiscard]] double bytes() const { return sum(&WeightPart::bytes); }
  std::vector<WeightPart> take() { return std::move(parts_); }

 private:
  [[nodiscard]] double sum(double WeightPart::*field) const {
    double s = 0;
    for (const WeightPart& p : parts_) s += p.*field;
    return s;
  }
  std::vector<WeightPart> parts_;
};

}  // namespace

const char* role_of(Slot s, const Layer& layer) {
  switch (s) {
    case Slot::router:
      return "router";
    case Slot::up:
    case Slot::down:
      return "feed-forward";
    case Slot::experts_up:
    case Slot::experts_down:
    case Slot::latent_in:
    case Slot::latent_out:
      return "experts";
    case Slot::shared_up:
    case Slot::shared_down:
      return "shared expert";
    default:
      break;
  }
  const bool attends = std::holds_alternative<Attention>(layer.mixer) ||
                       std::holds_alternative<LatentAttention>(layer.mixer);
  return attends ? "attention" : "recurrent mixer";
}

std::vector<WeightPart> composition(const Model& m) {
  Sums sums;
  const Cut cut = whole(m);
  const auto table = [&](const char* role, const Weight& w) {
    const double bytes = w.bytes > 0 ? w.bytes : storage_bytes(w.storage, m.vocabulary, m.hidden);
    sums.add(role, w.storage, m.vocabulary * m.hidden, bytes);
  };
  table("embedding", m.embedding);
  for (const Layer& layer : m.layers) {
    for_each_matrix(layer, cut, [&](const Matrix& x) {
      const double bias = x.bias ? x.n * x.copies : 0;
      sums.add(role_of(x.slot, layer), x.small ? m.small : layer.weight(x.slot).storage,
               layer.count * (x.n * x.k * x.copies + bias),
               layer.count * local_bytes(x, layer, small_bytes(m)));
    });
  }
  if (!m.tied) table("head", m.head);
  // Norms, convolutions, rows beside the vocabulary: what the sums of parameters.h have beyond.
  sums.add("norms and other", m.small, count_parameters(m).total - sums.parameters(),
           weight_bytes(m, Deployment{}) - sums.bytes());
  return sums.take();
}

std::vector<LayerSummary> layer_summaries(const Model& m, const Deployment& d) {
  std::vector<LayerSummary> kinds;
  const Cut cut = whole(m);
  for (const Layer& layer : m.layers) {
    const Cache cache = cache_of(layer, cut, d);
    LayerSummary kind{std::visit(MixerWords{}, layer.mixer), std::visit(FeedWords{}, layer.ffn)};
    kind.kv_bytes_per_token = cache.bytes_per_token;
    kind.cap_tokens = cache.cap_tokens;
    kind.state_bytes = cache.state_bytes;
    double parameters = vector_weights(layer, m, cut).whole;
    for_each_matrix(layer, cut, [&](const Matrix& x) {
      parameters += x.n * x.k * x.copies + (x.bias ? x.n * x.copies : 0);
    });
    const auto same = [&](const LayerSummary& k) {
      return k.mixer == kind.mixer && k.ffn == kind.ffn &&
             k.kv_bytes_per_token == kind.kv_bytes_per_token && k.cap_tokens == kind.cap_tokens &&
             k.state_bytes == kind.state_bytes;
    };
    auto at = std::find_if(kinds.begin(), kinds.end(), same);
    if (at == kinds.end()) at = kinds.insert(kinds.end(), std::move(kind));
    at->count += layer.count;
    at->parameters += layer.count * parameters;
  }
  return kinds;
}

}  // namespace rooflens
