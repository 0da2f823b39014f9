// The header of a .safetensors file: its tensors, as stored. docs/weight-files.md.
#pragma once

#include <cstdint>
#include <string_view>

#include "rooflens/readers/need_more.h"
#include "rooflens/readers/tensor_table.h"

namespace rooflens {

inline constexpr std::uint64_t kSafetensorsHeaderBytes = std::uint64_t{24} << 20;

// `prefix` is the beginning of a file of `size` bytes. Tensor::file is 0, Tensor::format the dtype
// as written ("F8_E4M3"), Tensor::storage its plain storage, nothing for types that hold packed or
// other values (I32, U8, BOOL ...). Errors are malformed with `where` = "<where>: offset N" or
// "<where>: tensor". Sizes are bounded by the file's size before they are used; of the data section
// nothing is read. O(header).
[[nodiscard]] Partial<std::vector<Tensor>> read_safetensors_header(std::string_view prefix,
                                                                   std::uint64_t size,
                                                                   std::string_view where);

// True when the bytes begin as a .safetensors file does: a length that fits and a brace.
[[nodiscard]] bool looks_like_safetensors(std::string_view prefix, std::uint64_t size);

}  // namespace rooflens
