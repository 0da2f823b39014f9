// The cache as engines allocate it: whole pages, cells in multiples, pages of two kinds made equal.
// docs/model.md section 9.1.
#pragma once

#include "rooflens/core/parameters.h"

namespace rooflens {

// Tokens that a pool of so many bytes holds in whole pages of `page` tokens.
[[nodiscard]] double pool_tokens(double pool_bytes, double bytes_per_token, double page);

// Cells of a window's cache: what all sequences look back at and one step adds, at most the
// context, in multiples of `pad`. `sequences` is 1 unless they share the cells.
[[nodiscard]] double window_cells(double context, double window, double sequences, double step,
                                  double pad);

// A page of the layer that needs most: the state of one sequence where layers are recurrent, and
// one token where they attend, both on one rank; 0 = the model has no such layers.
struct LayerPages {
  double state_bytes = 0, token_bytes = 0;
};
[[nodiscard]] LayerPages layer_pages(const Model& m, const Deployment& d);

// Tokens of an attention page that is no smaller than a state: the fewest, in multiples of `align`.
[[nodiscard]] double hybrid_block(const LayerPages& pages, double align);

// The page in tokens when the deployment makes pages hold a state as well and the model has both
// kinds of layers, in multiples of 16; 0 = pages are page_tokens.
[[nodiscard]] double hybrid_page(const Model& m, const Deployment& d);

// What such a page is larger than the state, as a fraction of the state.
[[nodiscard]] double hybrid_padding(const LayerPages& pages, double block);

}  // namespace rooflens
