// The model of a start-up log, from the keys that llama.cpp prints of its file.
#pragma once

#include <string_view>

#include "rooflens/core/model.h"
#include "rooflens/core/result.h"
#include "rooflens/readers/hf_config.h"
#include "rooflens/readers/startup_log.h"

namespace rooflens {

// What the log's keys and its n_* lines say together, as the header of the file: an array that is
// cut in one is whole in the other. No tensors.
[[nodiscard]] GgufHeader header_of(const StartupLog& log);

// Errors: those of gguf_config and read_gguf_model; not_found when the log has neither keys nor n_*
// lines. Whether the head is a table of its own is the family's default unless the log lists its
// tensors.
[[nodiscard]] Result<Model> startup_model(const StartupLog& log, std::string_view where,
                                          const HfOptions& options = {});

}  // namespace rooflens
