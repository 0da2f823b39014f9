// Weights that lie partly in the host's memory: each byte comes from where it lies, and the times
// add up. docs/model.md section 14.2.
#pragma once

#include <optional>

#include "rooflens/check/hold.h"

namespace rooflens {

// A decode step of a model whose layers, or whose experts in some layers, are left on the host.
struct TwoMemories {
  double layers = 0;       // of the network
  double host_layers = 0;  // of them on the host, whole or with their experts
  bool experts_only = false;
  double device_bytes = 0, host_bytes = 0;  // of one step, compulsory ones
  double seconds = 0;  // from both memories; 0 = the host's bandwidth is not known
};

// Empty where nothing says that a part lies on the host. Layers are taken to be alike; head and
// embedding lie on the device once a layer does.
[[nodiscard]] std::optional<TwoMemories> two_memories(const Basis& b, const Observation& o);

}  // namespace rooflens
