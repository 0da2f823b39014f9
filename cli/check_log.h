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

// What logs say, to be printed alone or before other answers. `alone`: options of a scenario change
// nothing then, which is told.
struct ToldLogs {
  Aside aside;
  std::string table;  // that CSV shows
  int code = 0;
};
[[nodiscard]] Result<ToldLogs> tell_logs(const Options& o, std::vector<ReadLog> files, bool alone,
                                         Context& c);

[[nodiscard]] int check_logs(const Options& o, std::vector<ReadLog> files, Context& c);

}  // namespace rooflens::cli
