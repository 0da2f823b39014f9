// Any bytes as the beginning of a GGUF file: read, refused, or more asked for, never more than
// that.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "rooflens/core/parameters.h"
#include "rooflens/readers/gguf_model.h"

// The size of the file is the given bytes, or far more: what a header claims must not matter.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooflens;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const std::uint64_t file : {std::uint64_t{size}, std::uint64_t{size} << 40}) {
    auto header = read_gguf_header(bytes, file, "m.gguf");
    if (!header) {
      if (header.error().message.empty()) std::abort();
      continue;
    }
    if (const auto* more = std::get_if<NeedMore>(&*header)) {
      if (more->bytes <= size || more->bytes > std::max<std::uint64_t>(file, size)) std::abort();
      continue;
    }
    std::vector<GgufHeader> parts;
    parts.push_back(std::get<GgufHeader>(std::move(*header)));
    const auto model = read_gguf_model(std::move(parts), "m.gguf");
    if (!model) {
      if (model.error().message.empty()) std::abort();
      continue;
    }
    if (!(count_parameters(*model).total > 0)) std::abort();
    if (!(weight_bytes(*model, Deployment{}) >= 0)) std::abort();
  }
  return 0;
}
