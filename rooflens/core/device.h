// What a machine can do: peaks, bandwidth, memory and links, each with its origin.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "rooflens/core/storage.h"

namespace rooflens {

enum class Origin { none, datasheet, derived, given, measured, estimated };
[[nodiscard]] const char* name_of(Origin o);

// A group of `size` devices joined by a link, seen from one of them.
struct Link {
  std::string name;            // "NVLink bridge", "NVLink4", "PCIe 5.0 x16"
  int size = 1;                // devices that reach each other over it (0 = as many as there are)
  double bytes_per_s = 0;      // one direction, per device
  double latency_s = 0;        // per collective step
  bool reduces = false;        // its switch adds while it forwards (NVLink SHARP)
};

// Dense peaks in FLOP/s (OP/s for integers) at the stated clock; 0 = the device has no such unit.
// Peaks with FP16 accumulation stand apart and are never used unless asked for by name.
struct Device {
  std::string id, name, vendor, kind, form, architecture, isa;
  std::string memory_type;
  std::array<double, kComputes> peak{};       // by Compute
  double peak_fp16_acc16 = 0, peak_fp8_acc16 = 0;
  double max_clock_factor = 1;                // peak at the maximum clock / stated peak; 1 = unknown
  double vector_flops_per_s = 0;              // 0 = unknown: vector work is not timed
  double bytes_per_s = 0;                     // memory bandwidth
  double capacity_bytes = 0;                  // what the driver reports
  double cache_bytes = 0;                     // last-level cache
  double launch_s = 0;                        // per kernel
  std::vector<Link> links;                    // narrowest group first
  double usd_per_hour = 0;
  std::string price_source;
  std::string confidence;                     // A, B, C: data/hardware/devices.csv
  std::string source, note;
  Origin peak_origin = Origin::none, memory_origin = Origin::none;
  int year = 0;

  [[nodiscard]] double peak_of(Compute c) const { return peak[static_cast<std::size_t>(c)]; }
};

// A device and how many of them serve together.
struct System {
  Device device;
  int count = 1;
  double host_bytes_per_s = 0;  // of the host's memory, 0 = not known; see layers_on_device
};

// FLOP/byte where the slope meets this precision's ceiling; 0 when the device lacks it.
[[nodiscard]] double ridge(const Device& d, Compute c);

// The arithmetic really used for an element type: the first step of its ladder
// (fp4, fp6, fp8, bf16, fp16, fp32; int4, int8, bf16, ...) that the device has a peak for.
[[nodiscard]] Compute promote(const Device& d, Element e);

}  // namespace rooflens
