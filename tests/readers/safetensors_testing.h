// A .safetensors header of a test read.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "readers/safetensors_writer.h"
#include "rooflens/readers/safetensors_header.h"

namespace rooflens::test {

inline std::vector<Tensor> whole(const std::string& bytes, std::uint64_t size = 0) {
  auto r = read_safetensors_header(bytes, size > 0 ? size : bytes.size(), "m.safetensors");
  EXPECT_TRUE(r) << (r ? "" : r.error().message);
  if (!r) return {};
  auto* tensors = std::get_if<std::vector<Tensor>>(&*r);
  EXPECT_NE(tensors, nullptr) << "more was asked for";
  return tensors != nullptr ? std::move(*tensors) : std::vector<Tensor>{};
}

}  // namespace rooflens::test
