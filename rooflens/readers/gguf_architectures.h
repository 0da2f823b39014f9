// data/models/gguf.tsv: which family of config.json reads an architecture of GGUF, and the names
// its keys have there.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rooflens {

struct GgufArchitecture {
  std::string_view name;        // general.architecture, with the conditions of the row
  std::string_view model_type;  // of families.tsv
  std::string_view entries;     // "key=value ..." of a config.json that it implies
};

// What of a file chooses among the rows of one architecture.
struct GgufTraits {
  bool experts = false;         // expert_count > 0
  bool sigmoid_router = false;  // expert_gating_func 2, or a score correction
};

// The row that fits best, or nullptr.
[[nodiscard]] const GgufArchitecture* find_gguf_architecture(std::string_view name,
                                                             const GgufTraits& traits);

// Keys of GGUF files ("block_count", without the architecture) and of a config.json that mean the
// same whatever the architecture is.
struct GgufRename {
  std::string_view gguf, config;
  bool keeps_zero = false;  // else 0 means that there is none
};
[[nodiscard]] std::span<const GgufRename> gguf_renames();

// The GGUF key that stands for a key of a config.json; "" = none does.
[[nodiscard]] std::string gguf_key(std::string_view config_key);

}  // namespace rooflens
