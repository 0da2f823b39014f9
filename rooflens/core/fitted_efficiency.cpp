#include "rooflens/core/fitted_efficiency.h"

#include <algorithm>

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

// Holds both; the middle stays.
Range hull(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), a.mid, std::max(a.high, b.high)};
}

}  // namespace

std::string name_of(const DeviceClass& c) {
  return c.who.empty() ? c.memory : c.memory + ", " + c.who;
}

const FittedEfficiency* find_fitted(std::span<const FittedEfficiency> rows,
                                    const DeviceClass& device, const ServedClass& served,
                                    FittedPart part) {
  const FittedEfficiency* best = nullptr;
  int best_score = -1;
  for (const FittedEfficiency& row : rows) {
    const bool told = part == FittedPart::memory ? row.memory.has_value() : row.compute.has_value();
    const ServedClass& of = row.served;
    const bool engine = !of.engine.empty(), format = !of.format.empty();
    const bool exact = row.device == device;
    const bool makers = row.device == DeviceClass{kAnyMemory, device.who} && engine;
    if (!told || (!exact && !makers) || (engine && of.engine != served.engine) ||
        (format && of.format != served.format)) {
      continue;
    }
    const int score = (engine ? 4 : 0) + (exact ? 2 : 0) + (format ? 1 : 0);
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
  Efficiency e = std::move(prior);
  const std::string memory_from = memory != nullptr ? row_name(*memory) : "";
  const std::string compute_from = compute != nullptr ? row_name(*compute) : "";
  if (memory != nullptr) {
    e.memory = memory->memory.value_or(e.memory);
    e.launch_s = memory->launch_s.value_or(e.launch_s);
    e.fixed_s = memory->fixed_s.value_or(e.fixed_s);
  }
  if (compute != nullptr) e.compute = compute->compute.value_or(e.compute);
  if (memory_from == compute_from && memory != nullptr) {
    e.origin = "fitted (" + memory_from + ")";
  } else if (memory != nullptr && compute != nullptr) {
    e.origin = "fitted (memory " + memory_from + "; compute " + compute_from + ")";
  } else if (memory != nullptr) {
    e.origin = "memory fitted (" + memory_from + "), compute " + e.origin;
  } else if (compute != nullptr) {
    e.origin = "compute fitted (" + compute_from + "), memory " + e.origin;
  }
  if (served.engine.empty()) return e;
  const bool cpu = device.who == "cpu";
  const DeviceClass all{kAnyMemory, cpu ? "cpu" : kAnyMaker};
  const ServedClass any_engine{"", served.format};
  const auto measured = [&](const FittedEfficiency* row) {
    return row != nullptr && row->device == device && !row->served.engine.empty();
  };
  bool wider = false;
  if (!measured(memory)) {
    if (const auto* w = find_fitted(rows, all, any_engine, FittedPart::memory)) {
      e.memory = hull(e.memory, w->memory.value_or(e.memory));
      e.launch_s = hull(e.launch_s, w->launch_s.value_or(e.launch_s));
      e.fixed_s = hull(e.fixed_s, w->fixed_s.value_or(e.fixed_s));
      wider = true;
    }
  }
  if (!measured(compute)) {
    if (const auto* w = find_fitted(rows, all, any_engine, FittedPart::compute)) {
      e.compute = hull(e.compute, w->compute.value_or(e.compute));
      wider = true;
    }
  }
  if (wider) e.origin += ", wider: " + served.engine + " was not measured on such devices";
  return e;
}

}  // namespace rooflens
