// What an inference engine said of itself when it started: the model it loaded, the memory it took,
// the cache it made. Readers of logs make it, check holds it against the arithmetic.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace rooflens {

enum class Engine : std::uint8_t { none, llama_cpp, vllm, sglang };
[[nodiscard]] const char* name_of(Engine e);  // "llama.cpp"

// A value as a log prints it: `value` in base units (bytes, tokens, parameters, a fraction), NaN
// for words.
struct Printed {
  std::string name;  // what it is: the log's own word ("n_ctx"), or a name that its
                     // reader gives ("cache_tokens")
  double value = std::numeric_limits<double>::quiet_NaN();
  double scale = 1;  // of the printed unit: 2^30 for GiB
  int decimals = 0;  // printed
  std::string unit;  // "GiB", "B", ""
  std::string text;  // "17.28 GiB"
  std::uint64_t line = 0;

  [[nodiscard]] bool is_number() const { return value == value; }
  [[nodiscard]] double step() const;  // of the last printed digit, in base units
  // Rounding `other` to the printed digits gives what is printed.
  [[nodiscard]] bool rounds_to(double other) const;
};

// `value` with the digits, the unit and the commas of `like`; with commas where that has no text.
[[nodiscard]] std::string written_like(const Printed& like, double value);

enum class CacheKind : std::uint8_t { all, full, window, recurrent };

// One cache of an engine. For a recurrent one `keys` is the convolution's part, `values` the
// recurrence's.
struct StartupCache {
  CacheKind kind = CacheKind::all;
  Printed size, keys, values;
  std::string key_format, value_format;  // "q8_0"
  bool latent = false;                   // the log says that a compressed vector is cached ...
  bool transposed = false;               // ... and a transposed copy of it
  double cells = 0, layers = 0, sequences = 1, streams = 1;  // 0 = not printed
};

struct StartupType {
  std::string name;  // "q4_K"
  double tensors = 0;
};

struct Startup {
  Engine engine = Engine::none;
  std::string version, model, architecture;
  std::vector<Printed> fields;  // the first of each name
  std::vector<StartupCache> caches;
  std::vector<StartupType> types;  // of tensors
  std::vector<Printed> problems;   // lines about memory that was not there
  double tensors = 0;
  double prediction_layers = 0;  // blocks that decoding does not run
  double loads = 0;              // models that were loaded; the first is told
  bool others = false;           // ... and one of them was another
  std::uint64_t lines = 0;

  [[nodiscard]] const Printed* find(std::string_view name) const;
  [[nodiscard]] double number(std::string_view name, double fallback) const;
  [[nodiscard]] std::string_view text(std::string_view name) const;  // "" = not there
};

}  // namespace rooflens
