// How many experts a step touches, and how far its tokens travel. docs/model.md sections 5, 10.
#pragma once

namespace rooflens {

// Expected number of distinct experts that `tokens` independent tokens choose, `active` of
// `experts` each. skew 0: uniform, E(1-(1-k/E)^T). skew s > 0: choice probability proportional to
// rank^-s, capped at 1, O(experts). Between k and min(E, kT).
[[nodiscard]] double distinct_experts(double experts, double active, double tokens, double skew);

// Expected number of ranks that hold an expert of one token, when the experts are spread over
// `ranks` as evenly as whole experts allow (256 on 144: 112 ranks hold two, 32 hold one).
[[nodiscard]] double expert_holders(double experts, double active, double ranks);

}  // namespace rooflens
