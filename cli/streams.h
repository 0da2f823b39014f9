// The end of the process's output.
#pragma once

#include "cli/io.h"

namespace rooflens::cli {

// The exit code of the process. Output that could not be written is an error and said on standard
// error, but for a reader that went away (a closed pipe).
[[nodiscard]] int close_streams(int code, const Io& io);

}  // namespace rooflens::cli
