// What result files hold, before it is held against a roof. docs/cli.md, check.
#pragma once

#include <string>
#include <vector>

#include "rooflens/core/measured_run.h"
#include "rooflens/render/json_writer.h"
#include "rooflens/render/report.h"

namespace rooflens {

struct ReadResults {
  std::string file;
  ResultFile results;
};

// The last part of a path, as tables and titles name a file.
[[nodiscard]] inline std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// The figures as one table, "measured", then what is to be known of them: traps and what is no
// measurement.
[[nodiscard]] Report results_report(const std::vector<ReadResults>& files);

// The value of `files` in the JSON contract of `check`: an array of {file, format, runs, refused}.
void results_json(const std::vector<ReadResults>& files, JsonWriter& j);

}  // namespace rooflens
