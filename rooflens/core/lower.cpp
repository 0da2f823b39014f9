#include "rooflens/core/attention.h"
#include "rooflens/core/delta_net.h"
#include "rooflens/core/feed_forward.h"
#include "rooflens/core/latent_attention.h"
#include "rooflens/core/lightning_attention.h"
#include "rooflens/core/lowering.h"
#include "rooflens/core/mamba.h"

namespace rooflens {
namespace {

void norms(Lowering& l, double how_many, const char* first, const char* second) {
  const double d = l.model.hidden;
  for (int i = 0; i < how_many; ++i) {
    Operator& op = l.add(i == 0 ? first : second, OperatorGroup::other);
    op.vector_flops = 5 * l.tokens * d;
    op.weight_bytes = d * l.small * (l.model.norm_bias ? 2 : 1);
    op.read_bytes = 2 * l.tokens * d * l.act;
    op.write_bytes = 2 * l.tokens * d * l.act;
  }
}

void embedding(Lowering& l) {
  const Model& m = l.model;
  Operator& op = l.add("embed", OperatorGroup::embedding);
  op.weight_bytes =
      std::min(l.tokens, m.vocabulary) * vector_bytes(m.embedding.storage, m.hidden);
  if (m.position_rows > 0) {
    op.weight_bytes += std::min(l.tokens, m.position_rows) * m.hidden * l.small;
    op.vector_flops = l.tokens * m.hidden;
  }
  op.write_bytes = l.tokens * m.hidden * l.act;
  l.all_reduce(op);
}

void head(Lowering& l) {
  const Model& m = l.model;
  norms(l, m.final_norm ? 1 : 0, "final_norm", "final_norm");
  if (l.logits <= 0) return;
  const double rows = m.vocabulary / l.cut.tensor;
  const Weight& w = m.tied ? m.embedding : m.head;
  Matrix x{Slot::up, m.vocabulary, m.hidden, rows, m.hidden};
  x.bias = m.head_bias;
  double bytes = w.bytes > 0 ? w.bytes / l.cut.tensor : storage_bytes(w.storage, rows, m.hidden);
  if (x.bias) bytes += rows * l.small;
  Operator& op = l.gemm("lm_head", OperatorGroup::head, x, w.storage, bytes, l.logits);
  op.write_bytes = l.logits * rows * l.deploy.logits_bytes;
  if (l.deploy.tensor > 1) {
    op.collective = Collective::all_gather;
    op.payload_bytes = l.logits * m.vocabulary * l.deploy.logits_bytes;
  }
  Operator& sample = l.add("sample", OperatorGroup::other);
  sample.vector_flops = 5 * l.logits * rows;
  sample.read_bytes = l.logits * rows * l.deploy.logits_bytes;
}

struct LowerMixer {
  Lowering& l;
  void operator()(const NoMixer&) const {}
  template <class M>
  void operator()(const M& mixer) const {
    norms(l, l.layer->mixer_norms, "norm1", "norm1b");
    lower(mixer, l);
  }
};

struct LowerFfn {
  Lowering& l;
  void operator()(const NoFeedForward&) const {}
  template <class F>
  void operator()(const F& ffn) const {
    norms(l, l.layer->ffn_norms, "norm2", "norm2b");
    lower(ffn, l);
  }
};

}  // namespace

// The longest layer: two norms twice, a latent mixer with index (10), experts with latent
// projections and a shared expert (10).
std::size_t operator_capacity(const Model& m) { return m.layers.size() * 24 + 5; }

std::size_t lower(const Model& m, const Deployment& d, const Ceilings& c,
                  std::span<const Group> step, std::span<Operator> out) {
  Lowering l{m, d, c, step, out, cut_of(m, d)};
  l.act = bytes_of(d.activation);
  l.gemm_in = bytes_of(d.gemm_input);
  l.small = small_bytes(m);
  for (const Group& g : step) {
    l.tokens += g.sequences * g.tokens;
    l.logits += g.sequences * g.logits;
  }
  embedding(l);
  for (std::size_t i = 0; i < m.layers.size(); ++i) {
    l.layer = &m.layers[i];
    l.layer_index = static_cast<std::uint16_t>(i);
    std::visit(LowerMixer{l}, l.layer->mixer);
    std::visit(LowerFfn{l}, l.layer->ffn);
  }
  l.layer = nullptr;
  l.layer_index = 0;
  if (d.pipeline > 1) {  // hidden state and residual, to the next stage
    Operator& op = l.add("pipeline_send", OperatorGroup::other);
    op.count = d.pipeline - 1;
    op.collective = Collective::p2p;
    op.payload_bytes = 2 * l.tokens * m.hidden * l.act;
  }
  head(l);  // last: the steps of a chunked prefill differ only in it
  return l.count;
}

}  // namespace rooflens
