// Reads the numbers and strings of a GGUF header, every length bounded before it is used.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>

#include "rooflens/readers/gguf_header.h"

namespace rooflens {

inline constexpr std::size_t kGgufKeptText = std::size_t{8} << 20;  // names and strings of a header

// Types of values, by their numbers.
enum class GgufKind : std::uint32_t {
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  f32,
  boolean,
  string,
  array,
  u64,
  i64,
  f64,
};
inline constexpr std::uint32_t kGgufKinds = 13;

[[nodiscard]] inline std::size_t width(GgufKind kind) {
  constexpr std::array<std::size_t, kGgufKinds> widths{1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return widths[static_cast<std::size_t>(kind)];
}

// Reads numbers and strings from the prefix. What is past it asks for more; what is past the file,
// or past what a header may have, is an error. Both stop everything that follows.
class GgufCursor {
 public:
  GgufCursor(std::string_view prefix, std::uint64_t size, std::string_view where)
      : prefix_(prefix), size_(size), where_(where) {}

  bool big_endian = false;
  bool wide = true;  // 64-bit counts, from version 2 on

  [[nodiscard]] bool stopped() const { return need_ > 0 || error_.has_value(); }
  [[nodiscard]] std::uint64_t at() const { return at_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t need() const { return need_; }
  [[nodiscard]] Error take_error() { return error_.value_or(Error{}); }
  [[nodiscard]] bool failed() const { return error_.has_value(); }

  void fail(ErrorCode code, const std::string& message, std::uint64_t offset,
            const std::string& hint) {
    if (stopped()) return;
    error_ = Error{code, message, where_ + ": offset " + std::to_string(offset), hint};
  }
  void malformed(const std::string& message, std::uint64_t offset) {
    fail(ErrorCode::malformed, message, offset, "the file is damaged; fetch it again");
  }

  // True when `n` more bytes can be looked at.
  bool have(std::uint64_t n, std::string_view what) {
    if (stopped()) return false;
    if (n > size_ - at_) {
      fail(ErrorCode::malformed,
           "the file ends in the middle of " + std::string(what) + ": " + std::to_string(n) +
               " bytes are wanted, " + std::to_string(size_ - at_) + " are left",
           at_, "the file is cut off or damaged; fetch it again");
      return false;
    }
    if (n > kGgufHeaderBytes || at_ + n > kGgufHeaderBytes) {
      fail(ErrorCode::out_of_range,
           "the header is larger than " + std::to_string(kGgufHeaderBytes >> 20) + " MiB", at_,
           "no model needs this; check where the file comes from");
      return false;
    }
    if (at_ + n <= prefix_.size()) return true;
    need_ = std::max(at_ + n, 4 * static_cast<std::uint64_t>(prefix_.size()));
    need_ = std::min({need_, size_, kGgufHeaderBytes});
    return false;
  }

  std::uint64_t integer(std::size_t bytes, std::string_view what) {
    if (!have(bytes, what)) return 0;
    std::uint64_t v = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
      const std::size_t from = big_endian ? i : bytes - 1 - i;
      v = v << 8 | static_cast<unsigned char>(prefix_[static_cast<std::size_t>(at_) + from]);
    }
    at_ += bytes;
    return v;
  }
  std::uint32_t word(std::string_view what) { return static_cast<std::uint32_t>(integer(4, what)); }
  std::uint64_t count(std::string_view what) { return integer(wide ? 8 : 4, what); }

  double number(GgufKind kind, std::string_view what) {
    const std::uint64_t v = integer(width(kind), what);
    switch (kind) {
      case GgufKind::i8:
        return static_cast<std::int8_t>(v);
      case GgufKind::i16:
        return static_cast<std::int16_t>(v);
      case GgufKind::i32:
        return static_cast<std::int32_t>(v);
      case GgufKind::i64:
        return static_cast<double>(static_cast<std::int64_t>(v));
      case GgufKind::f32:
        return std::bit_cast<float>(static_cast<std::uint32_t>(v));
      case GgufKind::f64:
        return std::bit_cast<double>(v);
      default:
        return static_cast<double>(v);
    }
  }

  // Keeps the first `most` bytes.
  std::string string(std::string_view what, std::size_t most, std::uint64_t longest) {
    const std::uint64_t start = at_;
    const std::uint64_t length = count(what);
    if (length > longest) {
      malformed(std::string(what) + " of " + std::to_string(length) + " bytes", start);
    }
    if (!have(length, what)) return {};
    const std::size_t kept = std::min(most, static_cast<std::size_t>(length));
    kept_ += kept;
    if (kept_ > kGgufKeptText) {
      fail(ErrorCode::out_of_range,
           "names and strings of more than " + std::to_string(kGgufKeptText >> 20) + " MiB", start,
           "no model needs this; check where the file comes from");
      return {};
    }
    std::string text(prefix_.substr(static_cast<std::size_t>(at_), kept));
    at_ += length;
    return text;
  }
  void skip(std::uint64_t n, std::string_view what) {
    if (have(n, what)) at_ += n;
  }

 private:
  std::string_view prefix_;
  std::uint64_t size_ = 0, at_ = 0, need_ = 0;
  std::size_t kept_ = 0;
  std::string where_;
  std::optional<Error> error_;
};

}  // namespace rooflens
