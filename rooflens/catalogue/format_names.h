// Names of number formats, as engines and people write them.
#pragma once

#include <optional>
#include <string_view>

#include "rooflens/core/result.h"
#include "rooflens/core/storage.h"

namespace rooflens {

// A name of the storage table or one of the engines' words for it ("fp8_e4m3", "awq_marlin"). The
// error names the nearest.
[[nodiscard]] Result<Storage> parse_storage(std::string_view name);

// A type of values: "bfloat16", "half", "fp8".
[[nodiscard]] std::optional<Element> find_type(std::string_view name);

// What GEMMs read beside such weights: a type, or "w4a16", "w8a8".
[[nodiscard]] std::optional<Element> find_gemm_input(std::string_view name, const Storage& weights,
                                                     Element activation);

}  // namespace rooflens
