// The header of a GGUF file, versions 1 to 3, both byte orders: keys and tensors.
// docs/weight-files.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rooflens/readers/need_more.h"
#include "rooflens/readers/tensor_table.h"

namespace rooflens {

inline constexpr std::uint64_t kGgufHeaderBytes = std::uint64_t{32} << 20;  // largest header read

// An array of a GGUF file. Numbers are kept up to kKept; of strings and of longer arrays only
// the count is.
struct GgufArray {
  static constexpr std::size_t kKept = 4096;
  std::uint64_t count = 0;
  std::vector<double> numbers;
  bool complete = false;  // all numbers are kept
};

struct GgufKey {
  std::string name;
  std::variant<double, bool, std::string, GgufArray> value;
  std::uint64_t offset = 0;  // of the key in the file
};

struct GgufHeader {
  std::uint32_t version = 0;
  bool big_endian = false;
  std::uint64_t alignment = 32;
  std::uint64_t header_bytes = 0;  // where the data section begins
  std::vector<GgufKey> keys;
  std::vector<Tensor> tensors;  // Tensor::file is 0

  [[nodiscard]] const GgufKey* find(std::string_view name) const;
  [[nodiscard]] double number(std::string_view name, double fallback) const;
  [[nodiscard]] std::string_view text(std::string_view name) const;  // "" = missing
};

// `prefix` is the beginning of a file of `size` bytes. A tensor of an unknown type has the bytes up
// to the next tensor (or the end of the file), its format is "type N". Errors are malformed with
// `where` = "<where>: offset N" and the key or tensor. Every count, length and offset is bounded by
// the file's size before it is used. O(header).
[[nodiscard]] Partial<GgufHeader> read_gguf_header(std::string_view prefix, std::uint64_t size,
                                                   std::string_view where);

}  // namespace rooflens
