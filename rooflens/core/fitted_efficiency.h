// Efficiencies fitted on measurements: which row serves a run, and what it puts on the prior.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "rooflens/core/efficiency.h"
#include "rooflens/core/served_class.h"

namespace rooflens {

// Devices that are fitted together.
struct DeviceClass {
  std::string memory;  // "GDDR6X"; "unified" for Apple's; kAnyMemory = all of `who`
  std::string who;     // the maker, or "cpu"; kAnyMaker = all but CPUs
  friend bool operator==(const DeviceClass&, const DeviceClass&) = default;
};
[[nodiscard]] std::string name_of(const DeviceClass& c);  // "GDDR6X, NVIDIA"
inline constexpr const char* kAnyMemory = "any";
inline constexpr const char* kAnyMaker = "any";

// What was fitted; empty = the measurements do not tell.
struct FittedEfficiency {
  DeviceClass device;
  ServedClass served;                              // "" = all
  std::optional<Range> memory, launch_s, fixed_s;  // from steps bound by memory, together
  std::optional<Range> compute;                    // from steps bound by compute
  int memory_points = 0, compute_points = 0, sources = 0;
  std::string date;  // of the youngest measurement
};

// The row that says most of this run, of those with the engine (its class of devices with the
// format, its class, its maker's devices of any memory with the format and without) and then of
// those for all engines (of its class, with the format and without). Null when there is none.
// O(rows).
enum class FittedPart : std::uint8_t { memory, compute };
[[nodiscard]] const FittedEfficiency* find_fitted(std::span<const FittedEfficiency> rows,
                                                  const DeviceClass& device,
                                                  const ServedClass& served, FittedPart part);

// The prior with what was fitted put in its place; `origin` says what is fitted on what. An engine
// that is named and was never measured on such devices gets a range that holds those of all
// engines on all devices as well.
[[nodiscard]] Efficiency with_fitted(Efficiency prior, std::span<const FittedEfficiency> rows,
                                     const DeviceClass& device, const ServedClass& served);

}  // namespace rooflens
