#include "rooflens/core/analysis.h"

namespace rooflens {

const char* name_of(Bound b) {
  switch (b) {
    case Bound::memory: return "memory";
    case Bound::compute: return "compute";
    case Bound::vector: return "vector";
    case Bound::network: return "network";
    case Bound::fixed: return "fixed";
    case Bound::capacity: return "capacity";
    case Bound::queue: return "queue";
    case Bound::above_roof: return "above-roof";
  }
  return "";
}

const char* name_of(OperatorGroup g) {
  switch (g) {
    case OperatorGroup::fc: return "fc";
    case OperatorGroup::experts: return "experts";
    case OperatorGroup::attention: return "attention";
    case OperatorGroup::state: return "state";
    case OperatorGroup::head: return "head";
    case OperatorGroup::embedding: return "embedding";
    case OperatorGroup::other: return "other";
  }
  return "";
}

}  // namespace rooflens
