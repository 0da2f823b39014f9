// Rows of a start-up check, engine by engine (internal to check).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rooflens/check/startup.h"

namespace rooflens {

// What may have made the printed figure, and the words for it.
struct Candidate {
  double value = 0;
  std::string cause;
};

// A row for `log`: it agrees when it is what `predicted` rounds to (`note` is then its cause); else
// it differs, for the first of `others` that rounds to it.
[[nodiscard]] inline StartupRow compared(std::string tag, std::string what, const Printed& log,
                                         double predicted, const std::string& note = {},
                                         const std::vector<Candidate>& others = {}) {
  StartupRow row{std::move(tag), std::move(what), log, predicted, Agreement::differs, {}};
  if (log.rounds_to(predicted)) {
    row.verdict = Agreement::agrees;
    row.cause = note;
    return row;
  }
  for (const Candidate& c : others) {
    if (!log.rounds_to(c.value)) continue;
    row.cause = c.cause;
    break;
  }
  return row;
}

[[nodiscard]] inline StartupRow unsaid(std::string tag, std::string what, const Printed& log,
                                       std::string cause) {
  StartupRow row;
  row.tag = std::move(tag);
  row.what = std::move(what);
  row.log = log;
  row.cause = std::move(cause);
  return row;
}

inline constexpr const char* kUnknownModel = "the model is not known; name it with --model";

void check_llama(const Startup& log, const Model* model, std::vector<StartupRow>& rows);
void check_llama_caches(const Startup& log, const Model* model, std::vector<StartupRow>& rows);
void check_vllm(const Startup& log, const Model* model, std::vector<StartupRow>& rows);
void check_sglang(const Startup& log, const Model* model, std::vector<StartupRow>& rows);

}  // namespace rooflens
