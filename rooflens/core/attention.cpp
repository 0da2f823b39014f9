#include "rooflens/core/attention.h"

namespace rooflens {

Matrix qkv_matrix(const Attention& a, const Cut& c) {
  const double query = a.query_heads * a.key_dim * (a.gated ? 2 : 1);
  const double per_kv = a.shares_kv ? 0 : a.key_dim + (a.value_is_key ? 0 : a.value_dim);
  Matrix x{Slot::mix_in, query + a.kv_heads * per_kv, c.hidden};
  x.local_n = query / c.tensor + local_kv_heads(a.kv_heads, c.tensor) * per_kv;
  x.local_k = c.hidden;
  x.bias = a.qkv_bias;
  return x;
}

Matrix out_matrix(const Attention& a, const Cut& c) {
  Matrix x = row(Slot::mix_out, c.hidden, a.query_heads * a.value_dim, c.tensor);
  x.bias = a.out_bias;
  return x;
}

VectorWeights vector_weights(const Attention& a, const Cut& c) {
  VectorWeights v{a.sink_params, a.sink_params / c.tensor};
  if (a.cross) {  // one scalar gate on what is mixed in, one on the feed-forward
    v.whole += 2;
    v.local += 2;
  }
  const double key_heads = a.shares_kv ? 0 : a.kv_heads;
  if (a.qk_norm == QkNorm::head) {
    const double n = a.key_dim * (a.shares_kv ? 1 : 2);
    v.whole += n;
    v.local += n;
  } else if (a.qk_norm == QkNorm::full) {
    v.whole += (a.query_heads + key_heads) * a.key_dim;
    v.local +=
        (a.query_heads / c.tensor + (a.shares_kv ? 0 : local_kv_heads(a.kv_heads, c.tensor))) *
        a.key_dim;
  }
  return v;
}

// llama.cpp rounds window + micro-batch up to whole pads: llama_kv_cache_iswa, n_ubatch's default.
constexpr double kMicroBatch = 512, kCellPad = 256;

Cache cache_of(const Attention& a, const Cut& c, const Deployment& d) {
  if (a.shares_kv || a.cross) return {};
  const double heads = local_kv_heads(a.kv_heads, c.tensor);
  Cache cache;
  cache.bytes_per_token =
      heads * (vector_bytes(d.key_cache, a.key_dim) + vector_bytes(d.value_cache, a.value_dim));
  cache.cap_tokens = a.window > 0 ? a.window + a.sink_tokens : a.chunk;
  if (a.window > 0 && d.window_cells == WindowCells::padded) {
    cache.cap_tokens = std::ceil((a.window + kMicroBatch) / kCellPad) * kCellPad;
  }
  if (d.window_cells == WindowCells::full) cache.cap_tokens = 0;
  return cache;
}

Reach reach_of(const Attention& a, const Group& g) {
  if (a.window > 0) return reach_window(g.tokens, g.cached, a.window, a.sink_tokens);
  if (a.chunk > 0) return reach_chunk(g.tokens, g.cached, a.chunk);
  return reach_full(g.tokens, g.cached);
}

namespace {

// Without an image there are no keys to attend to: what is left are the query and output
// projections and the norm of the queries.
void lower_cross(const Attention& a, Lowering& l) {
  const double query = a.query_heads * a.key_dim / l.cut.tensor;
  Matrix q = qkv_matrix(a, l.cut);
  q.local_n = query;
  l.gemm("q_proj", q);
  Operator& core = l.add("cross_attn", OperatorGroup::attention);
  core.vector_flops = l.tokens * query * (a.qk_norm != QkNorm::none ? 4 : 0);
  core.weight_bytes = vector_weights(a, l.cut).local * l.small;
  core.read_bytes = l.tokens * query * l.act;
  core.write_bytes = l.tokens * a.query_heads * a.value_dim / l.cut.tensor * l.act;
  l.all_reduce(l.gemm("o_proj", out_matrix(a, l.cut)));
}

}  // namespace

void lower(const Attention& a, Lowering& l) {
  if (a.cross) {
    lower_cross(a, l);
    return;
  }
  const double heads = a.query_heads / l.cut.tensor;
  const double kv_heads = local_kv_heads(a.kv_heads, l.cut.tensor);
  const double new_kv_heads = a.shares_kv ? 0 : kv_heads;
  const double token_bytes = kv_heads * (vector_bytes(l.deploy.key_cache, a.key_dim) +
                                         vector_bytes(l.deploy.value_cache, a.value_dim));
  const double t = l.tokens;

  l.gemm("qkv_proj", qkv_matrix(a, l.cut));

  const double rotated = (heads + new_kv_heads) * a.key_dim;
  Operator& rope = l.add("rope_kvwrite", OperatorGroup::other);
  rope.vector_flops = t * rotated * (3 * a.rope_fraction + (a.qk_norm != QkNorm::none ? 4 : 0));
  rope.read_bytes = t * (rotated + new_kv_heads * (a.value_is_key ? 0 : a.value_dim)) * l.act;
  rope.write_bytes = t * heads * a.key_dim * l.act;
  rope.kv_write_bytes = a.shares_kv ? 0 : t * token_bytes;

  double pairs = 0, span = 0, square = 0;
  for (const Group& g : l.step) {
    const Reach r = l.deploy.window_cells == WindowCells::full ? reach_full(g.tokens, g.cached)
                                                               : reach_of(a, g);
    pairs += g.sequences * r.pairs;
    span += g.sequences * r.span;
    square += g.sequences * g.tokens * (g.cached + g.tokens);
  }
  const bool naive = l.deploy.attention_io == AttentionIo::naive;
  if (naive || l.deploy.causal == CausalMode::full) pairs = square;

  Operator& core = l.add("attn", OperatorGroup::attention);
  core.matrix = true;
  core.compute = l.promoted(l.deploy.attention);
  core.flops = 2 * pairs * heads * (a.key_dim + a.value_dim);
  core.vector_flops = 5 * pairs * heads;
  core.weight_bytes = vector_weights(a, l.cut).local * l.small;
  core.read_bytes = t * heads * a.key_dim * l.act;
  core.write_bytes = t * heads * a.value_dim * l.act;
  core.kv_read_bytes = span * token_bytes;
  if (a.gated) {
    core.vector_flops += 5 * t * heads * a.value_dim;
    core.read_bytes *= 2;
  }
  if (naive) core.score_bytes = 4 * square * heads * l.act;

  l.all_reduce(l.gemm("o_proj", out_matrix(a, l.cut)));
}

}  // namespace rooflens
