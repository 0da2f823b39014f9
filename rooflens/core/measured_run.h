// What a result file tells of runs: figures, and what it says of model, machine and serving. Plain
// values between the readers of result files and check.
#pragma once

#include <string>
#include <vector>

#include "rooflens/core/observation.h"

namespace rooflens {

// What a result file says of one run; empty and 0 = it does not say. Words are the file's own.
struct MeasuredRun {
  std::string engine, build;        // "llama.cpp", "b6865"; "vLLM", "0.25.1"
  std::string model, quantisation;  // "qwen3 32B Q8_0"; "Q8_0"
  double model_bytes = 0;           // of the weights
  double model_parameters = 0;
  std::string device;  // as the file names it
  double devices = 0;
  double tensor = 0, pipeline = 0, expert = 0, data = 0;  // ranks
  std::string split;                                      // llama.cpp: "layer", "row", "none"
  double offloaded_layers = -1;            // -1 = not told; below the model's = partly on the CPU
  double experts_on_host = 0;              // layers whose experts are left to the CPU
  bool on_cpu = false;                     // no layer was on another device
  std::string key_cache, value_cache;      // formats
  double drafts = 0, tokens_per_pass = 0;  // speculation: drafted, and yielded by one pass
  double cached_prompt = 0;                // prompt tokens a run, taken from a cache
  double repetitions = 0;
  std::vector<Observation> figures;
  std::vector<std::string> traps;  // tags: "same_wall", "queueing", "prefix_cache" ...
  std::vector<std::string> notes;  // in words, for the reader of the answer
};

// Engine and build: "llama.cpp b6865"; "" = not told.
[[nodiscard]] inline std::string made_by(const MeasuredRun& run) {
  if (run.build.empty()) return run.engine;
  return run.engine.empty() ? run.build : run.engine + " " + run.build;
}

// Devices that serve it, by its ranks or its own word; 0 = not told.
[[nodiscard]] inline double devices_of(const MeasuredRun& run) {
  const auto ranks = [](double n) { return n > 0 ? n : 1.0; };
  if (run.tensor <= 0 && run.pipeline <= 0 && run.data <= 0) return run.devices;
  return ranks(run.tensor) * ranks(run.pipeline) * ranks(run.data);
}

// A figure of the file that is no measurement, and why: "0 requests completed".
struct Unmeasured {
  int line = 0;
  std::string text, why;
};

struct ResultFile {
  std::string format;  // "llama-bench jsonl"
  std::vector<MeasuredRun> runs;
  std::vector<Unmeasured> refused;
  std::vector<std::string> notes;
};

}  // namespace rooflens
