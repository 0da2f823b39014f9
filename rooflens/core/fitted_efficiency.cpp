#include "rooflens/core/fitted_efficiency.h"

namespace rooflens {
namespace {

// "LPDDR, AMD, llama.cpp, 4-bit"
std::string row_name(const FittedEfficiency& f) {
  std::string name = name_of(f.device);
  for (const std::string& part : {f.served.engine, f.served.format}) {
    if (!part.empty()) name += ", " + part;
  }
  return name;
}

}  // namespace

std::string name_of(const DeviceClass& c) {
  return c.who.empty() ? c.memory : c.memory + ", " + c.who;
}

const FittedEfficiency* find_fitted(std::span<const FittedEfficiency> rows,
                                    const DeviceClass& device, const ServedClass& served,
                                    FittedPart part) {
  const bool memory = part == FittedPart::memory;
  const FittedEfficiency* best = nullptr;
  int best_score = -1;
  for (const FittedEfficiency& row : rows) {
    if (!(memory ? row.memory.has_value() : row.compute.has_value())) continue;
    const bool exact = row.device == device;
    if (!exact && (row.device.memory != kAnyMemory || row.device.who != device.who)) continue;
    const ServedClass& of = row.served;
    if (!of.engine.empty() && of.engine != served.engine) continue;
    if (!of.format.empty() && of.format != served.format) continue;
    const bool engine = !of.engine.empty();
    if (!exact && !engine) continue;
    const int score = (exact ? (memory ? 8 : 2) : 0) + (engine ? 4 : 0) + (of.format.empty() ? 0 : 1);
    if (score > best_score) {
      best = &row;
      best_score = score;
    }
  }
  return best;
}

Efficiency with_fitted(Efficiency prior, std::span<const FittedEfficiency> rows,
                       const DeviceClass& device, const ServedClass& served) {
  const FittedEfficiency* memory = find_fitted(rows, device, served, FittedPart::memory);
  const FittedEfficiency* compute = find_fitted(rows, device, served, FittedPart::compute);
  if (memory == nullptr && compute == nullptr) return prior;
  Efficiency e = std::move(prior);
  if (memory != nullptr) {
    e.memory = *memory->memory;
    e.launch_s = memory->launch_s.value_or(e.launch_s);
    e.fixed_s = memory->fixed_s.value_or(e.fixed_s);
  }
  if (compute != nullptr) e.compute = *compute->compute;
  if (memory == compute) {
    e.origin = "fitted (" + row_name(*memory) + ")";
  } else if (compute == nullptr) {
    e.origin = "memory fitted (" + row_name(*memory) + "), compute " + e.origin;
  } else if (memory == nullptr) {
    e.origin = "compute fitted (" + row_name(*compute) + "), memory " + e.origin;
  } else {
    e.origin = "fitted (memory " + row_name(*memory) + "; compute " + row_name(*compute) + ")";
  }
  return e;
}

}  // namespace rooflens
