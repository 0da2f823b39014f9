#include "rooflens/core/requantise.h"

#include "rooflens/core/layer_visit.h"
#include "rooflens/core/parameters.h"

namespace rooflens {
namespace {

bool has_role(const Matrix& x, Role role) {
  return !x.small && (role == Role::experts) == x.expert;
}

}  // namespace

void requantise(Model& m, Role role, const Storage& s) {
  m.stored.clear();  // it was of the files
  if (role == Role::head) {
    // A tied table is the head: it is stored once.
    (m.tied ? m.embedding : m.head) = {s, 0};
    return;
  }
  if (role == Role::embedding) {
    m.embedding = {s, 0};
    return;
  }
  for (Layer& layer : m.layers) {
    for_each_matrix(layer, whole(m), [&](const Matrix& x) {
      if (has_role(x, role)) layer.weight(x.slot) = {s, 0};
    });
  }
}

Storage storage_of(const Model& m, Role role) {
  if (role == Role::head) return m.tied ? m.embedding.storage : m.head.storage;
  if (role == Role::embedding) return m.embedding.storage;
  Storage most;
  double most_bytes = 0;
  std::vector<std::pair<Storage, double>> seen;
  for (const Layer& layer : m.layers) {
    for_each_matrix(layer, whole(m), [&](const Matrix& x) {
      if (!has_role(x, role)) return;
      const Storage& s = layer.weight(x.slot).storage;
      double* bytes = nullptr;
      for (auto& [storage, sum] : seen) {
        if (storage == s) bytes = &sum;
      }
      if (bytes == nullptr) bytes = &seen.emplace_back(s, 0.0).second;
      *bytes += layer.count * local_bytes(x, layer, small_bytes(m));
      if (*bytes > most_bytes) {
        most_bytes = *bytes;
        most = s;
      }
    });
  }
  return most;
}

double fit_to_bytes(Model& m, double bytes) {
  const auto table = [&](const Weight& w) {
    return w.bytes > 0 ? w.bytes : storage_bytes(w.storage, m.vocabulary, m.hidden);
  };
  // f(weight, bytes of it as it is): of one layer.
  const auto each = [&](const auto& f) {
    for (Layer& layer : m.layers) {
      for_each_matrix(layer, whole(m), [&](const Matrix& x) {
        if (x.small) return;
        Matrix bare = x;
        bare.bias = false;
        f(layer.weight(x.slot), local_bytes(bare, layer, 0), layer.count);
      });
    }
    f(m.embedding, table(m.embedding), 1);
    if (!m.tied) f(m.head, table(m.head), 1);
  };
  double matrices = 0;
  each([&](Weight&, double one, double count) { matrices += one * count; });
  const double rest = weight_bytes(m, {}) - matrices;
  if (bytes <= rest || matrices <= 0) return 0;
  const double factor = (bytes - rest) / matrices;
  each([&](Weight& w, double one, double) { w.bytes = one * factor; });
  return factor;
}

}  // namespace rooflens
