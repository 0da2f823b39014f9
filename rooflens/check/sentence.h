// Words whose numbers are not written out yet: check knows what to say, render how to write it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rooflens {

enum class Measure : std::uint8_t {
  number,
  fraction,
  ratio,
  tokens,
  tokens_per_s,
  seconds,
  bytes,
  bytes_per_s,
  flops_per_s,
  flop_per_byte,
};

struct Amount {
  double value = 0;  // SI
  Measure measure = Measure::number;
};

// Each "{}" of the text stands for the next amount.
struct Sentence {
  std::string text;
  std::vector<Amount> amounts;
  [[nodiscard]] bool empty() const { return text.empty(); }
};

}  // namespace rooflens
