// Weight files on the disk: GGUF and .safetensors, one or many, headers only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/io.h"
#include "rooflens/core/model.h"
#include "rooflens/readers/gguf_header.h"
#include "rooflens/readers/hf_config.h"
#include "rooflens/readers/tensor_table.h"

namespace rooflens::cli {

[[nodiscard]] bool is_gguf_name(std::string_view path);
[[nodiscard]] bool is_safetensors_name(std::string_view path);

// The header of one GGUF file; only its beginning is read.
[[nodiscard]] Result<GgufHeader> gguf_file(const std::string& path, const Io& io);

// The model of a GGUF file; of a split one all parts must lie beside each other.
[[nodiscard]] Result<Model> gguf_model(const std::string& path, const Io& io,
                                       const HfOptions& reading);

// The GGUF files of a folder, one for each model (of a split one its first), vision projectors left
// out.
[[nodiscard]] std::vector<std::string> gguf_models_of(const std::string& folder, const Io& io);

// All tensors of a folder's .safetensors files: those its index names, else all, duplicates and
// consolidated twins told apart in `notes`. Empty when the folder has none, or when files are
// missing (told in `notes`).
struct FolderWeights {
  TensorTable table;
  std::vector<std::string> notes;
};
[[nodiscard]] Result<FolderWeights> safetensors_of(const std::string& folder, const Io& io);

// The tensors of one file.
[[nodiscard]] Result<TensorTable> safetensors_file(const std::string& path, const Io& io);

}  // namespace rooflens::cli
