// Metrics that servers give to Prometheus: counters, of which two scrapes make rates.
#pragma once

#include <string_view>

#include "rooflens/core/measured_run.h"
#include "rooflens/core/result.h"

namespace rooflens {

struct Scrape {
  std::string_view text;
  double at = 0;  // seconds, from any origin that both share; 0 = as the text tells, if it does
};

// What vLLM, SGLang or llama-server did between two scrapes of their metrics. Without times only
// figures that need no clock are read (seconds for a token, tokens for a busy second). Errors:
// malformed when a text has none of their counters; invalid when time or counters run backwards.
[[nodiscard]] Result<ResultFile> read_scrapes(const Scrape& before, const Scrape& after,
                                              std::string_view where);

}  // namespace rooflens
