#include "rooflens/core/quantity.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "rooflens/core/ascii.h"

namespace rooflens {
namespace {

bool is_one_of(std::string_view s, std::initializer_list<std::string_view> list) {
  for (std::string_view item : list) {
    if (same_letters(s, item)) return true;
  }
  return false;
}

// Takes an unsigned decimal number off the front and multiplies it by 10^shift with one rounding.
// May yield infinity; false when there is none.
bool take_number(std::string_view& s, double& out, int shift = 0) {
  static constexpr double kPow10[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  std::uint64_t mantissa = 0;
  int digits = 0, significant = 0, exponent = shift;
  std::size_t i = 0;
  bool point = false;
  for (; i < s.size(); ++i) {
    if (s[i] == '.' && !point) {
      point = true;
    } else if (is_digit(s[i])) {
      ++digits;
      if (significant < 19) {
        mantissa = mantissa * 10 + static_cast<std::uint64_t>(s[i] - '0');
        if (mantissa != 0) ++significant;
        if (point) --exponent;
      } else {
        significant = 20;  // more than fits: leave it to strtod
        if (!point) ++exponent;
      }
    } else {
      break;
    }
  }
  if (digits == 0) return false;
  if (i < s.size() && (s[i] == 'e' || s[i] == 'E')) {
    std::size_t j = i + 1;
    const bool minus = j < s.size() && s[j] == '-';
    if (j < s.size() && (s[j] == '-' || s[j] == '+')) ++j;
    if (j < s.size() && is_digit(s[j])) {
      int e = 0;
      for (; j < s.size() && is_digit(s[j]); ++j) {
        if (e < 100000) e = e * 10 + (s[j] - '0');
      }
      exponent += minus ? -e : e;
      i = j;
    }
  }
  if (mantissa == 0 && significant == 0) {
    out = 0;
  } else if (significant <= 19 && mantissa < (1ULL << 53) && exponent >= -22 && exponent <= 22) {
    const double m = static_cast<double>(mantissa);  // both exact, so one rounding
    out = exponent < 0 ? m / kPow10[-exponent] : m * kPow10[exponent];
  } else {
    out = std::strtod(std::string(s.substr(0, i)).c_str(), nullptr) * std::pow(10.0, shift);
  }
  s.remove_prefix(i);
  return true;
}

// A number and the unit text after it.
struct Split {
  double value = 0;
  std::string_view number, unit;
};

Result<Split> split(std::string_view text, const char* example) {
  std::string_view s = trim(text);
  if (s.empty()) {
    return fail(ErrorCode::malformed, "a number is missing", {}, std::string("as in ") + example);
  }
  if (s.front() == '-') return fail(ErrorCode::invalid, quoted(text) + " cannot be negative");
  if (s.front() == '+') s.remove_prefix(1);
  Split r;
  r.number = s;
  if (!take_number(s, r.value)) {
    return fail(ErrorCode::malformed, quoted(text) + " is not a number", {},
                std::string("write it like ") + example);
  }
  if (!std::isfinite(r.value)) return fail(ErrorCode::out_of_range, quoted(text) + " is too large");
  r.unit = trim(s);
  return r;
}

struct Prefix {
  int power = 0;    // of 1000 or 1024
  char letter = 0;  // as written; 0 = none
  bool binary = false;
};

Prefix take_prefix(std::string_view& s) {
  static constexpr std::string_view kLetters = "kmgtpe";
  if (s.empty()) return {};
  const std::size_t power = kLetters.find(lower(s.front()));
  if (power == std::string_view::npos) return {};
  Prefix p;
  p.letter = s.front();
  s.remove_prefix(1);
  p.binary = !s.empty() && s.front() == 'i';
  if (p.binary) s.remove_prefix(1);
  p.power = static_cast<int>(power) + 1;
  return p;
}

// The number times its prefix, rounded once, times `factor`.
Result<double> scaled(const Split& part, const Prefix& p, double factor, std::string_view text) {
  double r = part.value;
  if (p.binary) {
    r = std::ldexp(r, 10 * p.power);
  } else if (p.power > 0) {
    std::string_view number = part.number;
    take_number(number, r, 3 * p.power);
  }
  r *= factor;
  if (!std::isfinite(r)) return fail(ErrorCode::out_of_range, quoted(text) + " is too large");
  return r;
}

Failure bad_unit(std::string_view text, std::string_view unit, const char* what,
                 const char* example) {
  return fail(ErrorCode::malformed,
              quoted(text) + ": " + quoted(unit) + " is not a unit of " + what, {},
              std::string("write it like ") + example);
}

enum class Data { none, bytes, bits };

// "B", "bytes", "bit", and the b whose meaning hangs on the letter before it.
Data data_unit(std::string_view unit, const Prefix& p) {
  if (unit.empty() || unit == "B" || is_one_of(unit, {"byte", "bytes"})) return Data::bytes;
  if (is_one_of(unit, {"bit", "bits"})) return Data::bits;
  if (unit == "b") {
    const bool small = p.letter >= 'a' && p.letter <= 'z' && !p.binary;
    return small ? Data::bytes : Data::bits;
  }
  return Data::none;
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text.substr(0, 60)) {
    out += static_cast<unsigned char>(c) < 32 || c == 127 ? ' ' : c;
  }
  if (text.size() > 60) out += "...";
  return out + "'";
}

std::optional<double> parse_number(std::string_view text, int shift) {
  std::string_view s = trim(text);
  const bool minus = !s.empty() && s.front() == '-';
  if (!s.empty() && (s.front() == '-' || s.front() == '+')) s.remove_prefix(1);
  double value = 0;
  if (!take_number(s, value, shift) || !s.empty() || !std::isfinite(value)) return std::nullopt;
  return minus ? -value : value;
}

Result<double> parse_count(std::string_view text) {
  auto part = split(text, "8, 8k, 128Ki or 1.5M");
  if (!part) return Failure(part.error());
  std::string_view unit = part->unit;
  if (!unit.empty() && unit.front() == 'm') {
    return fail(ErrorCode::malformed, quoted(text) + ": a small m could mean milli", {},
                "write M for a million");
  }
  const Prefix p = take_prefix(unit);
  if (!unit.empty()) return bad_unit(text, part->unit, "a count", "8, 8k, 128Ki or 1.5M");
  auto value = scaled(*part, p, 1, text);
  if (!value) return value;
  if (*value > 9007199254740992.0) {
    return fail(ErrorCode::out_of_range, quoted(text) + " is too large to count exactly");
  }
  if (const double whole = std::round(*value); std::fabs(*value - whole) <= 1e-9 * whole) {
    return whole;
  }
  return fail(ErrorCode::invalid, quoted(text) + " is not a whole number");
}

Result<double> parse_bytes(std::string_view text) {
  auto part = split(text, "94GB or 94GiB");
  if (!part) return Failure(part.error());
  std::string_view unit = part->unit;
  const Prefix p = take_prefix(unit);
  switch (data_unit(unit, p)) {
    case Data::bytes:
      return scaled(*part, p, 1, text);
    case Data::bits:
      return fail(ErrorCode::malformed, quoted(text) + " is in bits; memory is given in bytes", {},
                  "write GB (1000^3 bytes) or GiB (1024^3 bytes)");
    case Data::none:
      break;
  }
  return bad_unit(text, part->unit, "bytes", "94GB or 94GiB");
}

Result<double> parse_bytes_per_s(std::string_view text) {
  auto part = split(text, "3.35TB/s or 819GB/s");
  if (!part) return Failure(part.error());
  std::string_view unit = part->unit;
  const Prefix p = take_prefix(unit);
  if (is_one_of(unit, {"T/s", "transfers/s"})) {
    return fail(ErrorCode::malformed, quoted(text) + " counts transfers, not bytes", {},
                "a memory is written like ddr5-5600x8: transfers and channels");
  }
  if (same_letters(unit, "bps") && unit != "Bps") return scaled(*part, p, 0.125, text);  // 400gbps
  for (std::string_view end : {"/s", "/sec", "ps"}) {
    if (unit.size() >= end.size() && same_letters(unit.substr(unit.size() - end.size()), end)) {
      unit = trim(unit.substr(0, unit.size() - end.size()));
      break;
    }
  }
  switch (data_unit(unit, p)) {
    case Data::bytes:
      return scaled(*part, p, 1, text);
    case Data::bits:
      return scaled(*part, p, 0.125, text);
    case Data::none:
      break;
  }
  return bad_unit(text, part->unit, "bytes per second", "3.35TB/s or 819GB/s");
}

Result<double> parse_link_rate(std::string_view text) {
  auto part = split(text, "400GB/s or 400Gb/s");
  if (!part) return Failure(part.error());
  std::string_view unit = part->unit;
  take_prefix(unit);
  if (!unit.empty()) return parse_bytes_per_s(text);
  const std::string_view prefix = part->unit;
  const std::string number(trim(text).substr(0, trim(text).size() - prefix.size()));
  const std::string with = std::string(trim(number)) + (prefix.empty() ? "G" : std::string(prefix));
  return fail(ErrorCode::malformed,
              quoted(text) + (prefix.empty() ? " has no unit" : " may be bytes or bits"), {},
              "write " + with + "B/s (bytes) or " + with + "b/s (bits)");
}

Result<double> parse_flops_per_s(std::string_view text) {
  auto part = split(text, "836T or 1.67P");
  if (!part) return Failure(part.error());
  std::string_view unit = part->unit;
  const Prefix p = take_prefix(unit);
  if (p.binary || !is_one_of(unit, {"", "flops", "flop/s", "flops/s", "flop", "ops", "op/s",
                                    "ops/s", "op", "macs/s"})) {
    return bad_unit(text, part->unit, "FLOP per second", "836T or 1.67P");
  }
  if (is_one_of(unit, {"macs/s"})) return scaled(*part, p, 2, text);
  return scaled(*part, p, 1, text);
}

Result<double> parse_seconds(std::string_view text) {
  auto part = split(text, "5us, 2ms or 1.5s");
  if (!part) return Failure(part.error());
  const std::string_view unit = part->unit;
  double factor = 0;
  if (is_one_of(unit, {"", "s", "sec", "second", "seconds"})) factor = 1;
  if (is_one_of(unit, {"ms", "msec"})) factor = 1e-3;
  if (is_one_of(unit, {"us", "usec", "\xC2\xB5s", "\xCE\xBCs"})) factor = 1e-6;
  if (is_one_of(unit, {"ns", "nsec"})) factor = 1e-9;
  if (is_one_of(unit, {"min"})) factor = 60;
  if (is_one_of(unit, {"h"})) factor = 3600;
  if (factor == 0) return bad_unit(text, unit, "time", "5us, 2ms or 1.5s");
  // dividing keeps "5us" equal to 5e-6 to the last bit
  return factor < 1 ? part->value / std::round(1 / factor) : scaled(*part, {}, factor, text);
}

Result<double> parse_fraction(std::string_view text) {
  auto part = split(text, "40% or 0.4");
  if (!part) return Failure(part.error());
  if (!part->unit.empty() && part->unit != "%") {
    return bad_unit(text, part->unit, "a share", "40% or 0.4");
  }
  const double value = part->unit == "%" ? part->value / 100 : part->value;
  if (value > 1) {
    return fail(ErrorCode::out_of_range, quoted(text) + " is more than the whole", {},
                part->unit.empty() ? "write 40% or 0.4" : "");
  }
  return value;
}

}  // namespace rooflens
