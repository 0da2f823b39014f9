#include "core/closed_formulas.h"

namespace rooflens {

double gemm_intensity(double tokens, double n, double k, double weight_bytes, double in_bytes,
                      double out_bytes) {
  return 2 * tokens / (weight_bytes + in_bytes * tokens / n + out_bytes * tokens / k);
}

std::optional<double> gemm_crossing(double ridge, double n, double k, double weight_bytes,
                                    double in_bytes, double out_bytes) {
  const double left = 2 - ridge * (in_bytes / n + out_bytes / k);
  if (left <= 0) return std::nullopt;
  return ridge * weight_bytes / left;
}

double moe_crossing(double experts, double active, double ridge, double weight_bytes) {
  return experts / active * textbook_crossing(ridge, weight_bytes);
}

double attention_intensity(double query_heads, double kv_vectors, double key_dim, double value_dim,
                           double cached_values, double cache_bytes) {
  return 2 * query_heads * (key_dim + value_dim) / (kv_vectors * cached_values * cache_bytes);
}

double latent_crossover(double kv_rank, double nope_dim, double value_dim) {
  return kv_rank * (nope_dim + value_dim) / (2 * kv_rank - nope_dim - value_dim);
}

LinearCost linear_attention(Linear kind, double heads, double key_dim, double value_dim,
                            double state_bytes) {
  double per_element = 0;
  switch (kind) {
    case Linear::retnet:
    case Linear::gla:
      per_element = 5;
      break;
    case Linear::rwkv6:
      per_element = 6;
      break;
    case Linear::rwkv7:
      per_element = 9;
      break;
    case Linear::lightning:
      per_element = 4;
      break;
  }
  const double elements = heads * key_dim * value_dim;
  LinearCost c;
  c.flops_per_token = per_element * elements;
  c.state_bytes = elements * state_bytes;
  c.decode_intensity = c.flops_per_token / (2 * c.state_bytes);  // read and written
  return c;
}

SharedPrefix shared_prefix(double requests, double width, double prompt, double generated,
                           bool cascade) {
  const double stored = requests * (prompt + width * generated);
  return {stored, cascade ? stored : requests * width * (prompt + generated)};
}

}  // namespace rooflens
