// JSON as people and libraries really write it, made safe to read: the one door to the JSON parser.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooflens/core/result.h"
#include "rooflens/readers/json_value.h"

namespace rooflens {

inline constexpr std::size_t kJsonBytes = std::size_t{32} << 20;  // largest text that is parsed
inline constexpr std::size_t kJsonValues = 150000;                // most values that are kept
inline constexpr std::size_t kJsonText = std::size_t{8} << 20;    // their keys and strings together
inline constexpr std::size_t kJsonString = std::size_t{1} << 20;  // the longest string
inline constexpr int kJsonDepth = 128;                            // deepest nesting

struct JsonDocument {
  Json root;
  std::vector<std::string> notes;  // what was tolerated: NaN, Infinity, repeated keys
};

// Parses one JSON text. Tolerated: a UTF-8 byte order mark, any line ends, NaN and +-Infinity
// (read as null, noted), repeated keys (the last one counts, noted). Errors are `malformed` (or
// `out_of_range` above the limits) with `where` = "<where>: line L, column C" and say what the
// bytes are when they are known not to be JSON: empty, a Git LFS pointer, a web page, UTF-16, a
// GGUF, safetensors, zip or other binary file. Of a top-level "weight_map" only the key is
// kept. O(size); the tree stays below 64 MB.
[[nodiscard]] Result<JsonDocument> parse_json(std::string_view text, std::string_view where);

// The size a Git LFS pointer stands for, or -1 when `text` is not such a pointer.
[[nodiscard]] double lfs_pointer_size(std::string_view text);

}  // namespace rooflens
