// Writes small GGUF files for tests: every value type, every version, both byte orders. It shares
// nothing with the reader; block sizes are given by whoever asks for a tensor.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rooflens::test {

class GgufWriter {
 public:
  std::uint32_t version = 3;
  bool big_endian = false;
  std::uint32_t alignment = 32;

  void text(std::string_view key, std::string_view value) {
    begin(key, 8);
    put_string(kv_, value);
  }
  void u32(std::string_view key, std::uint32_t value) {
    begin(key, 4);
    put(kv_, value, 4);
  }
  void i32(std::string_view key, std::int32_t value) {
    begin(key, 5);
    put(kv_, static_cast<std::uint32_t>(value), 4);
  }
  void f32(std::string_view key, float value) {
    begin(key, 6);
    put(kv_, std::bit_cast<std::uint32_t>(value), 4);
  }
  void flag(std::string_view key, bool value) {
    begin(key, 7);
    put(kv_, value ? 1 : 0, 1);
  }
  // A value of any scalar type by its number, `width` bytes of `bits`.
  void scalar(std::string_view key, std::uint32_t type, std::uint64_t bits, int width) {
    begin(key, type);
    put(kv_, bits, width);
  }
  void texts(std::string_view key, const std::vector<std::string>& values) {
    begin(key, 9);
    put(kv_, 8, 4);
    put(kv_, values.size(), count_width());
    for (const std::string& v : values) put_string(kv_, v);
  }
  void u32s(std::string_view key, const std::vector<std::uint32_t>& values) {
    begin(key, 9);
    put(kv_, 4, 4);
    put(kv_, values.size(), count_width());
    for (std::uint32_t v : values) put(kv_, v, 4);
  }
  void flags(std::string_view key, const std::vector<bool>& values) {
    begin(key, 9);
    put(kv_, 7, 4);
    put(kv_, values.size(), count_width());
    for (bool v : values) put(kv_, v ? 1 : 0, 1);
  }
  // Bytes as they are, after the key's name and type: for what cannot be said otherwise.
  void raw(std::string_view key, std::uint32_t type, std::string_view bytes) {
    begin(key, type);
    kv_ += bytes;
  }

  // `ne` fastest first, as the format has it. `bytes` is the size of the data.
  void tensor(std::string_view name, std::vector<std::uint64_t> ne, std::uint32_t type,
              std::uint64_t bytes) {
    put_string(info_, name);
    put(info_, ne.size(), 4);
    for (std::uint64_t n : ne) put(info_, n, count_width());
    put(info_, type, 4);
    put(info_, data_, 8);
    data_ += (bytes + alignment - 1) / alignment * alignment;
    end_ = data_ - ((bytes + alignment - 1) / alignment * alignment) + bytes;
    ++tensors_;
  }

  // Everything before the data section, padded.
  [[nodiscard]] std::string header() const {
    std::string out = "GGUF";
    put(out, version, 4);
    put(out, tensors_, count_width());
    put(out, keys_, count_width());
    out += kv_;
    out += info_;
    if (tensors_ > 0) out.resize((out.size() + alignment - 1) / alignment * alignment, '\0');
    return out;
  }
  [[nodiscard]] std::uint64_t size() const { return header().size() + end_; }
  // With a data section of zeros.
  [[nodiscard]] std::string file() const {
    std::string out = header();
    out.resize(out.size() + end_, '\0');
    return out;
  }

 private:
  [[nodiscard]] int count_width() const { return version == 1 ? 4 : 8; }
  void begin(std::string_view key, std::uint32_t type) {
    put_string(kv_, key);
    put(kv_, type, 4);
    ++keys_;
  }
  void put(std::string& out, std::uint64_t value, int width) const {
    for (int i = 0; i < width; ++i) {
      const int shift = 8 * (big_endian ? width - 1 - i : i);
      out += static_cast<char>(value >> shift & 0xFF);
    }
  }
  void put_string(std::string& out, std::string_view s) const {
    put(out, s.size(), count_width());
    out += s;
  }

  std::string kv_, info_;
  std::uint64_t keys_ = 0, tensors_ = 0, data_ = 0, end_ = 0;
};

}  // namespace rooflens::test
