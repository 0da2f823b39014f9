#include "rooflens/core/capacity.h"

#include <cmath>
#include <limits>

#include "rooflens/core/kv_pool.h"

namespace rooflens {
namespace {

// Rounding of a quotient that is whole but for its last bits.
double whole_part(double x) { return std::floor(x * (1 + 1e-12)); }

double widest(const Layer& layer, double tensor) {
  if (const auto* f = std::get_if<Dense>(&layer.ffn)) {
    return (f->matrices - 1) * f->width / tensor;
  }
  if (const auto* f = std::get_if<MixtureOfExperts>(&layer.ffn)) {
    return (f->matrices - 1) * f->width * f->active / tensor;
  }
  return 0;
}

// The longest context whose sequences fit in `room` bytes each; doubling, then bisection.
double longest_context(const Model& m, const Deployment& d, double room) {
  if (sequence_bytes(m, d, 1) > room) return 0;
  constexpr double kEnd = 1099511627776.0;  // 2^40 tokens: no cache grows
  double low = 1, high = 2;
  while (high < kEnd && sequence_bytes(m, d, high) <= room) {
    low = high;
    high *= 2;
  }
  if (high >= kEnd) return std::numeric_limits<double>::infinity();
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (sequence_bytes(m, d, middle) <= room ? low : high) = middle;
  }
  return low;
}

}  // namespace

double sequence_bytes(const Model& m, const Deployment& d, double tokens) {
  if (const double block = hybrid_page(m, d); block > 0) {
    const double state_page = block * layer_pages(m, d).token_bytes;
    return kv_bytes_of_sequence(m, d, tokens, block) +
           cache_layers(m).recurrent / d.pipeline * state_page * d.state_copies;
  }
  return kv_bytes_of_sequence(m, d, tokens, d.page_tokens) +
         state_bytes_per_sequence(m, d) * d.state_copies;
}

double activation_bytes(const Model& m, const Deployment& d) {
  double widest_layer = 0;
  for (const Layer& layer : m.layers) {
    widest_layer = std::max(widest_layer, widest(layer, d.tensor));
  }
  return d.batched_tokens * element_bits(d.activation) / 8.0 * (2 * m.hidden + widest_layer);
}

Capacity capacity(const Model& m, const Deployment& d, double device_bytes, double batch,
                  double context) {
  Capacity c;
  c.capacity_bytes = device_bytes;
  c.usable_bytes = device_bytes * d.utilisation;
  c.weight_bytes = weight_bytes(m, d);
  c.activation_bytes = activation_bytes(m, d);
  c.overhead_bytes = d.overhead_bytes;
  c.free_bytes = c.usable_bytes - c.weight_bytes - c.activation_bytes - c.overhead_bytes;
  c.kv_bytes_per_token = kv_bytes_per_token(m, d);
  c.state_bytes_per_sequence = state_bytes_per_sequence(m, d);
  c.bytes_per_sequence = sequence_bytes(m, d, context);
  const double per_replica = std::ceil(batch / d.data);
  if (device_bytes <= 0) {  // not known: nothing can be said against it
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    c.capacity_bytes = c.usable_bytes = c.free_bytes = c.max_batch = c.max_context = kUnknown;
    c.fits = true;
    return c;
  }
  if (c.free_bytes >= 0) {
    c.max_batch = c.bytes_per_sequence > 0
                      ? whole_part(c.free_bytes / c.bytes_per_sequence) * d.data
                      : std::numeric_limits<double>::infinity();
    c.max_context = longest_context(m, d, c.free_bytes / per_replica);
  }
  c.fits = c.free_bytes >= 0 && c.max_batch >= batch;
  return c;
}

}  // namespace rooflens
