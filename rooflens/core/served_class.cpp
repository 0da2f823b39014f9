#include "rooflens/core/served_class.h"

#include "rooflens/core/ascii.h"
#include "rooflens/core/parameters.h"

namespace rooflens {

std::string engine_family(std::string_view words) {
  struct Family {
    std::string_view part, name;
  };
  // "vllm-mlx" is MLX: the first that fits counts.
  static constexpr Family kFamilies[] = {{"mlx", "mlx"},
                                         {"llama.cpp", "llama.cpp"},
                                         {"llama-server", "llama.cpp"},
                                         {"ollama", "llama.cpp"},
                                         {"vllm", "vLLM"},
                                         {"sglang", "SGLang"},
                                         {"exllama", "exllama"},
                                         {"tensorrt", "TensorRT-LLM"}};
  const std::string text = lower(words);
  for (const Family& f : kFamilies) {
    if (text.find(f.part) != std::string::npos) return std::string(f.name);
  }
  return {};
}

std::string format_class(const Model& m) {
  const double parameters = count_parameters(m).total;
  if (parameters <= 0) return {};
  const double bits = 8 * weight_bytes(m, Deployment{}) / parameters;
  if (bits >= 12) return "16-bit";
  if (bits >= 7) return "8-bit";
  if (bits >= 5.3) return "6-bit";
  return bits >= 3.3 ? "4-bit" : "2-bit";
}

}  // namespace rooflens
