// rooflens check FILE...: what the files are, and who tells about them.
#pragma once

#include "cli/context.h"
#include "cli/options.h"

namespace rooflens::cli {

// The words name files, and no claim is made.
[[nodiscard]] bool names_files(const Options& o, const Io& io);

// Each file is read once, pipes too: start-up logs go to check_logs, results to check_results. Of a
// log that is both, or of files of both kinds, the start-up is told before the figures.
[[nodiscard]] int check_files(const Options& o, Context& c);

}  // namespace rooflens::cli
