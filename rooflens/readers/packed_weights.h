// How quantised weights lie in .safetensors files: several tensors of one module make one matrix.
// A packing is one function in packed_weights.cpp. docs/weight-files.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflens/readers/tensor_table.h"

namespace rooflens {

// "layers.0.mlp.up_proj.qweight" -> "layers.0.mlp.up_proj", "qweight".
struct TensorName {
  std::string_view module, leaf;  // leaf "" = the module is the tensor itself
};
[[nodiscard]] TensorName split_tensor_name(std::string_view name);

// The tensors of one module, biases apart.
struct ModuleTensors {
  std::vector<std::pair<std::string_view, const Tensor*>> parts;  // leaf, tensor

  [[nodiscard]] const Tensor* find(std::string_view leaf) const;
};

struct Unpacked {
  double parameters = 0;           // real weights
  double bytes = 0;                // all parts: values, scales, zero points, indices
  std::string format;              // "GPTQ int4 g128", "BF16"
  std::optional<Storage> storage;  // nothing when it is not known
};

// What the parts hold. `hint` is the storage that the config names for this matrix: it decides what
// shapes alone do not tell (the width of packed integers, the group). O(parts).
[[nodiscard]] Unpacked unpack(const ModuleTensors& module, const Storage& hint);

}  // namespace rooflens
