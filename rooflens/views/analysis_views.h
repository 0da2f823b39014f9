// An Analysis as every face shows it: a Report, the JSON contract, a chart. Nothing is computed
// here; the words and the choice of rows are.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooflens/core/analyze.h"
#include "rooflens/render/json_writer.h"
#include "rooflens/render/report.h"
#include "rooflens/render/roofline_chart.h"

namespace rooflens {

struct ViewOptions {
  bool operators = false;  // every operator instead of the groups
};

// One screen: verdicts, ceilings, where the parts sit, speeds, batch and memory.
[[nodiscard]] Report analysis_report(const Analysis& a, const ViewOptions& options = {});

// A configuration that does not fit: what is missing, and the nearest things that fit.
[[nodiscard]] Report unfit_report(const Analysis& a);

// Every headline number with its formula and the values put in.
[[nodiscard]] Report explain_report(const Analysis& a);

// One row per scenario: what was varied, then roofs, speeds, bound, fit.
[[nodiscard]] Report sweep_report(std::span<const Analysis> all);

// The `results` object of the JSON contract for `analyze`, and the `inputs` object.
void analysis_json(const Analysis& a, JsonWriter& out);
void inputs_json(const Scenario& s, JsonWriter& out);

// Ceilings of the first scenario's device (and of others that differ), the parts of both phases,
// and the way the decode step takes as its batch grows.
[[nodiscard]] RooflineChart analysis_chart(std::span<const Analysis> all);

// "Qwen/Qwen3-8B with num_key_value_heads=4, weights Q4_K": the name and what a what-if changed.
[[nodiscard]] std::string model_title(const Model& m);

// "Qwen/Qwen3-8B on 4 x NVIDIA H100 NVL, TP 4"
[[nodiscard]] std::string scenario_title(const Scenario& s);

// "2 replicas, TP 4, ..." ; empty on one device.
[[nodiscard]] std::string parallel_words(const Scenario& s);

// The storage of most of the weights, in words: "fp8_block128b, bf16 head".
[[nodiscard]] std::string format_words(const Model& m);

// The sentence that says what limits a phase and by how much.
[[nodiscard]] std::string verdict(const Analysis& a, const Phase& p, bool decode);

}  // namespace rooflens
