#include "rooflens/core/analysis.h"
#include "rooflens/core/scenario.h"

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

const char* name_of(LatentMode m) {
  switch (m) {
    case LatentMode::automatic: return "auto";
    case LatentMode::absorb: return "absorb";
    case LatentMode::expand: return "expand";
  }
  return "";
}

const char* name_of(LatentCache c) {
  switch (c) {
    case LatentCache::replicated: return "replicated";
    case LatentCache::sharded: return "sharded";
    case LatentCache::expanded: return "expanded";
  }
  return "";
}

const char* name_of(WindowCells c) {
  switch (c) {
    case WindowCells::exact: return "exact";
    case WindowCells::padded: return "padded";
    case WindowCells::full: return "full";
  }
  return "";
}

}  // namespace rooflens
