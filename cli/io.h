// The world as the command sees it, so that tests run whole commands in-process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rooflens/core/result.h"

namespace rooflens::cli {

enum class FileKind { none, file, folder, other };

class Files {
 public:
  virtual ~Files() = default;
  [[nodiscard]] virtual FileKind kind(const std::string& path) const = 0;

  // Bytes of a file; 0 when there is none.
  [[nodiscard]] virtual std::uint64_t size(const std::string& path) const = 0;

  // The names in a folder, sorted; empty when it cannot be read. At most 100,000.
  [[nodiscard]] virtual std::vector<std::string> list(const std::string& folder) const = 0;

  // The first `most` bytes at the most. Errors name the path and what the system said.
  [[nodiscard]] virtual Result<std::string> read(const std::string& path,
                                                 std::size_t most) const = 0;

  // The whole file, piece by piece. The disk keeps none of it; here it is read at once. Errors as of
  // read().
  [[nodiscard]] virtual Result<void> scan(
      const std::string& path, const std::function<void(std::string_view)>& piece) const {
    auto text = read(path, static_cast<std::size_t>(-1));
    if (!text) return Failure(std::move(text.error()));
    piece(*text);
    return {};
  }

  // Whether write() would work, found out before the work is done; leaves no file behind.
  [[nodiscard]] virtual Result<void> can_write(const std::string& path) = 0;
  [[nodiscard]] virtual Result<void> write(const std::string& path, std::string_view text) = 0;
};

// The disk. Paths are those of the operating system.
[[nodiscard]] Files& disk();

struct Io {
  std::ostream& out;
  std::ostream& err;
  std::function<std::optional<std::string>(const char* name)> env;  // nullopt = not set
  int width = 80;                                                   // of the terminal, in columns
  bool tty = false;                                                 // out is a terminal
  bool err_tty = false;
  int out_error = 0;  // errno of the first write to `out` that failed
  Files* files = &disk();
  // What a program prints, its name looked up in PATH; nullopt when there is no such program, when
  // it fails, or when it takes longer than two seconds.
  std::function<std::optional<std::string>(const std::vector<std::string>& command)> run_command;
};

// An environment variable, "" when it is not set.
[[nodiscard]] inline std::string variable(const Io& io, const char* name) {
  return io.env ? io.env(name).value_or("") : std::string();
}

// The process's own streams, environment, terminal and disk.
[[nodiscard]] Io system_io();

// The whole command: arguments without the program's name; returns the exit code. Never throws.
[[nodiscard]] int run(std::span<const std::string_view> args, Io& io);

}  // namespace rooflens::cli
