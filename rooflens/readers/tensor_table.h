// Every tensor of a set of weight files, as their headers tell them: nothing here is read from the
// data, and nothing is believed of a name.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooflens/core/storage.h"

namespace rooflens {

inline constexpr std::size_t kMaxTensors = 400000;  // of one model, all files together
inline constexpr std::size_t kMaxTensorDims = 8;
inline constexpr double kMaxElements = 9e15;  // of a tensor: counts are exact up to here

struct Tensor {
  std::string name;
  std::array<std::uint64_t, kMaxTensorDims> shape{};  // outermost first: rows, then columns
  std::uint8_t dims = 0;
  std::uint16_t file = 0;          // index into TensorTable::files
  std::string format;              // as the file calls it: "Q4_K", "BF16", "type 137"
  std::optional<Storage> storage;  // nothing when the format is not in the table of formats
  double elements = 0;             // values stored, as the file counts them
  double bytes = 0;                // exactly, without alignment
};

struct TensorTable {
  std::vector<Tensor> tensors;
  std::vector<std::string> files;
};

}  // namespace rooflens
