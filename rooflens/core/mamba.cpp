#include "rooflens/core/mamba.h"

namespace rooflens {
namespace {

State state_of(const Mamba2& s, const Cut& c, const Deployment& d) {
  const double channels = s.inner + 2 * s.groups * s.state;
  return {s.inner * s.state * d.state_bytes / c.tensor,
          (s.conv - 1) * channels * d.conv_state_bytes / c.tensor};
}

State state_of(const Mamba1& s, const Cut& c, const Deployment& d) {
  return {s.inner * s.state * d.state_bytes / c.tensor,
          (s.conv - 1) * s.inner * d.conv_state_bytes / c.tensor};
}

State state_of(const ShortConv& s, const Cut& c, const Deployment& d) {
  return {0, (s.conv - 1) * c.hidden * d.conv_state_bytes / c.tensor};
}

}  // namespace

// ---- Mamba-2 ------------------------------------------------------------------------------------

Matrix in_matrix(const Mamba2& s, const Cut& c) {
  return column(Slot::mix_in, 2 * s.inner + 2 * s.groups * s.state + s.inner / s.head_dim,
                c.hidden, c.tensor);
}
Matrix out_matrix(const Mamba2& s, const Cut& c) {
  return row(Slot::mix_out, c.hidden, s.inner, c.tensor);
}

VectorWeights vector_weights(const Mamba2& s, const Cut& c) {
  const double channels = s.inner + 2 * s.groups * s.state;
  const double heads = s.inner / s.head_dim;
  const double n = (s.conv + 1) * channels + 3 * heads +  // conv+bias, A, D, dt
                   (s.gate_norm ? s.inner : 0);
  return {n, n / c.tensor};
}

Cache cache_of(const Mamba2& s, const Cut& c, const Deployment& d) {
  return {.state_bytes = state_of(s, c, d).bytes()};
}

void lower(const Mamba2& s, Lowering& l) {
  const double tp = l.cut.tensor;
  const double inner = s.inner / tp;
  const double heads = inner / s.head_dim;
  const double groups = s.groups / tp;
  const double channels = inner + 2 * groups * s.state;
  const double chunk = l.deploy.ssm_chunk;
  double recurrent = 0, chunked = 0;
  for (const Group& g : l.step) {
    (is_recurrent(g) ? recurrent : chunked) += g.sequences * g.tokens;
  }
  l.gemm("in_proj", in_matrix(s, l.cut));
  Operator& op = l.add("ssm", OperatorGroup::state);
  op.matrix = true;
  op.compute = l.promoted(l.deploy.activation);
  op.flops = chunked * (heads * (4 * s.head_dim * s.state + 2 * chunk * s.head_dim) +
                        groups * 2 * chunk * s.state);
  op.vector_flops = recurrent * 5 * inner * s.state +
                    l.tokens * ((2 * s.conv + 5) * channels + 9 * inner);
  op.weight_bytes = vector_weights(s, l.cut).local * l.small;
  op.read_bytes = l.tokens * (2 * inner + 2 * groups * s.state + heads) * l.act;
  op.write_bytes = l.tokens * inner * l.act;
  op.state_bytes = state_traffic(state_of(s, l.cut, l.deploy), l.step);
  l.all_reduce(l.gemm("out_proj", out_matrix(s, l.cut)));
}

// ---- Mamba-1 ------------------------------------------------------------------------------------

Matrix in_matrix(const Mamba1& s, const Cut& c) {
  return column(Slot::mix_in, 2 * s.inner, c.hidden, c.tensor);
}
Matrix select_matrix(const Mamba1& s, const Cut& c) {
  return row(Slot::mix_in2, s.dt_rank + 2 * s.state, s.inner, c.tensor);
}
Matrix dt_matrix(const Mamba1& s, const Cut& c) {
  Matrix x = column(Slot::mix_in3, s.inner, s.dt_rank, c.tensor);
  x.bias = true;
  return x;
}
Matrix out_matrix(const Mamba1& s, const Cut& c) {
  return row(Slot::mix_out, c.hidden, s.inner, c.tensor);
}

VectorWeights vector_weights(const Mamba1& s, const Cut& c) {
  const double n = (s.conv + 1) * s.inner + s.inner * s.state + s.inner;  // conv+bias, A, D
  const double norms = s.inner_norms ? s.dt_rank + 2 * s.state : 0;
  return {n + norms, n / c.tensor + norms};
}

Cache cache_of(const Mamba1& s, const Cut& c, const Deployment& d) {
  return {.state_bytes = state_of(s, c, d).bytes()};
}

void lower(const Mamba1& s, Lowering& l) {
  const double inner = s.inner / l.cut.tensor;
  l.gemm("in_proj", in_matrix(s, l.cut));
  Operator& select = l.gemm("x_proj", select_matrix(s, l.cut));
  if (l.deploy.tensor > 1) {  // its inputs are cut: the ranks add the small result
    select.collective = Collective::all_reduce;
    select.payload_bytes = l.tokens * (s.dt_rank + 2 * s.state) * l.act;
  }
  l.gemm("dt_proj", dt_matrix(s, l.cut));
  Operator& op = l.add("ssm", OperatorGroup::state);
  op.vector_flops = l.tokens * inner * ((7 * s.state + 8) + (2 * s.conv + 5));
  op.weight_bytes = vector_weights(s, l.cut).local * l.small;
  op.read_bytes = l.tokens * (3 * inner + 2 * s.state) * l.act;
  op.write_bytes = l.tokens * inner * l.act;
  op.state_bytes = state_traffic(state_of(s, l.cut, l.deploy), l.step);
  l.all_reduce(l.gemm("out_proj", out_matrix(s, l.cut)));
}

// ---- short convolution --------------------------------------------------------------------------

Matrix in_matrix(const ShortConv& s, const Cut& c) {
  Matrix x = column(Slot::mix_in, 3 * c.hidden, c.hidden, c.tensor);
  x.bias = s.bias;
  return x;
}
Matrix out_matrix(const ShortConv& s, const Cut& c) {
  Matrix x = row(Slot::mix_out, c.hidden, c.hidden, c.tensor);
  x.bias = s.bias;
  return x;
}

VectorWeights vector_weights(const ShortConv& s, const Cut& c) {
  const double n = (s.conv + (s.bias ? 1 : 0)) * c.hidden;
  return {n, n / c.tensor};
}

Cache cache_of(const ShortConv& s, const Cut& c, const Deployment& d) {
  return {.state_bytes = state_of(s, c, d).bytes()};
}

void lower(const ShortConv& s, Lowering& l) {
  const double width = l.model.hidden / l.cut.tensor;
  l.gemm("in_proj", in_matrix(s, l.cut));
  Operator& op = l.add("short_conv", OperatorGroup::state);
  op.vector_flops = l.tokens * width * (2 * s.conv + (s.bias ? 1 : 0) + 2);  // and two gates
  op.weight_bytes = vector_weights(s, l.cut).local * l.small;
  op.read_bytes = l.tokens * 3 * width * l.act;
  op.write_bytes = l.tokens * width * l.act;
  op.state_bytes = state_traffic(state_of(s, l.cut, l.deploy), l.step);
  l.all_reduce(l.gemm("out_proj", out_matrix(s, l.cut)));
}

}  // namespace rooflens
