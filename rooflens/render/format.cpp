#include "rooflens/render/format.h"

#include <array>
#include <cmath>

namespace rooflens {
namespace {

constexpr const char* kUnknown = "unknown";

double power10(int e) { return std::pow(10.0, e); }

// |value| as `digits` decimal digits and the exponent of the first one: 0.0468 -> {468, -2}.
struct Scaled {
  long long mantissa = 0;
  int exponent = 0;
};

Scaled scale(double magnitude, int digits) {
  if (magnitude == 0) return {};
  int e = static_cast<int>(std::floor(std::log10(magnitude)));
  const int shift = digits - 1 - e;
  // Two factors, since 10^shift alone overflows for the smallest doubles.
  const int half = shift / 2;
  double m =
      shift >= 0 ? magnitude * power10(half) * power10(shift - half) : magnitude / power10(-shift);
  long long mantissa = std::llround(m);
  const auto limit = std::llround(power10(digits));
  if (mantissa >= limit) {  // 999.96 -> 1000; also log10 one too small
    mantissa = std::llround(m / 10);
    ++e;
  } else if (mantissa < limit / 10) {  // log10 one too large
    mantissa = std::llround(m * 10);
    --e;
  }
  return {mantissa, e};
}

std::string with_commas(const std::string& digits) {
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string plain(Scaled s, int digits) {
  std::string d = std::to_string(s.mantissa);
  if (s.mantissa == 0) return "0";
  if (s.exponent < 0) return "0." + std::string(static_cast<std::size_t>(-s.exponent - 1), '0') + d;
  const auto whole = static_cast<std::size_t>(s.exponent) + 1;
  if (whole >= static_cast<std::size_t>(digits)) {
    d.append(whole - d.size(), '0');
    return with_commas(d);
  }
  return with_commas(d.substr(0, whole)) + "." + d.substr(whole);
}

// Without trailing zeros: 1.50 -> 1.5, 1.00e-6 -> 1e-6.
std::string trimmed(std::string s) {
  const std::size_t e = s.find('e');
  const std::string tail = e == std::string::npos ? "" : s.substr(e);
  s.resize(s.size() - tail.size());
  if (s.find('.') == std::string::npos) return s + tail;
  while (s.back() == '0') s.pop_back();
  if (s.back() == '.') s.pop_back();
  return s + tail;
}

bool is_small_integer(double v) { return std::fabs(v) < 1e15 && v == std::floor(v); }

struct Prefix {
  const char* name;
  double factor;
};
constexpr std::array<Prefix, 7> kDecimal{
    {{"E", 1e18}, {"P", 1e15}, {"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"k", 1e3}, {"", 1}}};
constexpr std::array<Prefix, 7> kBinary{{{"Ei", 1152921504606846976.0},
                                         {"Pi", 1125899906842624.0},
                                         {"Ti", 1099511627776.0},
                                         {"Gi", 1073741824.0},
                                         {"Mi", 1048576.0},
                                         {"Ki", 1024.0},
                                         {"", 1}}};
constexpr std::array<Prefix, 4> kNames{{{"T", 1e12}, {"B", 1e9}, {"M", 1e6}, {"", 1}}};

// The largest prefix whose *rounded* number is at least 1: 999.96e9 is 1.00 T, not 1000 G.
template <std::size_t N>
const Prefix& prefix_of(double magnitude, const std::array<Prefix, N>& table) {
  for (const Prefix& p : table)
    if (magnitude / p.factor >= 0.9995) return p;
  return table.back();
}

template <std::size_t N>
Formatted prefixed(double v, const std::array<Prefix, N>& table, const char* unit) {
  const Prefix& p = prefix_of(std::fabs(v), table);
  const double x = v / p.factor;
  const bool exact = p.factor == 1 && is_small_integer(x);
  return {exact ? grouped(x) : significant(x, 3), std::string(p.name) + unit, false};
}

// Whole numbers exactly; fractions with three digits, or to the unit from 100 on.
std::string counted(double v) {
  if (std::fabs(v) >= 1e15) return significant(v, 3);
  if (is_small_integer(v) || std::fabs(v) >= 99.95) return grouped(v);
  return significant(v, 3);
}

Formatted seconds(double v) {
  const double m = std::fabs(v);
  if (m == 0) return {"0", "s", false};
  if (m >= 0.9995 * 172800) return {significant(v / 86400, 3), "d", false};
  if (m >= 0.9995 * 7200) return {significant(v / 3600, 3), "h", false};
  if (m >= 0.9995 * 600) return {significant(v / 60, 3), "min", false};
  if (m >= 0.9995) return {significant(v, 3), "s", false};
  if (m >= 0.9995e-3) return {significant(v * 1e3, 3), "ms", false};
  if (m >= 0.9995e-6) return {significant(v * 1e6, 3), "µs", false};
  return {significant(v * 1e9, 3), "ns", false};
}

Formatted dollars(double v, const char* unit) {
  const double m = std::fabs(v);
  std::string n = m >= 999.5 && m < 1e15 ? grouped(m) : significant(m, m >= 99.5 ? 3 : 2);
  if (m >= 0.995 && m < 999.5) {  // cents, as prices are written
    const std::string cents = std::to_string(std::llround(m * 100));
    n = cents.substr(0, cents.size() - 2) + "." + cents.substr(cents.size() - 2);
  }
  return {(v < 0 ? "-$" : "$") + n, unit, true};
}

}  // namespace

const char* name_of(Unit u) {
  switch (u) {
    case Unit::none:
    case Unit::count:
    case Unit::parameters:
    case Unit::fraction:
    case Unit::ratio:
      return "1";
    case Unit::tokens:
      return "token";
    case Unit::tokens_per_s:
      return "token/s";
    case Unit::flops:
      return "FLOP";
    case Unit::flops_per_s:
      return "FLOP/s";
    case Unit::bytes:
    case Unit::bytes_binary:
      return "byte";
    case Unit::bytes_per_s:
      return "byte/s";
    case Unit::seconds:
      return "s";
    case Unit::flop_per_byte:
      return "FLOP/byte";
    case Unit::dollars:
      return "USD";
    case Unit::dollars_per_hour:
      return "USD/h";
    case Unit::dollars_per_mtok:
      return "USD/1e6 token";
    case Unit::watts:
      return "W";
    case Unit::hertz:
      return "Hz";
  }
  return "1";
}

std::string Formatted::text() const {
  if (unit.empty()) return number;
  return number + (tight ? "" : " ") + unit;
}

std::string significant(double value, int digits) {
  if (!std::isfinite(value)) return kUnknown;
  const double magnitude = std::fabs(value);
  const Scaled s = scale(magnitude, digits);
  const std::string sign = std::signbit(value) && s.mantissa != 0 ? "-" : "";
  if (s.mantissa == 0) return "0";
  if (s.exponent >= -4 && s.exponent < 15) return sign + plain(s, digits);
  std::string d = std::to_string(s.mantissa);
  if (d.size() > 1) d.insert(1, ".");
  return sign + d + (s.exponent < 0 ? "e-" : "e+") + std::to_string(std::abs(s.exponent));
}

std::string grouped(double value) {
  const long long v = std::llround(value);
  return (v < 0 ? "-" : "") + with_commas(std::to_string(v < 0 ? -v : v));
}

Formatted format_parts(double v, Unit unit) {
  if (!std::isfinite(v)) return {kUnknown, "", false};
  switch (unit) {
    case Unit::none:
    case Unit::count:
      return {counted(v), "", false};
    case Unit::parameters:
      return prefixed(v, kNames, "");
    case Unit::tokens: {
      const std::string n = counted(v);
      return {n, n == "1" || n == "-1" ? "token" : "tokens", false};
    }
    case Unit::tokens_per_s:
      if (std::fabs(v) >= 9999999.5) return prefixed(v, kDecimal, "tok/s");
      return {std::fabs(v) >= 99.95 || v == 0 ? grouped(v) : significant(v, 3), "tok/s", false};
    case Unit::flops:
      return prefixed(v, kDecimal, "FLOP");
    case Unit::flops_per_s:
      return prefixed(v, kDecimal, "FLOP/s");
    case Unit::bytes:
      return prefixed(v, kDecimal, "B");
    case Unit::bytes_binary:
      return prefixed(v, kBinary, "B");
    case Unit::bytes_per_s:
      return prefixed(v, kDecimal, "B/s");
    case Unit::seconds:
      return seconds(v);
    case Unit::fraction:
      return {significant(v * 100, 3), "%", false};
    case Unit::flop_per_byte: {
      const bool large = std::fabs(v) >= 999.5 && std::fabs(v) < 1e15;
      return {large ? grouped(v) : significant(v, 3), "FLOP/B", false};
    }
    case Unit::ratio:
      return {std::fabs(v) >= 999.5 && std::fabs(v) < 1e15 ? grouped(v) : significant(v, 3), "x",
              true};
    case Unit::dollars:
      return dollars(v, "");
    case Unit::dollars_per_hour:
      return dollars(v, "/h");
    case Unit::dollars_per_mtok:
      return dollars(v, "/Mtok");
    case Unit::watts:
      return prefixed(v, kDecimal, "W");
    case Unit::hertz:
      return prefixed(v, kDecimal, "Hz");
  }
  return {significant(v, 3), "", false};
}

std::string format(double value, Unit unit) { return format_parts(value, unit).text(); }

std::string format_short(double value, std::string_view unit) {
  if (!std::isfinite(value)) return kUnknown;
  const Prefix& p =
      std::fabs(value) < 0.9995e21 ? prefix_of(std::fabs(value), kDecimal) : kDecimal.back();
  std::string out = trimmed(significant(value / p.factor, 3));
  const std::string suffix = std::string(p.name) + std::string(unit);
  return suffix.empty() ? out : out + " " + suffix;
}

}  // namespace rooflens
