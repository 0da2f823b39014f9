// What the lowering of one layer works with (internal to core).
#pragma once

#include <span>

#include "rooflens/core/analysis.h"
#include "rooflens/core/shape.h"

namespace rooflens {

inline double bytes_of(Element e) { return element_bits(e) / 8.0; }

struct Lowering {
  const Model& model;
  const Deployment& deploy;
  const Ceilings& ceilings;
  std::span<const Group> step;
  std::span<Operator> out;
  Cut cut;
  double tokens = 0, logits = 0;
  double act = 2;    // bytes of an activation
  double gemm_in = 2;
  double small = 2;  // bytes of a small weight
  std::size_t count = 0;
  const Layer* layer = nullptr;
  std::uint16_t layer_index = 0;
  Operator overflow{};  // written when `out` is full

  // The next operator, cleared, with layer and count filled in.
  Operator& add(const char* name, OperatorGroup group) {
    Operator& op = count < out.size() ? out[count] : overflow;
    ++count;
    op = Operator{};
    op.name = name;
    op.group = group;
    op.count = layer != nullptr ? layer->count : 1;
    op.layer = layer_index;
    return op;
  }

  [[nodiscard]] Compute promoted(Element e) const {
    return ceilings.promoted[static_cast<std::size_t>(e)];
  }

  // A GEMM over `t` tokens: reads t*k inputs, writes t*n outputs. `weight` is the storage of its
  // matrix, `bytes` what is read of it (biases included).
  Operator& gemm(const char* name, OperatorGroup group, const Matrix& x, const Storage& weight,
                 double bytes, double t) {
    const bool quantised = !is_plain(weight);
    const Element input = quantised ? deploy.gemm_input : deploy.activation;
    Operator& op = add(name, group);
    op.matrix = true;
    op.compute = promoted(gemm_element(weight.element, input));
    op.flops = 2 * t * x.local_n * x.local_k;
    op.weight_bytes = bytes;
    op.read_bytes = t * x.local_k * (quantised ? gemm_in : act);
    op.write_bytes = t * x.local_n * act;
    if (x.bias) op.vector_flops = t * x.local_n;
    return op;
  }

  // The same for a matrix of the current layer, all of whose local copies are read.
  Operator& gemm(const char* name, const Matrix& x) {
    const Storage& weight = x.small ? model.small : layer->weight(x.slot).storage;
    return gemm(name, OperatorGroup::fc, x, weight, local_bytes(x, *layer, small), tokens);
  }

  // The ranks of a tensor group add their partial sums of a hidden-sized output.
  void all_reduce(Operator& op) const {
    if (deploy.tensor > 1) {
      op.collective = Collective::all_reduce;
      op.payload_bytes = tokens * model.hidden * act;
    }
  }
};

// True for a group that a recurrent mixer runs token by token: one new token, or a verification
// (logits for every new token, after a past).
[[nodiscard]] inline bool is_recurrent(const Group& g) {
  return g.tokens == 1 || (g.cached > 0 && g.logits == g.tokens);
}

// What a recurrent mixer keeps for one sequence: the recurrence, and the convolution's columns.
struct State {
  double recurrent_bytes = 0, conv_bytes = 0;
  [[nodiscard]] double bytes() const { return recurrent_bytes + conv_bytes; }
};

// State traffic of a step: without a past the state is only written; a verification writes one
// recurrent state a token.
[[nodiscard]] inline double state_traffic(const State& s, std::span<const Group> step) {
  double bytes = 0;
  for (const Group& g : step) {
    const double reads = g.cached > 0 ? 1 : 0;
    const double writes = is_recurrent(g) ? g.tokens : 1;
    bytes += g.sequences * ((reads + writes) * s.recurrent_bytes + (reads + 1) * s.conv_bytes);
  }
  return bytes;
}

// pairs: (query, key) pairs one sequence's new tokens attend to; span: distinct keys read.
// docs/model.md section 4.1.
struct Reach {
  double pairs = 0, span = 0;
};
[[nodiscard]] Reach reach_full(double t, double p);
[[nodiscard]] Reach reach_window(double t, double p, double window, double sinks);
[[nodiscard]] Reach reach_chunk(double t, double p, double chunk);
[[nodiscard]] Reach reach_top_k(double t, double p, double k);  // gathered: nothing is shared

}  // namespace rooflens
