// model.safetensors.index.json: which files hold a model's tensors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rooflens/core/result.h"

namespace rooflens {

struct SafetensorsIndex {
  std::vector<std::string> files;  // in order of appearance, each once; plain names without a path
  std::uint64_t tensors = 0;
  double total_size = 0;  // metadata.total_size, 0 = not told
};

// Errors: malformed (no JSON, no weight_map, a file name with a path in it), out_of_range (more
// than kMaxTensors tensors or 10,000 files). O(size).
[[nodiscard]] Result<SafetensorsIndex> read_safetensors_index(std::string_view text,
                                                              std::string_view where);

}  // namespace rooflens
