// A start-up log held against the arithmetic, row by row. docs/model.md section 14.1.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "rooflens/core/model.h"
#include "rooflens/core/startup.h"

namespace rooflens {

enum class Agreement : std::uint8_t {
  agrees,  // the prediction, rounded to what is printed, is what is printed
  differs,
  unknown,  // cannot be said: the model, or a size, is not there
};
[[nodiscard]] const char* name_of(Agreement a);  // "agrees", "differs", "unknown"

struct StartupRow {
  std::string tag, what;  // "parameters"
  Printed log;
  double predicted = std::numeric_limits<double>::quiet_NaN();  // in base units; NaN = none
  Agreement verdict = Agreement::unknown;
  std::string cause;  // why it differs or cannot be said; what an agreement rests on
};

// Every figure of the log that the arithmetic has something to say about. `model` may be null; its
// head is taken as the log's parameter count shows where that decides it. A cause is given only
// where its own arithmetic closes the difference to the printed unit.
[[nodiscard]] std::vector<StartupRow> check_startup(const Startup& log, const Model* model);

// True when a row differs and no cause is known.
[[nodiscard]] bool unexplained(const std::vector<StartupRow>& rows);

}  // namespace rooflens
