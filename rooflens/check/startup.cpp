#include "rooflens/check/startup.h"

#include <algorithm>

#include "rooflens/check/startup_rows.h"

namespace rooflens {

const char* name_of(Agreement a) {
  switch (a) {
    case Agreement::agrees:
      return "agrees";
    case Agreement::differs:
      return "differs";
    case Agreement::unknown:
      break;
  }
  return "unknown";
}

std::vector<StartupRow> check_startup(const Startup& log, const Model* model) {
  std::vector<StartupRow> rows;
  switch (log.engine) {
    case Engine::llama_cpp:
      check_llama(log, model, rows);
      check_llama_caches(log, model, rows);
      break;
    case Engine::vllm:
      check_vllm(log, model, rows);
      break;
    case Engine::sglang:
      check_sglang(log, model, rows);
      break;
    case Engine::none:
      break;
  }
  const Printed *needed = log.find("needed"), *available = log.find("available");
  const std::string cause =
      needed != nullptr && available != nullptr
          ? needed->text + " are needed for the cache, " + available->text + " are there"
          : "the log does not say how much memory the device has free; "
            "`rooflens MODEL --on DEVICE` says what fits";
  for (const Printed& p : log.problems)
    rows.push_back(unsaid("problem", "memory ran out", p, cause));
  return rows;
}

bool unexplained(const std::vector<StartupRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const StartupRow& r) {
    return r.verdict == Agreement::differs && r.cause.empty();
  });
}

}  // namespace rooflens
