// The keys of a GGUF file (or of the log of a program that loaded one) under the names of a
// config.json, so that one reader knows the families. docs/weight-files.md.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rooflens/core/result.h"
#include "rooflens/readers/gguf_header.h"
#include "rooflens/readers/json_text.h"

namespace rooflens {

// Sizes that a GGUF file gives layer by layer; an empty list = the same everywhere.
struct LayerSizes {
  std::vector<double> heads, kv_heads, width;
};

struct GgufConfig {
  JsonDocument document;
  std::vector<std::pair<std::string, std::string>> names;  // config.json key, GGUF key
  LayerSizes sizes;
  double layers = 0;        // that a decode step runs
  double draft_blocks = 0;  // prediction blocks (MTP) after them
  double inner_norms = 0;   // weights of norms inside the blocks (BitNet)
  bool known = true;        // false: the architecture is not known, its tensors decide
};

// Errors: malformed (no architecture, a key of another kind than it must be), unsupported (a file
// of a vocabulary alone, a projector, an adapter, an architecture that is not known and whose
// tensors are not there). With tensors, what they show goes before what a family implies: biases,
// norms, a head of its own, the number of matrices.
[[nodiscard]] Result<GgufConfig> gguf_config(const GgufHeader& header, std::string_view where);

}  // namespace rooflens
