// How names are compared: words without case and punctuation, and how alike two names are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rooflens {

// Runs of letters and digits in small letters, without the makers' and generic words that tools
// print or leave out (NVIDIA, GeForce, (R), GPU, ...).
[[nodiscard]] std::vector<std::string> name_words(std::string_view text);

// Words [first, first+count) joined; a '-' stays between two digits, so that "A10 0" is not A100.
// "RTX 4090", "rtx-4090" and "RTX4090" all give "rtx4090".
[[nodiscard]] std::string join_words(const std::vector<std::string>& words, std::size_t first,
                                     std::size_t count);

// join_words of all words of the text.
[[nodiscard]] std::string canonical_name(std::string_view text);

// Letters and digits only, in small letters, nothing left out.
[[nodiscard]] std::string letters_and_digits(std::string_view text);

// Single insertions, deletions, replacements and swaps of neighbours that turn a into b. Costs
// |a|*|b|; texts are cut at 64 bytes.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// 0 (nothing in common) to 1 (equal), from spelling and shared words. Below kAlike a suggestion
// would only confuse.
inline constexpr double kAlike = 0.3;
[[nodiscard]] double likeness(std::string_view a, std::string_view b);

// The candidate most like the text, or empty when none is near.
[[nodiscard]] std::string_view nearest(std::string_view text,
                                       const std::vector<std::string_view>& candidates);

}  // namespace rooflens
