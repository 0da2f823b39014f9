#include "rooflens/core/lightning_attention.h"

namespace rooflens {
namespace {

double width(const LightningAttention& a) { return a.heads * a.head_dim; }

State state_of(const LightningAttention& a, const Cut& c, const Deployment& d) {
  return {width(a) * a.head_dim * d.state_bytes / c.tensor, 0};
}

}  // namespace

Matrix in_matrix(const LightningAttention& a, const Cut& c) {
  return column(Slot::mix_in, 3 * width(a), c.hidden, c.tensor);
}
Matrix gate_matrix(const LightningAttention& a, const Cut& c) {
  return column(Slot::mix_in2, width(a), c.hidden, c.tensor);
}
Matrix out_matrix(const LightningAttention& a, const Cut& c) {
  return row(Slot::mix_out, c.hidden, width(a), c.tensor);
}

VectorWeights vector_weights(const LightningAttention& a, const Cut& c) {
  return {width(a), width(a) / c.tensor};  // the norm before the gate
}

Cache cache_of(const LightningAttention& a, const Cut& c, const Deployment& d) {
  return {.state_bytes = state_of(a, c, d).bytes()};
}

void lower(const LightningAttention& a, Lowering& l) {
  const double local = width(a) / l.cut.tensor;
  const double chunk = l.deploy.ssm_chunk;
  double recurrent = 0, chunked = 0;
  for (const Group& g : l.step) {
    (is_recurrent(g) ? recurrent : chunked) += g.sequences * g.tokens;
  }
  l.gemm("qkv_proj", in_matrix(a, l.cut));
  l.gemm("gate_proj", gate_matrix(a, l.cut));
  Operator& op = l.add("lightning", OperatorGroup::state);
  op.matrix = true;
  op.compute = l.promoted(l.deploy.activation);
  op.flops = chunked * local * (4 * a.head_dim + 4 * chunk);
  op.vector_flops = recurrent * 4 * local * a.head_dim + l.tokens * (4 * 3 + 9) * local;
  op.weight_bytes = vector_weights(a, l.cut).local * l.small;
  op.read_bytes = l.tokens * 4 * local * l.act;
  op.write_bytes = l.tokens * local * l.act;
  op.state_bytes = state_traffic(state_of(a, l.cut, l.deploy), l.step);
  l.all_reduce(l.gemm("out_proj", out_matrix(a, l.cut)));
}

}  // namespace rooflens
