// Start-up logs of inference engines against the arithmetic.
#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/options.h"
#include "rooflens/readers/startup_log.h"

namespace rooflens::cli {

struct ReadLog {
  std::string file;
  StartupLog log;
};

[[nodiscard]] int check_logs(const Options& o, std::vector<ReadLog> files, Context& c);

}  // namespace rooflens::cli
