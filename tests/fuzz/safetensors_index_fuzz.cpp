// Any bytes as an index of weight files.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "rooflens/readers/safetensors_index.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto index =
      rooflens::read_safetensors_index({reinterpret_cast<const char*>(data), size}, "index.json");
  if (!index) {
    if (index.error().message.empty()) std::abort();
    return 0;
  }
  for (const std::string& file : index->files) {
    if (file.empty() || file.find('/') != std::string::npos) std::abort();
  }
  return 0;
}
