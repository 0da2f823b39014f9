// The end of the process's output.
#pragma once

namespace rooflens::cli {

// Flushes standard output. A reader that went away (a closed pipe) is no error; a full disk is, and
// is said on standard error. Returns the exit code of the process.
[[nodiscard]] int close_streams(int code);

}  // namespace rooflens::cli
