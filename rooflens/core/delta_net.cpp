#include "rooflens/core/delta_net.h"

namespace rooflens {
namespace {

// The recurrent operator both mixers share: heads states of key_dim x value_dim behind a
// convolution over `channels`.
struct DeltaRule {
  double heads = 0, key_dim = 0, value_dim = 0, conv = 0, channels = 0;
  double inputs = 0;         // projected values read per token
  double small_weights = 0;  // on this rank
};

State state_of(const DeltaRule& r, const Deployment& d) {
  return {r.heads * r.key_dim * r.value_dim * d.state_bytes,
          (r.conv - 1) * r.channels * d.conv_state_bytes};
}

void lower_rule(const DeltaRule& r, Lowering& l) {
  const double chunk = l.deploy.delta_chunk;
  const double cell = r.key_dim * r.value_dim;
  const double chunk_flops =
      6 * cell + chunk * (6 * r.key_dim + 4 * r.value_dim) + 2 * chunk * chunk / 3;
  const double width = r.heads * r.value_dim;
  double recurrent_tokens = 0, chunked_tokens = 0;
  for (const Group& g : l.step) {
    (is_recurrent(g) ? recurrent_tokens : chunked_tokens) += g.sequences * g.tokens;
  }
  Operator& op = l.add("delta_rule", OperatorGroup::state);
  op.matrix = true;
  op.compute = l.promoted(l.deploy.activation);
  op.flops = chunked_tokens * r.heads * chunk_flops;
  op.vector_flops = recurrent_tokens * 7 * cell * r.heads +
                    l.tokens * ((2 * r.conv + 4) * r.channels + 9 * width);
  op.weight_bytes = r.small_weights * l.small;
  op.read_bytes = l.tokens * r.inputs * l.act;
  op.write_bytes = l.tokens * width * l.act;
  op.state_bytes = state_traffic(state_of(r, l.deploy), l.step);
}

DeltaRule rule_of(const GatedDeltaNet& g, const Cut& c) {
  const double key = g.key_heads * g.key_dim / c.tensor;
  const double value = g.value_heads * g.value_dim / c.tensor;
  DeltaRule r{g.value_heads / c.tensor, g.key_dim, g.value_dim, g.conv, 2 * key + value};
  r.inputs = 2 * key + 2 * value + 2 * r.heads;
  r.small_weights = vector_weights(g, c).local;
  return r;
}

DeltaRule rule_of(const KimiDelta& k, const Cut& c) {
  const double heads = k.heads / c.tensor;
  const double key = heads * k.key_dim;
  const double value = heads * k.value_dim;
  DeltaRule r{heads, k.key_dim, k.value_dim, k.conv, 2 * key + value};
  r.inputs = (2 * key + value) + (key + value) + heads;
  r.small_weights = vector_weights(k, c).local;
  return r;
}

}  // namespace

Matrix in_matrix(const GatedDeltaNet& g, const Cut& c) {
  return column(Slot::mix_in, 2 * g.key_heads * g.key_dim + 2 * g.value_heads * g.value_dim,
                c.hidden, c.tensor);
}
Matrix gates_matrix(const GatedDeltaNet& g, const Cut& c) {
  Matrix x = column(Slot::mix_in2, 2 * g.value_heads, c.hidden, c.tensor);
  x.small = true;
  return x;
}
Matrix out_matrix(const GatedDeltaNet& g, const Cut& c) {
  return row(Slot::mix_out, c.hidden, g.value_heads * g.value_dim, c.tensor);
}

VectorWeights vector_weights(const GatedDeltaNet& g, const Cut& c) {
  const double channels = 2 * g.key_heads * g.key_dim + g.value_heads * g.value_dim;
  const double shared = g.conv * channels + 2 * g.value_heads;  // conv, A_log, dt_bias
  return {shared + g.value_dim, shared / c.tensor + g.value_dim};
}

Cache cache_of(const GatedDeltaNet& g, const Cut& c, const Deployment& d) {
  return {.state_bytes = state_of(rule_of(g, c), d).bytes()};
}

void lower(const GatedDeltaNet& g, Lowering& l) {
  l.gemm("in_qkvz", in_matrix(g, l.cut));
  l.gemm("in_ba", gates_matrix(g, l.cut));
  lower_rule(rule_of(g, l.cut), l);
  l.all_reduce(l.gemm("out_proj", out_matrix(g, l.cut)));
}

Matrix in_matrix(const KimiDelta& k, const Cut& c) {
  return column(Slot::mix_in, k.heads * (2 * k.key_dim + k.value_dim), c.hidden, c.tensor);
}
Matrix gate_down_matrix(const KimiDelta& k, const Cut& c) {
  return replicated(Slot::mix_in2, 2 * k.value_dim, c.hidden);
}
Matrix gate_up_matrix(const KimiDelta& k, const Cut& c) {
  return column(Slot::mix_in3, k.heads * (k.key_dim + k.value_dim), k.value_dim, c.tensor);
}
Matrix beta_matrix(const KimiDelta& k, const Cut& c) {
  Matrix x = column(Slot::mix_in4, k.heads, c.hidden, c.tensor);
  x.small = true;
  return x;
}
Matrix out_matrix(const KimiDelta& k, const Cut& c) {
  return row(Slot::mix_out, c.hidden, k.heads * k.value_dim, c.tensor);
}

VectorWeights vector_weights(const KimiDelta& k, const Cut& c) {
  const double channels = k.heads * (2 * k.key_dim + k.value_dim);
  const double shared = k.conv * channels + k.heads * k.key_dim + k.heads;  // conv, dt_bias, A_log
  return {shared + k.value_dim, shared / c.tensor + k.value_dim};
}

Cache cache_of(const KimiDelta& k, const Cut& c, const Deployment& d) {
  return {.state_bytes = state_of(rule_of(k, c), d).bytes()};
}

void lower(const KimiDelta& k, Lowering& l) {
  l.gemm("in_qkv", in_matrix(k, l.cut));
  l.gemm("fg_a", gate_down_matrix(k, l.cut));
  Operator& up = l.gemm("fg_b", gate_up_matrix(k, l.cut));
  up.read_bytes *= 2;  // two inputs of value_dim: the decay's and the output gate's
  l.gemm("b_proj", beta_matrix(k, l.cut));
  lower_rule(rule_of(k, l.cut), l);
  l.all_reduce(l.gemm("o_proj", out_matrix(k, l.cut)));
}

}  // namespace rooflens
