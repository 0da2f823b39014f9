#include "rooflens/core/kv_pool.h"

#include <algorithm>
#include <cmath>

#include "rooflens/core/layer_visit.h"

namespace rooflens {

double pool_tokens(double pool_bytes, double bytes_per_token, double page) {
  if (!(bytes_per_token > 0) || !(page > 0)) return 0;
  return std::floor(pool_bytes / (bytes_per_token * page)) * page;
}

double window_cells(double context, double window, double sequences, double step, double pad) {
  return std::ceil(std::min(context, window * sequences + step) / pad) * pad;
}

LayerPages layer_pages(const Model& m, const Deployment& d) {
  LayerPages pages;
  const Cut c = cut_of(m, d);
  for (const Layer& layer : m.layers) {
    const Cache cache = cache_of(layer, c, d);
    pages.state_bytes = std::max(pages.state_bytes, cache.state_bytes);
    pages.token_bytes = std::max(pages.token_bytes, cache.bytes_per_token);
  }
  return pages;
}

double hybrid_block(const LayerPages& pages, double align) {
  if (!(pages.token_bytes > 0) || !(align > 0)) return 0;
  return std::ceil(pages.state_bytes / (pages.token_bytes * align)) * align;
}

double hybrid_page(const Model& m, const Deployment& d) {
  constexpr double kAlign = 16;  // vLLM's attention kernels
  if (!d.hybrid_pages) return 0;
  const LayerPages pages = layer_pages(m, d);
  return pages.state_bytes > 0 ? hybrid_block(pages, kAlign) : 0;
}

double hybrid_padding(const LayerPages& pages, double block) {
  return pages.state_bytes > 0 ? block * pages.token_bytes / pages.state_bytes - 1 : 0;
}

}  // namespace rooflens
