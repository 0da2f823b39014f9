// Closed formulas that the literature gives where the program counts operator by operator: what its
// counts are held against. docs/model.md sections 3-6, 10-14.
#pragma once

#include <cstdint>
#include <optional>

#include "rooflens/core/formulas.h"

namespace rooflens {

// FLOP per byte of y[T,n] = x[T,k] W: 2T / (weight bytes per element + a_in T/n + a_out T/k).
[[nodiscard]] double gemm_intensity(double tokens, double n, double k, double weight_bytes,
                                    double in_bytes, double out_bytes);

// Tokens at which the GEMM reaches the ridge (FLOP/byte); empty = its activations alone keep it
// below for ever.
[[nodiscard]] std::optional<double> gemm_crossing(double ridge, double n, double k,
                                                  double weight_bytes, double in_bytes,
                                                  double out_bytes);

// Tokens for the routed experts to reach the ridge: (E/k) * ridge * weight bytes / 2.
[[nodiscard]] double moe_crossing(double experts, double active, double ridge, double weight_bytes);

// FLOP per cached byte of decode attention: 2 h (k+v) / cached values / bytes. For latent attention
// the cached vector (k values) is shared by all heads.
[[nodiscard]] double attention_intensity(double query_heads, double kv_vectors, double key_dim,
                                         double value_dim, double cached_values,
                                         double cache_bytes);

// Token count below which absorbing kv_b wins over a long past: c(nope+v)/(2c-nope-v).
[[nodiscard]] double latent_crossover(double kv_rank, double nope_dim, double value_dim);

// FLOPs and state of linear attention variants whose projections are not modelled.
enum class Linear : std::uint8_t { retnet, gla, rwkv6, rwkv7, lightning };
struct LinearCost {
  double flops_per_token = 0, state_bytes = 0, decode_intensity = 0;
};
[[nodiscard]] LinearCost linear_attention(Linear kind, double heads, double key_dim,
                                          double value_dim, double state_bytes);

// KV tokens stored and read per step by beams or samples of one prompt.
struct SharedPrefix {
  double stored = 0, read = 0;
};
[[nodiscard]] SharedPrefix shared_prefix(double requests, double width, double prompt,
                                         double generated, bool cascade);

}  // namespace rooflens
