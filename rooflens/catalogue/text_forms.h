// The small grammar of names: which words change a device, counts before and after, slices, UUIDs.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "rooflens/core/ascii.h"

namespace rooflens::text_forms {

[[nodiscard]] inline bool is_hex(char c) {
  return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f');
}
[[nodiscard]] bool is_in(std::string_view w, std::initializer_list<std::string_view> list);

// Words that, right after a name, make it another piece of silicon.
[[nodiscard]] bool is_qualifier(std::string_view w);

// Those of them that never go without saying: "4070 Ti" is not the 4070 Ti SUPER.
[[nodiscard]] bool is_strict(std::string_view w);

// Word i is "1g" of "MIG 1g.10gb", or "4q" of a vGPU profile after a name.
[[nodiscard]] bool is_slice(const std::vector<std::string>& words, std::size_t i);

// "80gb", "12288mib".
[[nodiscard]] bool is_size(std::string_view w);

// A word that can tell a model: two letters or more, one of them a digit.
[[nodiscard]] bool is_model_word(std::string_view w);

// The text without machine UUIDs, which are hexadecimal and can hold "a100".
[[nodiscard]] std::string without_uuids(std::string_view text);

// Takes "4x ", "8 x " from the front or " x4" from the end; 0 = none, -1 = impossible.
int take_count(std::string_view& text);

// "GPU 3", "GPU[3]": 3; -1 when the line has no such index.
[[nodiscard]] int gpu_index(std::string_view line);

}  // namespace rooflens::text_forms
