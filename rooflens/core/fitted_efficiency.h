// Efficiencies fitted on measurements: which row serves a run, and what it puts on the prior.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "rooflens/core/efficiency.h"
#include "rooflens/core/served_class.h"

namespace rooflens {

// Devices that are fitted together.
struct DeviceClass {
  std::string memory;  // "GDDR6X"; "unified" for Apple's
  std::string who;     // the maker, or "cpu"; "" where the memory tells
  friend bool operator==(const DeviceClass&, const DeviceClass&) = default;
};
[[nodiscard]] std::string name_of(const DeviceClass& c);  // "GDDR6X, NVIDIA"

// What was fitted; empty = the measurements do not tell.
struct FittedEfficiency {
  DeviceClass device;
  ServedClass served;  // "" = all
  std::optional<Range> memory, launch_s, fixed_s;  // from steps bound by memory, together
  std::optional<Range> compute;                    // from steps bound by compute
  int memory_points = 0, compute_points = 0, sources = 0;
  std::string date;  // of the youngest measurement
};

// The row of this class that says most of the run: engine and format, the engine, the format, all.
// With `wants_compute` of those with a compute share, else of those with a memory share. Null when
// there is none. O(rows).
[[nodiscard]] const FittedEfficiency* find_fitted(std::span<const FittedEfficiency> rows,
                                                  const DeviceClass& device,
                                                  const ServedClass& served, bool wants_compute);

// The prior with what was fitted put in its place; `origin` says what is fitted on what.
[[nodiscard]] Efficiency with_fitted(Efficiency prior, std::span<const FittedEfficiency> rows,
                                     const DeviceClass& device, const ServedClass& served);

}  // namespace rooflens
