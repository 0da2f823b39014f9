// Reads GGUF files into a Model: keys say what is computed, the tensor table what is stored.
#pragma once

#include <string_view>
#include <vector>

#include "rooflens/core/model.h"
#include "rooflens/core/result.h"
#include "rooflens/readers/gguf_header.h"
#include "rooflens/readers/hf_config.h"

namespace rooflens {

// `parts` are the headers of one model's files in order (one, or all parts of a split model).
// Errors: those of gguf_config and bind_weights; parts that are of different models or not all.
[[nodiscard]] Result<Model> read_gguf_model(std::vector<GgufHeader> parts, std::string_view where,
                                            const HfOptions& options = {});

// The parts of a split model by the name of one of them: "m-00002-of-00003.gguf". Empty when the
// name is not of that form.
[[nodiscard]] std::vector<std::string> split_names(std::string_view name);

}  // namespace rooflens
