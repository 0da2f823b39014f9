// Numbers as a reader wants them: SI doubles in, three to four significant digits and a unit out.
// The one place where a prefix (k, M, Gi, µ) is chosen. The output is UTF-8; text.h turns it to
// ASCII.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rooflens {

// What a number is, and so how it is written. Values are SI base units in every case: bytes,
// seconds, FLOP/s; a fraction is 0..1.
enum class Unit : std::uint8_t {
  none,              // 13.7    1,024
  count,             // 8       262,144
  parameters,        // 8.03 B  (1e9; M below, T above)
  tokens,            // 262,144 tokens
  tokens_per_s,      // 33,401 tok/s
  flops,             // 15.0 TFLOP
  flops_per_s,       // 836 TFLOP/s
  bytes,             // 16.1 GB  (1e9)
  bytes_binary,      // 15.0 GiB (2^30)
  bytes_per_s,       // 3.90 TB/s
  seconds,           // 4.64 ms
  fraction,          // 3.74 %
  flop_per_byte,     // 16.0 FLOP/B
  ratio,             // 1.85x
  dollars,           // $2.35
  dollars_per_hour,  // $2.35/h
  dollars_per_mtok,  // $0.35/Mtok
  watts,             // 700 W
  hertz,             // 1.98 GHz
};
[[nodiscard]] const char* name_of(Unit u);  // the SI unit of the raw value: "byte/s", "1", "s"

// A number and its unit apart, so that columns can align both. `number` carries signs and "$";
// `unit` carries the prefix and is empty for plain numbers. `tight` units stand against the number
// (1.85x, $2/h), the others after a space.
struct Formatted {
  std::string number, unit;
  bool tight = false;
  [[nodiscard]] std::string text() const;
};

// Not finite: number = "unknown", no unit.
[[nodiscard]] Formatted format_parts(double value, Unit unit);
[[nodiscard]] std::string format(double value, Unit unit);

// For axes and chart labels: as few characters as say the value. "10 T", "500 G", "0.1", "1 k";
// three significant digits at most, no trailing zeros. `unit` is appended to the prefix: with
// "FLOP/s" 1.67e15 is "1.67 PFLOP/s". Not finite: "unknown".
[[nodiscard]] std::string format_short(double value, std::string_view unit = {});

// `digits` (1..15) significant digits, plain decimals between 1e-4 and 1e15 (thousands separated by
// commas), 1.23e+20 outside. Exact powers and ties go as round-half-away. Not finite: "unknown".
[[nodiscard]] std::string significant(double value, int digits);

// 262144 -> "262,144"; rounds to an integer. |value| must be below 1e15.
[[nodiscard]] std::string grouped(double value);

}  // namespace rooflens
