#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/io.h"

namespace rooflens::cli {
namespace {

Failure system_error(const std::string& what, const std::string& path, int error) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  std::string hint;
  if (error == EACCES || error == EPERM) hint = "check the permissions of the file and its folder";
  if (error == ENOENT) hint = "check the spelling of the path";
  return fail(missing ? ErrorCode::not_found : ErrorCode::invalid,
              what + ": " + std::strerror(error), path, hint);
}

// A file descriptor that closes itself.
struct Handle {
  int fd = -1;
  explicit Handle(int f) : fd(f) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (fd >= 0) close(fd);
  }
};

class Disk final : public Files {
 public:
  FileKind kind(const std::string& path) const override {
    struct stat s {};
    if (stat(path.c_str(), &s) != 0) return FileKind::none;
    if (S_ISREG(s.st_mode)) return FileKind::file;
    return S_ISDIR(s.st_mode) ? FileKind::folder : FileKind::other;
  }

  std::uint64_t size(const std::string& path) const override {
    struct stat s {};
    return stat(path.c_str(), &s) == 0 ? static_cast<std::uint64_t>(s.st_size) : 0;
  }

  std::vector<std::string> list(const std::string& folder) const override {
    constexpr std::size_t kMost = 100000;
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
         at.increment(error)) {
      if (names.size() == kMost) break;
      names.push_back(at->path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  Result<std::string> read(const std::string& path, std::size_t most) const override {
    const Handle file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.fd < 0) return system_error("cannot open the file", path, errno);
    std::string text;
    struct stat s {};
    if (fstat(file.fd, &s) == 0 && S_ISREG(s.st_mode)) {
      text.reserve(std::min(most, static_cast<std::size_t>(s.st_size)));
    }
    char buffer[65536];
    while (text.size() < most) {
      const std::size_t want = std::min(sizeof buffer, most - text.size());
      const ssize_t got = ::read(file.fd, buffer, want);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return system_error("cannot read the file", path, errno);
      if (got == 0) break;
      text.append(buffer, static_cast<std::size_t>(got));
    }
    return text;
  }

  Result<void> scan(const std::string& path,
                    const std::function<void(std::string_view)>& piece) const override {
    const Handle file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.fd < 0) return system_error("cannot open the file", path, errno);
    std::string buffer(std::size_t{1} << 18, '\0');
    for (;;) {
      const ssize_t got = ::read(file.fd, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return system_error("cannot read the file", path, errno);
      if (got == 0) return {};
      piece(std::string_view(buffer).substr(0, static_cast<std::size_t>(got)));
    }
  }

  Result<void> can_write(const std::string& path) override {
    const bool existed = kind(path) != FileKind::none;
    if (kind(path) == FileKind::folder) return system_error("cannot write", path, EISDIR);
    if (kind(path) == FileKind::other) return {};  // a pipe's reader would see a probe as the end
    {
      const Handle file(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
      if (file.fd < 0) return system_error("cannot write the file", path, errno);
    }
    if (!existed) unlink(path.c_str());
    return {};
  }

  Result<void> write(const std::string& path, std::string_view text) override {
    const Handle file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (file.fd < 0) return system_error("cannot write the file", path, errno);
    while (!text.empty()) {
      const ssize_t put = ::write(file.fd, text.data(), text.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return system_error("cannot write the file", path, errno);
      text.remove_prefix(static_cast<std::size_t>(put));
    }
    return {};
  }
};

}  // namespace

Files& disk() {
  static Disk it;
  return it;
}

}  // namespace rooflens::cli
