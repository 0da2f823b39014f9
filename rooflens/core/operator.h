// One operator of a forward pass, per rank, and the totals of a step.
#pragma once

#include <cstdint>

#include "rooflens/core/storage.h"

namespace rooflens {

// What an operator is to the reader of a chart.
enum class OperatorGroup : std::uint8_t {
  fc,         // projections and dense feed-forward: weights shared by the batch
  experts,    // routed experts
  attention,  // scores and values over each sequence's own cache
  state,      // recurrent mixers' state
  head,       // LM head
  embedding,
  other,      // norms, RoPE, activation, sampling: vector work
};
inline constexpr int kOperatorGroups = 7;
[[nodiscard]] const char* name_of(OperatorGroup g);

enum class Collective : std::uint8_t { none, all_reduce, all_gather, reduce_scatter, all_to_all, p2p };

// FLOPs and bytes are of one layer and one rank; `count` layers are alike.
struct Operator {
  const char* name = "";            // static
  double count = 1;
  double flops = 0;                 // matrix work, charged to the peak of `compute`
  double vector_flops = 0;          // everything else, charged to the vector peak
  double weight_bytes = 0;
  double read_bytes = 0, write_bytes = 0;  // activations
  double kv_read_bytes = 0, kv_write_bytes = 0;
  double state_bytes = 0;           // recurrent state, read + written
  double score_bytes = 0;           // naive attention scores, expanded latent K/V
  double payload_bytes = 0;         // what the collective after it combines
  double experts = 0, active = 0;   // of an all_to_all: how its copies spread, 0 = evenly
  std::uint16_t layer = 0;          // index into Model::layers; meaningless for embed, head
  OperatorGroup group = OperatorGroup::other;
  Compute compute = Compute::bf16;
  bool matrix = false;              // flops are charged to `compute`
  Collective collective = Collective::none;

  [[nodiscard]] double ideal_bytes() const {
    return weight_bytes + kv_read_bytes + kv_write_bytes + state_bytes;
  }
  [[nodiscard]] double bytes() const {
    return ideal_bytes() + read_bytes + write_bytes + score_bytes;
  }
};

}  // namespace rooflens
