// What a model's name says: "qwen3moe 30B.A3B Q4_K - Medium", "Meta-Llama-3-8B-Instruct.Q4_0.gguf".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooflens/core/storage.h"

namespace rooflens {

struct ModelName {
  std::vector<std::string> words;        // family and version, in small letters: "qwen", "3"
  std::vector<std::string> sizes;        // "30b", "a3b", "8x7b", "16e"
  const NamedStorage* format = nullptr;  // the first number format in it
  double parameters = 0, active_parameters = 0;  // as the sizes round them; 0 = not told
};

// Folders before the last part and the ending .gguf are left out, and so are words that change no
// size: makers, "instruct", "chat", dates, how a file was made.
[[nodiscard]] ModelName read_model_name(std::string_view text);

// The format that engines' and people's words stand for: "Q4_K - Medium", "UD-Q4_K_XL", "4bit",
// "int4-AutoRound", "mostly F16". Null when none is found. Names of mixtures stand for the format
// of most of their weights.
[[nodiscard]] const NamedStorage* format_in_words(std::string_view text);

}  // namespace rooflens
