// Where other programs keep GGUF files on this machine: Ollama's store, the caches of llama.cpp and
// LM Studio.
#pragma once

#include <string>
#include <vector>

#include "cli/io.h"

namespace rooflens::cli {

struct StoredModel {
  std::string path;    // of the GGUF file
  std::string source;  // "Ollama's store, llama3:8b"
};

// The file that one of the stores has under this name: "llama3", "llama3:8b", "user/model:tag"
// (Ollama); "org/repo", "org/repo:Q4_K_M", "org/repo/file.gguf" (llama.cpp, LM Studio). An empty path
// when none has it. Errors: a store that has the name but not its file, or several files for it
// (`ambiguous`, they are named).
[[nodiscard]] Result<StoredModel> find_stored(const std::string& name, const Io& io);

}  // namespace rooflens::cli
