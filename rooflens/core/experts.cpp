#include "rooflens/core/experts.h"

#include <algorithm>
#include <cmath>

namespace rooflens {
namespace {

double rank_weight(double rank, double skew) { return std::pow(rank, -skew); }

// 1 - C(E-held, k)/C(E, k): the chance that a token has an expert among `held`.
double chance_of(double experts, double active, double held) {
  double miss = 1;
  for (double i = 0; i < std::min(held, experts); ++i) {
    miss *= std::max(0.0, experts - active - i) / (experts - i);
  }
  return 1 - miss;
}

}  // namespace

double distinct_experts(double experts, double active, double tokens, double skew) {
  if (active >= experts) return tokens > 0 ? experts : 0;
  if (skew <= 0) return experts * (1 - std::pow(1 - active / experts, tokens));
  double sum = 0;
  for (double r = 1; r <= experts; ++r) sum += rank_weight(r, skew);
  // Cap the head at 1 and give what is cut off to the rest, until nothing is above 1.
  double capped = 0;
  double left = active;
  while (capped < experts && left * rank_weight(capped + 1, skew) > sum) {
    sum -= rank_weight(capped + 1, skew);
    left -= 1;
    ++capped;
  }
  double distinct = capped * (1 - std::pow(0.0, tokens));
  for (double r = capped + 1; r <= experts; ++r) {
    distinct += 1 - std::pow(1 - left * rank_weight(r, skew) / sum, tokens);
  }
  return distinct;
}

double expert_holders(double experts, double active, double ranks) {
  const double fewer = std::floor(experts / ranks);
  const double with_more = experts - fewer * ranks;
  return with_more * chance_of(experts, active, fewer + 1) +
         (ranks - with_more) * chance_of(experts, active, fewer);
}

}  // namespace rooflens
