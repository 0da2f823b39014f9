// A published measurement: one row of data/measurements/points.csv. Plain values between its reader
// and check.
#pragma once

#include <string>
#include <string_view>

#include "rooflens/core/measured_run.h"

namespace rooflens {

// `run` holds one figure; its `traps` are the row's flags, its `notes` the row's note.
struct MeasuredPoint {
  std::string id, source, date;
  std::string
      group;  // who measured: "lhl/strix-halo-testing", "ggml-org/llama.cpp discussion 4167"
  MeasuredPhase phase = MeasuredPhase::unknown;  // mixed: one rate over the clock of both
  MeasuredRun run;
  std::string setup;       // of the device: "power limit 220 W"
  std::string split;       // "TP4", "layer split (serial)"
  std::string counts;      // what the rate counts, in the source's words
  bool saturated = false;  // as many sequences as fit
  double active_parameters = 0;
  double first_token_s = 0, cold_first_token_s = 0;  // 0 = not told

  [[nodiscard]] bool has(std::string_view flag) const {
    for (const std::string& f : run.traps) {
      if (f == flag) return true;
    }
    return false;
  }
};

}  // namespace rooflens
