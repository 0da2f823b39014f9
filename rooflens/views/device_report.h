// Devices as reports and as JSON: what `rooflens devices` shows.
#pragma once

#include <vector>

#include "rooflens/core/device.h"
#include "rooflens/render/json_writer.h"
#include "rooflens/render/report.h"

namespace rooflens {

// One row a device: bandwidth, memory, 16-bit peak, ridges in FLOP/byte; in the wide form the FP8
// peak and the name too.
[[nodiscard]] Report device_table(const std::vector<const Device*>& devices, bool wide);

// Every figure of one device with its origin.
[[nodiscard]] Report device_report(const Device& d);

void device_json(const Device& d, JsonWriter& out);

}  // namespace rooflens
