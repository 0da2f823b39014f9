// rooflens check FILE: start-up logs of inference engines against the arithmetic.
#pragma once

#include "cli/context.h"
#include "cli/options.h"

namespace rooflens::cli {

// The words name files that may be logs, and no claim is made.
[[nodiscard]] bool names_logs(const Options& o, const Io& io);

[[nodiscard]] int check_logs(const Options& o, Context& c);

}  // namespace rooflens::cli
