// Writes .safetensors files for tests; it shares nothing with the reader.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rooflens::test {

class SafetensorsWriter {
 public:
  // `bits` of one value of the dtype.
  void tensor(std::string_view name, std::string_view dtype,
              const std::vector<std::uint64_t>& shape, int bits) {
    std::uint64_t n = 1;
    std::string list;
    for (std::uint64_t d : shape) {
      n *= d;
      list += (list.empty() ? "" : ",") + std::to_string(d);
    }
    const std::uint64_t bytes = (n * static_cast<std::uint64_t>(bits) + 7) / 8;
    json_ += (json_.empty() ? "" : ",") + ("\"" + std::string(name)) + "\":{\"dtype\":\"" +
             std::string(dtype) + "\",\"shape\":[" + list + "],\"data_offsets\":[" +
             std::to_string(data_) + "," + std::to_string(data_ + bytes) + "]}";
    data_ += bytes;
  }
  // An entry as it is: for what cannot be said otherwise.
  void raw(std::string_view text) { json_ += (json_.empty() ? "" : ",") + std::string(text); }

  [[nodiscard]] std::string header() const {
    std::string body = "{" + json_ + "}";
    while ((body.size() + 8) % 8 != 0) body += ' ';
    std::string out;
    for (int i = 0; i < 8; ++i) out += static_cast<char>(body.size() >> (8 * i) & 0xFF);
    return out + body;
  }
  [[nodiscard]] std::uint64_t data() const { return data_; }
  [[nodiscard]] std::uint64_t size() const { return header().size() + data_; }
  [[nodiscard]] std::string file() const { return header() + std::string(data_, '\0'); }

 private:
  std::string json_;
  std::uint64_t data_ = 0;
};

}  // namespace rooflens::test
