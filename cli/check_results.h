// Result files of benchmarks, engines and servers.
#pragma once

#include <vector>

#include "cli/context.h"
#include "cli/options.h"
#include "rooflens/views/results_report.h"

namespace rooflens::cli {

// Tells what they hold; with --model and --on each figure is held against its roof.
[[nodiscard]] int check_results(const Options& o, const std::vector<ReadResults>& files,
                                Context& c);

}  // namespace rooflens::cli
