// GGUF files of a model for tests, with the sum of what is in them kept.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "readers/gguf_writer.h"
#include "rooflens/readers/gguf_model.h"

namespace rooflens::test {

using Dims = std::vector<std::uint64_t>;

struct Type {
  std::uint32_t id;
  std::uint64_t elements, bytes;
};
inline constexpr Type kF32{0, 1, 4}, kQ80{8, 32, 34}, kQ4K{12, 256, 144}, kQ6K{14, 256, 210},
    kMxfp4{39, 32, 17};

// A GGUF file whose sum of tensor bytes is kept.
struct File {
  GgufWriter w;
  std::string arch;
  double bytes = 0, values = 0;

  explicit File(std::string a) : arch(std::move(a)) { w.text("general.architecture", arch); }
  void key(const std::string& name, std::uint32_t value) { w.u32(arch + "." + name, value); }
  void tensor(const std::string& name, const Dims& ne, Type t) {
    std::uint64_t n = 1;
    for (std::uint64_t d : ne) n *= d;
    w.tensor(name, ne, t.id, n / t.elements * t.bytes);
    bytes += static_cast<double>(n / t.elements * t.bytes);
    values += static_cast<double>(n);
  }
  [[nodiscard]] Result<Model> read(const HfOptions& options = {}) const {
    const std::string header = w.header();
    auto r = read_gguf_header(header, w.size(), "m.gguf");
    if (!r) return Failure(r.error());
    std::vector<GgufHeader> parts;
    parts.push_back(std::get<GgufHeader>(std::move(*r)));
    return read_gguf_model(std::move(parts), "m.gguf", options);
  }
};

inline std::string block(int l, const char* part) {
  return "blk." + std::to_string(l) + "." + part;
}

}  // namespace rooflens::test
