// What of a run, beside its device, decides how much of the ceilings it reaches: the engine and how
// wide the weights are.
#pragma once

#include <string>
#include <string_view>

#include "rooflens/core/model.h"

namespace rooflens {

struct ServedClass {
  std::string engine;  // a family of engine_family(); "" = not known
  std::string format;  // a class of format_class(); "" = not known
};

// "llama.cpp-vulkan_radv Vulkan", "ollama" -> "llama.cpp"; also "mlx", "vLLM", "SGLang",
// "TensorRT-LLM", "exllama"; "" when the words name none of them.
[[nodiscard]] std::string engine_family(std::string_view words);

// By the mean bits of a weight, scales included: "16-bit" from 12, "8-bit" from 7, "6-bit" from
// 5.3, "4-bit" from 3.3, else "2-bit". 4-bit GGUF mixes lie between 4.5 and 5.2.
[[nodiscard]] std::string format_class(const Model& m);

}  // namespace rooflens
