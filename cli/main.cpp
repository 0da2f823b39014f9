#include <string_view>
#include <vector>

#include "cli/io.h"
#include "cli/streams.h"

int main(int argc, char** argv) {
  rooflens::cli::Io io = rooflens::cli::system_io();
  const std::vector<std::string_view> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  const int code = rooflens::cli::run(args, io);
  return rooflens::cli::close_streams(code, io);
}
