// The matrices and small weights of a layer, told once: counting parameters, resident bytes and the
// lowering of a step all read these. Dimensions of one rank may be fractions when they do not
// divide. docs/model.md sections 3-6, 10, 19.
#pragma once

#include <algorithm>
#include <cmath>

#include "rooflens/core/model.h"
#include "rooflens/core/scenario.h"

namespace rooflens {

// How the layers are cut: tensor ranks, and for experts the ranks that share one expert (width) and
// the ranks that hold different ones (expert parallel).
struct Cut {
  double hidden = 0;
  double tensor = 1;
  double expert_tensor = 1;  // ranks an expert's width is divided over
  double expert = 1;         // ranks the experts are divided over
};

[[nodiscard]] inline Cut whole(const Model& m) { return {m.hidden, 1, 1, 1}; }

[[nodiscard]] inline Cut cut_of(const Model& m, const Deployment& d) {
  const double ranks = static_cast<double>(d.tensor) * d.data;
  return {m.hidden, static_cast<double>(d.tensor),
          d.expert > 1 ? std::max(1.0, ranks / d.expert) : d.tensor,
          static_cast<double>(d.expert)};
}

// Key/value heads on one rank: never less than one, so they are replicated past kv_heads ranks.
[[nodiscard]] inline double local_kv_heads(double kv_heads, double tensor) {
  return std::max(1.0, std::ceil(kv_heads / tensor));
}

// Bytes of one norm weight, bias, router weight.
[[nodiscard]] inline double small_bytes(const Model& m) {
  return m.small_bytes > 0 ? m.small_bytes : m.small.bits / 8.0;
}

// One GEMM's matrix (n outputs, k inputs, `copies` of it), whole and on one rank.
struct Matrix {
  Slot slot{};
  double n = 0, k = 0;
  double local_n = 0, local_k = 0;
  double copies = 1, local_copies = 1;  // experts
  bool small = false;                   // stored with the small weights, never quantised
  bool bias = false;                    // n biases per copy
  bool expert = false;                  // only the chosen ones are read
};

// Norm, convolution, decay, sink weights of a mixer: elements, whole and on one rank.
struct VectorWeights {
  double whole = 0, local = 0;
};

[[nodiscard]] inline Matrix column(Slot s, double n, double k, double tensor) {
  return {s, n, k, n / tensor, k};
}
[[nodiscard]] inline Matrix row(Slot s, double n, double k, double tensor) {
  return {s, n, k, n, k / tensor};
}
[[nodiscard]] inline Matrix replicated(Slot s, double n, double k) { return {s, n, k, n, k}; }

// Bytes of the matrix on one rank: all copies that the rank holds, biases included.
// `small` = bytes of one small value.
[[nodiscard]] inline double local_bytes(const Matrix& x, const Layer& layer, double small) {
  const Weight& w = layer.weight(x.slot);
  const double bias = x.bias ? x.local_n * small : 0.0;
  double one = 0;
  if (w.bytes > 0 && !x.small) {
    one = w.bytes * (x.local_n * x.local_k) / (x.n * x.k * x.copies);
  } else {
    one = x.small ? x.local_n * x.local_k * small : storage_bytes(w.storage, x.local_n, x.local_k);
  }
  return (one + bias) * x.local_copies;
}

// What a mixer keeps for each sequence, on one rank.
struct Cache {
  double bytes_per_token = 0;  // grows with context ...
  double cap_tokens = 0;       // ... up to a window or chunk, 0 = without end
  double state_bytes = 0;      // does not grow
};

}  // namespace rooflens
