#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "cli/exit_code.h"
#include "cli/io.h"
#include "cli/streams.h"

namespace rooflens::cli {
namespace {

constexpr std::size_t kMostOutput = std::size_t{1} << 20;
constexpr std::chrono::seconds kPatience{2};

int terminal_width(int fd) {
  winsize size{};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// Everything the child writes before it ends or `deadline` passes.
bool collect(int fd, std::string& text) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd waiting{fd, POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(left.count())) <= 0) continue;
    char buffer[4096];
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > kMostOutput) return false;
  }
}

[[noreturn]] void become(const std::vector<std::string>& command, int out) {
  const int nowhere = open("/dev/null", O_RDWR);
  dup2(nowhere, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  _exit(127);
}

std::optional<std::string> output_of(const std::vector<std::string>& command) {
  int ends[2];
  if (command.empty() || pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return std::nullopt;
  }
  if (child == 0) become(command, ends[1]);
  close(ends[1]);
  std::string text;
  const bool whole = collect(ends[0], text);
  close(ends[0]);
  if (!whole) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!whole || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return text;
}

}  // namespace

Io system_io() {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is then an error of the write
  Io io{.out = std::cout, .err = std::cerr, .env = {}, .run_command = output_of};
  io.env = [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
  };
  io.tty = isatty(STDOUT_FILENO) != 0;
  io.err_tty = isatty(STDERR_FILENO) != 0;
  io.width = io.tty ? terminal_width(STDOUT_FILENO) : 80;
  return io;
}

int close_streams(int code, const Io& io) {
  if (io.out || io.out_error == EPIPE) return code;
  io.err << "rooflens: error: cannot write to standard output";
  if (io.out_error != 0) io.err << ": " << std::strerror(io.out_error);
  io.err << '\n';
  return kUsage;
}

}  // namespace rooflens::cli
