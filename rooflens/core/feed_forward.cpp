#include "rooflens/core/feed_forward.h"

#include "rooflens/core/experts.h"

namespace rooflens {
namespace {

// act(gate)*up over t tokens of one width.
void activation(const char* name, Lowering& l, double t, double width, double matrices,
                OperatorGroup group) {
  Operator& op = l.add(name, group);
  op.vector_flops = 5 * t * width;
  op.read_bytes = t * (matrices - 1) * width * l.act;
  op.write_bytes = t * width * l.act;
}

double expert_width(const MixtureOfExperts& m, const Cut& c) {
  return m.latent > 0 ? m.latent : c.hidden;
}

void as_experts(Matrix& x, const MixtureOfExperts& m, const Cut& c) {
  x.copies = m.experts;
  x.local_copies = m.experts / c.expert;
  x.expert = true;
  x.bias = m.bias;
}

}  // namespace

// ---- dense --------------------------------------------------------------------------------------

Matrix up_matrix(const Dense& f, const Cut& c) {
  Matrix x = column(Slot::up, (f.matrices - 1) * f.width, c.hidden, c.tensor);
  x.bias = f.bias;
  return x;
}
Matrix down_matrix(const Dense& f, const Cut& c) {
  Matrix x = row(Slot::down, c.hidden, f.width, c.tensor);
  x.bias = f.bias;
  return x;
}

VectorWeights vector_weights(const Dense&, const Cut&) { return {}; }

void lower(const Dense& f, Lowering& l) {
  l.gemm("gate_up", up_matrix(f, l.cut));
  activation("act_mul", l, l.tokens, f.width / l.cut.tensor, f.matrices, OperatorGroup::other);
  l.all_reduce(l.gemm("down", down_matrix(f, l.cut)));
}

// ---- mixture of experts -------------------------------------------------------------------------

Matrix router_matrix(const MixtureOfExperts& m, const Cut& c) {
  Matrix x = replicated(Slot::router, m.experts + (m.shared_gate ? 1 : 0), c.hidden);
  x.small = true;
  return x;
}
Matrix experts_up_matrix(const MixtureOfExperts& m, const Cut& c) {
  Matrix x =
      column(Slot::experts_up, (m.matrices - 1) * m.width, expert_width(m, c), c.expert_tensor);
  as_experts(x, m, c);
  return x;
}
Matrix experts_down_matrix(const MixtureOfExperts& m, const Cut& c) {
  Matrix x = row(Slot::experts_down, expert_width(m, c), m.width, c.expert_tensor);
  as_experts(x, m, c);
  return x;
}
Matrix shared_up_matrix(const MixtureOfExperts& m, const Cut& c) {
  return column(Slot::shared_up, (m.matrices - 1) * m.shared_width, c.hidden, c.tensor);
}
Matrix shared_down_matrix(const MixtureOfExperts& m, const Cut& c) {
  return row(Slot::shared_down, c.hidden, m.shared_width, c.tensor);
}
Matrix latent_in_matrix(const MixtureOfExperts& m, const Cut& c) {
  return replicated(Slot::latent_in, m.latent, c.hidden);
}
Matrix latent_out_matrix(const MixtureOfExperts& m, const Cut& c) {
  return replicated(Slot::latent_out, c.hidden, m.latent);
}

VectorWeights vector_weights(const MixtureOfExperts& m, const Cut&) {
  const double n = m.router_bias ? m.experts : 0;
  return {n, n};
}

void lower(const MixtureOfExperts& m, Lowering& l) {
  const double t = l.tokens;
  const double ranks = l.cut.expert;
  const double width = expert_width(m, l.cut);
  // Tokens that choose among these experts: every data-parallel replica's when the experts are
  // spread over all of them.
  const double pooled = ranks > 1 ? t * l.deploy.data : t;
  const double chosen = pooled * m.active / ranks * (ranks > 1 ? l.deploy.imbalance : 1);
  const double distinct =
      distinct_experts(m.experts, m.active, pooled, l.deploy.zipf) / ranks;  // on this rank

  Operator& router = l.gemm("router", router_matrix(m, l.cut));
  router.vector_flops = 5 * t * m.experts + (m.router_bias ? t * m.experts : 0);
  router.weight_bytes += vector_weights(m, l.cut).local * l.small;

  if (m.latent > 0) l.gemm("latent_in", latent_in_matrix(m, l.cut));

  const auto expert_gemm = [&](const char* name, const Matrix& x) -> Operator& {
    const double one = local_bytes(x, *l.layer, l.small) / x.local_copies;
    Operator& op = l.gemm(name, OperatorGroup::experts, x, l.layer->weight(x.slot).storage,
                          distinct * one, chosen);
    if (x.bias) op.vector_flops = chosen * x.local_n;
    return op;
  };
  Operator& up = expert_gemm("experts_up", experts_up_matrix(m, l.cut));
  activation("experts_act", l, chosen, m.width / l.cut.expert_tensor, m.matrices,
             OperatorGroup::other);
  expert_gemm("experts_down", experts_down_matrix(m, l.cut));

  Operator& combine = l.add("combine", OperatorGroup::other);
  combine.vector_flops = 2 * chosen * width;
  combine.read_bytes = chosen * width * l.act;
  combine.write_bytes = t * width * l.act;

  if (ranks > 1 && l.deploy.data > 1) {
    // Dispatch in the GEMM's input type, combine in activations, once to every rank that holds one
    // of the token's experts. Tensor ranks hold the same tokens: each sends its share of them.
    const double copies = expert_holders(m.experts, m.active, ranks) * l.deploy.imbalance;
    const bool quantised = !is_plain(l.layer->weight(Slot::experts_up).storage);
    up.collective = Collective::all_to_all;
    const double sent = t / l.deploy.tensor * copies * width;
    up.payload_bytes = sent * (quantised ? l.gemm_in : l.act);
    combine.collective = Collective::all_to_all;
    combine.payload_bytes = sent * l.act;
    for (Operator* op : {&up, &combine}) {
      op->experts = m.experts;
      op->active = m.active;
    }
  }
  if (m.latent > 0) l.gemm("latent_out", latent_out_matrix(m, l.cut));
  Operator* last = nullptr;
  if (m.shared_width > 0) {
    l.gemm("shared_up", shared_up_matrix(m, l.cut));
    activation("shared_act", l, t, m.shared_width / l.cut.tensor, m.matrices, OperatorGroup::other);
    last = &l.gemm("shared_down", shared_down_matrix(m, l.cut));
  }
  // The tensor ranks add routed and shared outputs together, once; what was dispatched by shares is
  // gathered.
  if (combine.collective == Collective::none) {
    l.all_reduce(combine);
  } else if (last != nullptr) {
    l.all_reduce(*last);
  } else if (l.deploy.tensor > 1) {
    Operator& gather = l.add("gather", OperatorGroup::other);
    gather.collective = Collective::all_gather;
    gather.payload_bytes = t * width * l.act;
  }
}

}  // namespace rooflens
