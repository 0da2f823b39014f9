// Lines out of pieces of any size, and the few of them that are worth a look.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace rooflens {

// Calls f(line) for every line of the pieces that are fed, without its end. Of a line its first
// kLongestLine bytes are given; no more is kept.
class LineFeed {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{1} << 16;

  template <class F>
  void feed(std::string_view piece, F&& f) {
    while (!piece.empty()) {
      const auto* end = static_cast<const char*>(std::memchr(piece.data(), '\n', piece.size()));
      const std::size_t size =
          end != nullptr ? static_cast<std::size_t>(end - piece.data()) : piece.size();
      std::string_view text = piece.substr(0, size);
      piece.remove_prefix(std::min(piece.size(), size + 1));
      if (end == nullptr || !begun_.empty()) {
        begun_.append(text.substr(0, kLongestLine - std::min(kLongestLine, begun_.size())));
        if (end == nullptr) return;
        text = begun_;
      }
      text = text.substr(0, kLongestLine);
      if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
      f(text);
      begun_.clear();
    }
  }

  // The last line, where no end came after it.
  template <class F>
  void finish(F&& f) {
    if (!begun_.empty()) feed("\n", f);
  }

 private:
  std::string begun_;  // the line that the last piece ended in
};

// Words of which a line must hold one to be looked at. About 1 ns a byte where none is there.
class LineMarks {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // Marks of four letters or more, which must outlive this.
  explicit LineMarks(std::span<const std::string_view> marks) : marks_(marks) {
    for (const std::string_view mark : marks) there_[slot(&mark.front())] = 1;
  }

  // Which mark stands first in the line.
  [[nodiscard]] std::size_t first_in(std::string_view line) const {
    for (std::size_t i = 0; i + 4 <= line.size(); ++i) {
      if (there_[slot(line.data() + i)] == 0) continue;
      for (std::size_t m = 0; m < marks_.size(); ++m) {
        if (line.compare(i, marks_[m].size(), marks_[m]) == 0) return m;
      }
    }
    return kNone;
  }

 private:
  // Which four bytes a mark begins with, hashed.
  static std::size_t slot(const char* p) {
    std::uint32_t four = 0;
    std::memcpy(&four, p, sizeof four);
    return four * 2654435761U >> 20U;
  }

  std::span<const std::string_view> marks_;
  std::array<std::uint8_t, 4096> there_{};
};

}  // namespace rooflens
