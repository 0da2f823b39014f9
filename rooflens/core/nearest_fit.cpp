#include "rooflens/core/nearest_fit.h"

#include <cmath>

#include "rooflens/core/analyze.h"
#include "rooflens/core/requantise.h"

namespace rooflens {
namespace {

bool fits(const Scenario& s, double context) {
  return capacity(s.model, s.deployment, s.system.device.capacity_bytes, s.workload.batch,
                  context)
      .fits;
}

std::optional<int> enough_devices(Scenario s, double context) {
  while (s.deployment.tensor <= 512) {
    s.deployment.tensor *= 2;
    s.system.count *= 2;
    if (!validate(s)) return std::nullopt;
    if (fits(s, context)) return s.system.count;
  }
  return std::nullopt;
}

std::optional<std::string> small_enough_weights(const Scenario& s, double context) {
  const double now = weight_bytes(s.model, s.deployment);
  for (const char* name : {"fp8_channel", "int4sym_g128"}) {
    Scenario other = s;
    const Storage& storage = find_storage(name)->storage;
    requantise(other.model, Role::linear, storage);
    requantise(other.model, Role::experts, storage);
    if (weight_bytes(other.model, other.deployment) < now && fits(other, context)) return name;
  }
  return std::nullopt;
}

}  // namespace

NearestFit nearest_fit(const Scenario& s, double context) {
  NearestFit n;
  const Capacity c = capacity(s.model, s.deployment, s.system.device.capacity_bytes,
                              s.workload.batch, context);
  const double per_replica = std::ceil(s.workload.batch / s.deployment.data);
  n.missing_bytes = per_replica * c.bytes_per_sequence - c.free_bytes;
  if (c.max_batch >= 1) n.batch = c.max_batch;
  if (c.max_context >= 1) n.context = c.max_context;
  n.devices = enough_devices(s, context);
  n.weights = small_enough_weights(s, context);
  const Storage& fp8 = find_storage("fp8")->storage;
  if (bits_per_weight(s.deployment.key_cache) > bits_per_weight(fp8)) {
    Scenario other = s;
    other.deployment.key_cache = other.deployment.value_cache = fp8;
    if (fits(other, context)) n.kv = "fp8";
  }
  return n;
}

}  // namespace rooflens
