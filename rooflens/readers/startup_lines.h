// Parts of log lines (internal to the readers of start-up logs).
#pragma once

#include <string>
#include <string_view>

#include "rooflens/readers/startup_log.h"

namespace rooflens {

// A number at the beginning of `s`: "652,144", "-1.5", "1.0e-05". False when there is none. Takes
// it off.
bool take_number(std::string_view& s, double& value, int& decimals);

// The number after blanks, with the unit behind it: "17.28 GiB (", "0.76%", "159.21x". A "GB" is
// taken as 2^30 bytes where `binary`: engines divide by 2^30 whatever they print.
[[nodiscard]] Printed printed_number(std::string_view s, std::string name, std::uint64_t line,
                                     bool binary = true);

// The text behind `mark`, or a null view.
[[nodiscard]] std::string_view after(std::string_view s, std::string_view mark);

// The value of "key=value" in a list of such, quotes off; "" when it is not there.
[[nodiscard]] std::string_view setting_of(std::string_view s, std::string_view key);

[[nodiscard]] inline bool found(std::string_view s) { return s.data() != nullptr; }

// Keeps the first field of a name, up to a bound; one without a number or a text is passed over.
void keep(Startup& s, Printed p);
void keep_word(Startup& s, std::string_view name, std::string_view text, std::uint64_t line);

// One line of each engine. True when it said something.
struct LlamaLine {
  StartupLog& log;
  CacheKind& next_cache;
  std::uint64_t line;
  bool read(std::string_view text);

 private:
  bool key(std::string_view text);
  void type(std::string_view text);
  void device(std::string_view text);
  bool meta(std::string_view text);
  bool old_cache(std::string_view text);
  bool new_cache(std::string_view text, bool recurrent);
};
bool read_vllm_line(std::string_view text, Startup& s, std::uint64_t line);
bool read_sglang_line(std::string_view text, Startup& s, std::uint64_t line);

}  // namespace rooflens
