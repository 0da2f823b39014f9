// rooflens check FILE: result files of benchmarks, engines and servers.
#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/options.h"
#include "rooflens/views/results_report.h"

namespace rooflens::cli {

// Reads them; the error of the first that is no result file.
[[nodiscard]] Result<std::vector<ReadResults>> read_result_files(const Options& o, const Io& io);

// Tells what they hold; with --model and --on each figure is held against its roof.
[[nodiscard]] int check_results(const Options& o, std::vector<ReadResults> files, Context& c);

}  // namespace rooflens::cli
