// What the command returns to the shell; docs/cli.md lists them.
#pragma once

namespace rooflens::cli {

enum ExitCode : int {
  kDone = 0,         // done, and the answer is yes where there was a question
  kNo = 1,           // done, and the answer is no: does not fit, the claim cannot be
  kUsage = 2,        // wrong usage, or something that cannot be read or written
};

}  // namespace rooflens::cli
