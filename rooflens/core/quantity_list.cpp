// parse_list: "1,2,4", "1-256*2", "512-2048+512".
#include "rooflens/core/quantity.h"

namespace rooflens {
namespace {

Failure bad_range(std::string_view part, const char* why) {
  return fail(ErrorCode::malformed, quoted(part) + ": " + why, {},
              "a range is first-last, first-last+step or first-last*factor");
}

// The '-' between first and last: not at the start, not of an exponent.
std::size_t find_dash(std::string_view s) {
  for (std::size_t i = 1; i < s.size(); ++i) {
    if (s[i] == '-' && s[i - 1] != 'e' && s[i - 1] != 'E') return i;
  }
  return std::string_view::npos;
}

Result<bool> append(std::string_view part, std::vector<double>& out) {
  const auto full = [] {
    return fail(ErrorCode::out_of_range,
                "more than " + std::to_string(kMaxListValues) + " values in a list");
  };
  const std::size_t dash = find_dash(part);
  if (dash == std::string_view::npos) {
    const auto value = parse_count(part);
    if (!value) return Failure(value.error());
    if (out.size() >= kMaxListValues) return full();
    out.push_back(*value);
    return true;
  }
  std::string_view tail = part.substr(dash + 1);
  double step = 1;
  bool multiply = false;
  if (const std::size_t op = tail.find_first_of("+*"); op != std::string_view::npos) {
    multiply = tail[op] == '*';
    const auto value = parse_count(tail.substr(op + 1));
    if (!value) return Failure(value.error());
    step = *value;
    tail = tail.substr(0, op);
  }
  const auto first = parse_count(part.substr(0, dash));
  if (!first) return Failure(first.error());
  const auto last = parse_count(tail);
  if (!last) return Failure(last.error());
  if (*last < *first) return bad_range(part, "the range falls");
  if (multiply ? step < 2 || *first == 0 : step < 1) {
    return bad_range(part, "the step does not get anywhere");
  }
  for (double v = *first; v <= *last; v = multiply ? v * step : v + step) {
    if (out.size() >= kMaxListValues) return full();
    out.push_back(v);
  }
  return true;
}

}  // namespace

bool is_list(std::string_view text) {
  return text.find(',') != std::string_view::npos || find_dash(text) != std::string_view::npos;
}

Result<std::vector<double>> parse_list(std::string_view text) {
  std::vector<double> out;
  for (;;) {
    const std::size_t comma = text.find(',');
    if (const auto done = append(text.substr(0, comma), out); !done) return Failure(done.error());
    if (comma == std::string_view::npos) return out;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace rooflens
