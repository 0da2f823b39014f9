// Runs of several models, machines or ways of serving, each held against its own roof.
#pragma once

#include <string>
#include <vector>

#include "rooflens/check/diagnose.h"
#include "rooflens/render/json_writer.h"
#include "rooflens/render/report.h"
#include "rooflens/render/roofline_chart.h"

namespace rooflens {

// Runs of one scenario.
struct HeldRuns {
  Analysis analysis;
  std::vector<Diagnosis> diagnoses;
  std::string engine;     // "llama.cpp b6865", "" = the file does not say
  bool coarse = false;    // the model is known by its size alone
  bool possible = false;  // one of several devices that the name can mean
};

// A table of the figures of each scenario, then what is wrong or far with the likely causes, and
// what to measure next; what several figures share is said once.
[[nodiscard]] Report held_runs_report(const std::vector<HeldRuns>& runs);
// All of them in one table, "observations", for CSV.
[[nodiscard]] Report held_runs_table(const std::vector<HeldRuns>& runs);

// The roofs of the devices with the figures as marks (check_marks.h).
[[nodiscard]] RooflineChart held_runs_chart(const std::vector<HeldRuns>& runs);

// The value of `observations`: those of check_report.h, each with model, device and engine.
void held_runs_json(const std::vector<HeldRuns>& runs, JsonWriter& j);

}  // namespace rooflens
