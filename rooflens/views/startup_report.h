// Start-up logs held against the arithmetic, as every face shows them. docs/cli.md, check.
#pragma once

#include <string>
#include <vector>

#include "rooflens/check/startup.h"
#include "rooflens/render/json_writer.h"
#include "rooflens/render/report.h"

namespace rooflens {

struct CheckedLog {
  std::string file;
  Startup log;
  std::string model;  // what was read of it, in words; "" = it is not known
  std::vector<StartupRow> rows;
};

// One log after another: what agrees in a sentence, a table, and the causes.
[[nodiscard]] Report startup_report(const std::vector<CheckedLog>& logs);

// The same as one table, "startup", whose rows carry their file and cause.
[[nodiscard]] Report startup_table(const std::vector<CheckedLog>& logs);

// One value of the JSON contract: {file, engine, version, model, loads, rows}.
void startup_json(const CheckedLog& log, JsonWriter& out);

}  // namespace rooflens
