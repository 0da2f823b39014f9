// A machine told by its memory alone: ddr5-5600x8, lpddr5x-8533x256bit.
#pragma once

#include <optional>
#include <string_view>

#include "rooflens/core/device.h"
#include "rooflens/core/result.h"

namespace rooflens {

// nullopt when the text does not start like a memory generation and a speed ("ddr5-5600"). A DDR or
// MRDIMM channel is 8 bytes wide: bytes per second = MT/s * 1e6 * 8 * channels; LPDDR and GDDR are
// given with their width in bits. Peaks, capacity and vector rate are left unknown (0); the origin
// is `derived`. Errors: channels or width missing or impossible.
[[nodiscard]] std::optional<Result<Device>> parse_memory_spec(std::string_view text);

}  // namespace rooflens
