#include "rooflens/core/crossing.h"

#include <cmath>
#include <vector>

#include "rooflens/core/place.h"

namespace rooflens {
namespace {

// Past these batches every expert is touched and time is linear in the batch.
constexpr double kFar = 1e9, kFarther = 2e9;

class DecodeBalance {
 public:
  DecodeBalance(const Model& m, const Deployment& d, const Ceilings& c, Part part)
      : m_(m), d_(d), c_(c), part_(part), ops_(operator_capacity(m)) {}

  struct Sides {
    double compute_s = 0, memory_s = 0, flops = 0, bytes = 0;
  };

  Sides at(double batch, double context, Fusion fusion) {
    const Group g{batch, 1, context, 1};
    const std::size_t n = lower(m_, d_, c_, {&g, 1}, ops_);
    Sides s;
    for (std::size_t i = 0; i < n; ++i) {
      const Operator& op = ops_[i];
      if (!counts(op)) continue;
      double bytes = bytes_under(op, fusion);
      if (op.group == OperatorGroup::embedding && batch > m_.vocabulary) {
        // A search over any batch: rows are looked up without end, not capped by the table.
        bytes += (batch - m_.vocabulary) * vector_bytes(m_.embedding.storage, m_.hidden);
      }
      s.bytes += op.count * bytes;
      if (op.flops > 0) {
        s.flops += op.count * op.flops;
        s.compute_s += op.count * op.flops / c_.peak[static_cast<std::size_t>(op.compute)];
      }
    }
    s.memory_s = s.bytes / c_.bytes_per_s;
    return s;
  }

  double excess(double batch, double context) {
    const Sides s = at(batch, context, d_.fusion);
    return s.compute_s - s.memory_s;
  }

  // Whether arithmetic wins in the end.
  bool crosses(double context) { return excess(kFarther, context) > excess(kFar, context); }

 private:
  [[nodiscard]] bool counts(const Operator& op) const {
    switch (part_) {
      case Part::whole_step: return true;
      case Part::fc: return op.group == OperatorGroup::fc;
      case Part::experts: return op.group == OperatorGroup::experts;
    }
    return false;
  }

  const Model& m_;
  const Deployment& d_;
  const Ceilings& c_;
  Part part_;
  std::vector<Operator> ops_;
};

}  // namespace

std::optional<double> crossing_batch(const Model& m, const Deployment& d, const Ceilings& c,
                                     double context, Part part) {
  DecodeBalance balance(m, d, c, part);
  if (!balance.crosses(context)) return std::nullopt;
  double low = 1e-6, high = 1;
  while (balance.excess(high, context) <= 0) {
    low = high;
    high *= 2;
    if (high > 1e15) return std::nullopt;
  }
  while (high - low > 1e-10 * high) {
    const double middle = (low + high) / 2;
    (balance.excess(middle, context) <= 0 ? low : high) = middle;
  }
  return high;
}

std::optional<double> never_above_context(const Model& m, const Deployment& d, const Ceilings& c) {
  DecodeBalance balance(m, d, c, Part::whole_step);
  if (!balance.crosses(1)) return 1;
  double low = 1, high = 2;
  while (balance.crosses(high)) {
    low = high;
    high *= 2;
    if (high > 1e12) return std::nullopt;
  }
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (balance.crosses(middle) ? low : high) = middle;
  }
  return high;
}

double intensity_limit(const Model& m, const Deployment& d, const Ceilings& c, double context,
                       Fusion fusion) {
  DecodeBalance balance(m, d, c, Part::whole_step);
  const auto a = balance.at(kFar, context, fusion);
  const auto b = balance.at(kFarther, context, fusion);
  return (b.flops - a.flops) / (b.bytes - a.bytes);
}

}  // namespace rooflens
