#include "rooflens/catalogue/memory_spec.h"

#include <charconv>

#include "rooflens/core/ascii.h"
#include "rooflens/core/quantity.h"

namespace rooflens {
namespace {

bool take(std::string_view& s, std::string_view start) {
  if (s.substr(0, start.size()) != start) return false;
  s.remove_prefix(start.size());
  return true;
}

bool take_int(std::string_view& s, int& out) {
  const auto r = std::from_chars(s.data(), s.data() + s.size(), out);
  if (r.ec != std::errc{}) return false;
  s.remove_prefix(static_cast<std::size_t>(r.ptr - s.data()));
  return true;
}

void skip(std::string_view& s, std::string_view any) {
  while (!s.empty() && any.find(s.front()) != std::string_view::npos) s.remove_prefix(1);
}

}  // namespace

std::optional<Result<Device>> parse_memory_spec(std::string_view text) {
  const std::string all = upper(text);
  std::string_view s = all;
  bool wide = false;  // told by its width, not by channels
  if (take(s, "LPDDR") || take(s, "GDDR")) {
    wide = true;
  } else if (!take(s, "DDR") && !take(s, "MRDIMM")) {
    return std::nullopt;
  }
  while (!s.empty() && s.front() != '-' && s.front() != ' ') s.remove_prefix(1);
  const std::string type(all, 0, all.size() - s.size());
  skip(s, "- ");
  int rate = 0;
  if (s.empty() || !is_digit(s.front()) || !take_int(s, rate)) return std::nullopt;

  const char* example = wide ? "lpddr5x-8533x256bit" : "ddr5-5600x8";
  if (rate < 100 || rate > 100000) {
    return fail(ErrorCode::invalid, quoted(text) + ": the speed is given in MT/s", {}, example);
  }
  if (!take(s, " MT/S")) take(s, "MT/S");
  skip(s, " ");
  int number = 0;
  const bool has_number = (take(s, "X") || take(s, "*")) && take_int(s, number);
  skip(s, " ");
  const bool bits = take(s, "BITS") || take(s, "BIT") || take(s, "B");
  if (!bits && !take(s, "CHANNELS") && !take(s, "CHANNEL")) take(s, "CH");
  if (!has_number || !s.empty() || bits != wide) {
    return fail(ErrorCode::malformed,
                quoted(text) + (wide ? ": the width of the bus in bits is needed"
                                     : ": the number of channels is needed"),
                {}, std::string("write it like ") + example);
  }
  if (number < 1 || number > (wide ? 8192 : 64)) {
    return fail(ErrorCode::invalid,
                quoted(text) + (wide ? ": 1 to 8192 bits" : ": 1 to 64 channels"), {}, example);
  }
  Device d;
  d.bytes_per_s = rate * 1e6 * (wide ? number / 8.0 : 8.0 * number);
  d.memory_type = type;
  d.kind = wide ? "soc" : "cpu";
  d.id = std::string(text);
  d.name = type + "-" + std::to_string(rate) + ", " + std::to_string(number) +
           (wide          ? " bits"
            : number == 1 ? " channel"
                          : " channels");
  d.memory_origin = Origin::derived;
  d.source = wide ? "MT/s x width" : "MT/s x 8 bytes x channels";
  return d;
}

}  // namespace rooflens
