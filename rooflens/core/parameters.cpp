#include "rooflens/core/parameters.h"

#include "rooflens/core/layer_visit.h"

namespace rooflens {

Parameters count_parameters(const Model& m) {
  const Cut c = whole(m);
  Parameters p;
  p.embedding = m.vocabulary * m.hidden;
  p.head = m.tied ? 0 : p.embedding;
  p.matmul = p.embedding;  // the head, once per token
  const double small = (m.final_norm ? m.hidden * (m.norm_bias ? 2 : 1) : 0) + m.embedding_norm +
                       (m.head_bias ? m.vocabulary : 0) + m.extra_parameters;
  p.total = p.embedding + p.head + small + (m.position_rows + m.extra_rows) * m.hidden;
  p.active = p.embedding + small;  // the head matrix, tied or not
  for (const Layer& layer : m.layers) {
    const double active_share = [&] {
      const auto* moe = std::get_if<MixtureOfExperts>(&layer.ffn);
      return moe != nullptr ? moe->active / moe->experts : 1.0;
    }();
    double total = 0, active = 0, matmul = 0;
    for_each_matrix(layer, c, [&](const Matrix& x) {
      const double matrix = x.n * x.k * x.copies;
      const double all = matrix + (x.bias ? x.n * x.copies : 0);
      const double share = x.expert ? active_share : 1.0;
      total += all;
      active += all * share;
      matmul += matrix * share;
      if (x.expert) p.experts += matrix * layer.count;
      if (x.slot == Slot::router) p.router += matrix * layer.count;
    });
    const double vectors = vector_weights(layer, m, c).whole;
    p.total += layer.count * (total + vectors);
    p.active += layer.count * (active + vectors);
    p.matmul += layer.count * matmul;
  }
  return p;
}

double weight_bytes(const Model& m, const Deployment& d) {
  const Cut c = cut_of(m, d);
  const double small = small_bytes(m);
  double layers = 0;
  for (const Layer& layer : m.layers) {
    double one = vector_weights(layer, m, c).local * small;
    for_each_matrix(layer, c,
                    [&](const Matrix& x) { one += local_bytes(x, layer, small); });
    layers += layer.count * one;
  }
  const auto table = [&](const Weight& w) {
    return w.bytes > 0 ? w.bytes / c.tensor
                       : storage_bytes(w.storage, m.vocabulary / c.tensor, m.hidden);
  };
  const double first = table(m.embedding);
  const double last = m.tied ? 0 : table(m.head);
  // A pipeline holds the embedding in its first stage and the head (or the tied table again) in its
  // last: the fuller of the two is what must fit.
  double ends = d.pipeline > 1 ? std::max(first, last) : first + last;
  if (m.extra_rows > 0) ends += storage_bytes(m.embedding.storage, m.extra_rows, m.hidden);
  ends += small * ((m.final_norm ? m.hidden * (m.norm_bias ? 2 : 1) : 0) + m.embedding_norm +
                   m.extra_parameters + m.position_rows * m.hidden +
                   (m.head_bias ? m.vocabulary / c.tensor : 0));
  const double bytes = layers / d.pipeline + ends;
  // Counted in files, the sum is whole; the mean width of small values leaves a last bit.
  const bool counted = !m.stored.empty() && d.tensor == 1 && d.pipeline == 1;
  return counted ? std::round(bytes) : bytes;
}

double kv_bytes_per_token(const Model& m, const Deployment& d) {
  const Cut c = cut_of(m, d);
  double bytes = 0;
  for (const Layer& layer : m.layers) bytes += layer.count * cache_of(layer, c, d).bytes_per_token;
  return bytes / d.pipeline;
}

double kv_bytes_of_sequence(const Model& m, const Deployment& d, double tokens, double page) {
  const Cut c = cut_of(m, d);
  const double rounded = page > 1 ? std::ceil(tokens / page) * page : tokens;
  double bytes = 0;
  for (const Layer& layer : m.layers) {
    const Cache cache = cache_of(layer, c, d);
    const double held = cache.cap_tokens > 0 ? std::min(rounded, cache.cap_tokens) : rounded;
    bytes += layer.count * cache.bytes_per_token * held;
  }
  return bytes / d.pipeline;
}

double state_bytes_per_sequence(const Model& m, const Deployment& d) {
  const Cut c = cut_of(m, d);
  double bytes = 0;
  for (const Layer& layer : m.layers) bytes += layer.count * cache_of(layer, c, d).state_bytes;
  return bytes / d.pipeline;
}

CacheLayers cache_layers(const Model& m) {
  CacheLayers k;
  const Deployment d;
  for (const Layer& layer : m.layers) {
    const Cache cache = cache_of(layer, whole(m), d);
    if (cache.bytes_per_token > 0) k.caching += layer.count;
    if (cache.cap_tokens > 0) {
      k.capped += layer.count;
      k.window = std::max(k.window, cache.cap_tokens);
    }
    if (cache.state_bytes > 0) k.recurrent += layer.count;
  }
  return k;
}

}  // namespace rooflens
