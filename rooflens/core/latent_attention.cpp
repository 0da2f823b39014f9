#include "rooflens/core/latent_attention.h"

namespace rooflens {

Matrix down_matrix(const LatentAttention& a, const Cut& c) {
  if (a.query_rank > 0) {
    return replicated(Slot::mix_in, a.query_rank + a.kv_rank + a.rope_dim, c.hidden);
  }
  return column(Slot::mix_in, a.heads * (a.nope_dim + a.rope_dim), c.hidden, c.tensor);
}
Matrix kv_down_matrix(const LatentAttention& a, const Cut& c) {
  return replicated(Slot::mix_in2, a.kv_rank + a.rope_dim, c.hidden);
}
Matrix query_up_matrix(const LatentAttention& a, const Cut& c) {
  return column(Slot::mix_in3, a.heads * (a.nope_dim + a.rope_dim), a.query_rank, c.tensor);
}
Matrix kv_up_matrix(const LatentAttention& a, const Cut& c) {
  return column(Slot::mix_in4, a.heads * (a.nope_dim + a.value_dim), a.kv_rank, c.tensor);
}
Matrix out_matrix(const LatentAttention& a, const Cut& c) {
  return row(Slot::mix_out, c.hidden, a.heads * a.value_dim, c.tensor);
}
Matrix index_query_matrix(const LatentAttention& a, const Cut& c) {
  const double inputs = a.query_rank > 0 ? a.query_rank : c.hidden;
  return replicated(Slot::index_q, a.index.heads * a.index.dim, inputs);
}
Matrix index_key_matrix(const LatentAttention& a, const Cut& c) {
  return replicated(Slot::index_k, a.index.dim, c.hidden);
}
Matrix index_weight_matrix(const LatentAttention& a, const Cut& c) {
  Matrix x = replicated(Slot::index_w, a.index.heads, c.hidden);
  x.small = true;
  return x;
}

VectorWeights vector_weights(const LatentAttention& a, const Cut&) {
  // norms over the latents; the index key's norm has a bias
  const double n = a.query_rank + a.kv_rank + (owns_index(a) ? 2 * a.index.dim : 0);
  return {n, n};
}

namespace {

// Cached bytes of a token on one rank.
double token_bytes_of(const LatentAttention& a, const Cut& c, const Deployment& d) {
  const double latent = vector_bytes(d.key_cache, a.kv_rank + a.rope_dim);
  switch (d.latent_cache) {
    case LatentCache::sharded:
      return latent / c.tensor;
    case LatentCache::expanded:
      return a.heads / c.tensor *
             (vector_bytes(d.key_cache, a.nope_dim + a.rope_dim) +
              vector_bytes(d.value_cache, a.value_dim));
    case LatentCache::replicated:
      break;
  }
  return latent;
}

// One byte a value and a fp32 scale a key.
double index_bytes(const LatentAttention& a) { return owns_index(a) ? a.index.dim + 4 : 0; }

double expanded_flops(const LatentAttention& a, const Group& g) {
  return 2 * (g.cached + g.tokens) * a.kv_rank * (a.nope_dim + a.value_dim) +
         2 * reach_full(g.tokens, g.cached).pairs * (a.nope_dim + a.rope_dim + a.value_dim);
}

double absorbed_flops(const LatentAttention& a, const Group& g) {
  return 2 * g.tokens * a.kv_rank * (a.nope_dim + a.value_dim) +
         2 * reach_full(g.tokens, g.cached).pairs * (2 * a.kv_rank + a.rope_dim);
}

void lower_index(const LatentAttention& a, Lowering& l) {
  const double t = l.tokens;
  double pairs = 0, span = 0;
  for (const Group& g : l.step) {
    const Reach r = reach_full(g.tokens, g.cached);
    pairs += g.sequences * r.pairs;
    span += g.sequences * r.span;
  }
  l.gemm("idx_proj", index_query_matrix(a, l.cut));
  l.gemm("idx_k_proj", index_key_matrix(a, l.cut));
  l.gemm("idx_w_proj", index_weight_matrix(a, l.cut));
  Operator& op = l.add("indexer", OperatorGroup::attention);
  op.matrix = true;
  op.compute = l.promoted(Element::fp8);
  op.flops = 2 * pairs * a.index.heads * a.index.dim;
  op.vector_flops = 3 * pairs * a.index.heads;
  op.read_bytes = t * a.index.heads * a.index.dim;
  op.write_bytes = 4 * t * a.index.top_k;
  op.kv_read_bytes = span * index_bytes(a);
}

}  // namespace

Cache cache_of(const LatentAttention& a, const Cut& c, const Deployment& d) {
  Cache cache;
  cache.bytes_per_token = token_bytes_of(a, c, d) + index_bytes(a);
  return cache;
}

bool absorbs(const LatentAttention& a, const Group& g, LatentMode mode) {
  if (a.index.top_k > 0 || mode == LatentMode::absorb) return true;
  if (mode == LatentMode::expand) return false;
  return absorbed_flops(a, g) <= expanded_flops(a, g);
}

void lower(const LatentAttention& a, Lowering& l) {
  const double heads = a.heads / l.cut.tensor;
  const double t = l.tokens;
  const double token_bytes = token_bytes_of(a, l.cut, l.deploy);
  const bool cached_expanded = l.deploy.latent_cache == LatentCache::expanded;
  const double query_dim = a.nope_dim + a.rope_dim;

  if (a.query_rank > 0) {
    l.gemm("qkv_a_proj", down_matrix(a, l.cut));
    l.gemm("q_b_proj", query_up_matrix(a, l.cut));
  } else {
    l.gemm("q_proj", down_matrix(a, l.cut));
    l.gemm("kv_a_proj", kv_down_matrix(a, l.cut));
  }

  Operator& rope = l.add("rope_kvwrite", OperatorGroup::other);
  rope.vector_flops = t * (3 * (heads + 1) * a.rope_dim + 4 * (a.query_rank + a.kv_rank));
  rope.read_bytes = t * (heads * a.rope_dim + a.kv_rank + a.rope_dim) * l.act;
  rope.write_bytes = t * heads * a.rope_dim * l.act;
  rope.kv_write_bytes = t * (token_bytes + index_bytes(a));

  if (owns_index(a)) lower_index(a, l);

  const Matrix up = kv_up_matrix(a, l.cut);
  const double up_flops = 2 * up.local_n * up.local_k;  // per token
  double up_tokens = 0, absorbed_tokens = 0, expanded_tokens = 0;
  double flops = 0, vector_flops = 0, reads = 0, writes = 0, kv_read = 0, expanded = 0, scores = 0;
  for (const Group& g : l.step) {
    const double n = g.sequences;
    const Reach r = a.index.top_k > 0 ? reach_top_k(g.tokens, g.cached, a.index.top_k)
                                      : reach_full(g.tokens, g.cached);
    const double past = g.cached + g.tokens;
    double pairs = r.pairs;
    const bool naive = l.deploy.attention_io == AttentionIo::naive && a.index.top_k == 0;
    if (naive || l.deploy.causal == CausalMode::full) pairs = g.tokens * past;
    if (naive) scores += n * 4 * g.tokens * past * heads;
    vector_flops += n * 5 * pairs * heads;
    kv_read += n * r.span * token_bytes;
    if (cached_expanded) {  // as any attention: keys and values of old tokens are there
      up_tokens += n * g.tokens;
      expanded_tokens += n * g.tokens;
      flops += n * 2 * pairs * heads * (query_dim + a.value_dim);
      reads += n * g.tokens * heads * query_dim;
      writes += n * g.tokens * heads * a.value_dim;
    } else if (absorbs(a, g, l.deploy.latent)) {
      up_tokens += n * g.tokens;
      absorbed_tokens += n * g.tokens;
      flops += n * 2 * pairs * heads * (2 * a.kv_rank + a.rope_dim);
      reads += n * g.tokens * heads * (a.kv_rank + a.rope_dim);
      writes += n * g.tokens * heads * a.kv_rank;
    } else {
      up_tokens += n * past;
      flops += n * 2 * pairs * heads * (query_dim + a.value_dim);
      reads += n * g.tokens * heads * query_dim;
      writes += n * g.tokens * heads * a.value_dim;
      expanded += n * 2 * past * heads * (query_dim + a.value_dim);  // written, then read
    }
  }

  Operator& kv_b = l.gemm("kv_b", up);
  kv_b.flops = up_flops * up_tokens;
  // Expanded: a token's latent in, its keys and values out, straight to the cache.
  kv_b.read_bytes = absorbed_tokens * heads * (a.nope_dim + a.kv_rank) * l.act +
                    expanded_tokens * a.kv_rank * l.act;
  kv_b.write_bytes = absorbed_tokens * heads * (a.kv_rank + a.value_dim) * l.act;

  Operator& core = l.add("attn", OperatorGroup::attention);
  core.matrix = true;
  core.compute = l.promoted(l.deploy.attention);
  core.flops = flops;
  core.vector_flops = vector_flops;
  core.weight_bytes = vector_weights(a, l.cut).local * l.small;
  core.read_bytes = reads * l.act;
  core.write_bytes = writes * l.act;
  core.kv_read_bytes = kv_read;
  core.score_bytes = (expanded + scores) * l.act;

  l.all_reduce(l.gemm("o_proj", out_matrix(a, l.cut)));
}

}  // namespace rooflens
