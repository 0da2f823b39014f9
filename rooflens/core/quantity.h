// Human quantities -> SI doubles. The one place where "8k", "94GiB" or "3.35 TB/s" is read.
//
// k M G T P E are powers of 1000, Ki Mi Gi Ti Pi Ei of 1024, everywhere. Text may have blanks at
// its ends and between number and unit. Negative numbers, NaN, infinities, overflow and anything
// left over after the unit are errors whose `message` quotes the text; `where` is left to the
// caller, who knows the option or the line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflens/core/result.h"

namespace rooflens {

// A decimal number with optional sign and exponent and nothing else; correctly rounded, independent
// of the locale for up to 15 digits. nullopt for anything else, "inf" and "nan" included. The
// value is multiplied by 10^shift before it is rounded: a table in TFLOP/s is read with shift 12.
[[nodiscard]] std::optional<double> parse_number(std::string_view text, int shift = 0);

// A whole number up to 2^53: "8", "8k" = 8000, "128Ki" = 131072, "1.5M" = 1500000, "1e6".
[[nodiscard]] Result<double> parse_count(std::string_view text);

// Bytes: "94GB" = 94e9, "94GiB" = 94*2^30, "94G", "512 MiB", "1e9". "gb" in small letters is read
// as bytes; "Gb" and "Gbit" are bits and refused, since memory is never sold in them.
[[nodiscard]] Result<double> parse_bytes(std::string_view text);

// Bytes per second: "3.35TB/s", "3350 GB/s", "819 GBps", "3.9T". Bits ("400Gb/s", "400 Gbit/s",
// "400Gbps") are divided by 8.
[[nodiscard]] Result<double> parse_bytes_per_s(std::string_view text);

// The same for a link, where both bits and bytes are usual: "400" and "400G" are refused.
[[nodiscard]] Result<double> parse_link_rate(std::string_view text);

// FLOP/s or OP/s: "836T", "836 TFLOPS", "836 TFLOP/s", "1.67P", "1979 TOPS".
[[nodiscard]] Result<double> parse_flops_per_s(std::string_view text);

// Seconds: "5us", "5 µs", "2ms", "1.5s", "300ns", "2min", "0.001".
[[nodiscard]] Result<double> parse_seconds(std::string_view text);

// A share between 0 and 1: "40%" or "0.4".
[[nodiscard]] Result<double> parse_fraction(std::string_view text);

// Longest list parse_list makes.
inline constexpr std::size_t kMaxListValues = 10000;

// Counts separated by commas; a part may be a range as llama-bench writes it: "4-8" = 4,5,6,7,8,
// "512-2048+512" = 512,1024,1536,2048, "1-256*2" = 1,2,4,...,256. Order and repeats are kept. More
// than kMaxListValues values, an empty part, a falling range or a step that does not grow are
// errors.
[[nodiscard]] Result<std::vector<double>> parse_list(std::string_view text);

// Written as a list or a range, even when it holds a single value: "8-8", "1,".
[[nodiscard]] bool is_list(std::string_view text);

// The text in quotes for a message: at most 60 bytes, control characters replaced.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace rooflens
