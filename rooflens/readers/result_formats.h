// The readers of result files, one for each family of formats.
#pragma once

#include <string_view>

#include "rooflens/core/measured_run.h"
#include "rooflens/core/result.h"

namespace rooflens {

inline constexpr std::size_t kMostRuns = 10000;  // kept of one file; the rest is noted

// `recognises` is cheap and looks at content alone; `read` may then still refuse with a reason.
struct ResultFormat {
  const char* name;       // "llama-bench jsonl"
  const char* looks_for;  // in words, for the error of an unknown file
  bool (*recognises)(std::string_view text);
  Result<ResultFile> (*read)(std::string_view text, std::string_view where);
};

// What check must know of a run beside each of its figures: engine, devices, layers, speculation.
void tell_figures(MeasuredRun& run);

// llama.cpp and its kin: llama-bench, batched-bench, llama-server, Ollama, mlx_lm, llama-benchy.
[[nodiscard]] const ResultFormat* local_formats(std::size_t* count);
// Servers and their benchmarks: vLLM, SGLang, TensorRT-LLM, MLPerf, AIPerf, guidellm, Prometheus.
[[nodiscard]] const ResultFormat* server_formats(std::size_t* count);

// Adds what one family of formats found: a page may show results of several tools.
void append_results(ResultFile found, const char* name, ResultFile& all);

}  // namespace rooflens
