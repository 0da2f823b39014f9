// Runs of result files told apart, and two of them told against each other.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rooflens/check/fit.h"
#include "rooflens/core/analyze.h"
#include "rooflens/views/difference_report.h"
#include "rooflens/views/results_report.h"

namespace rooflens::cli {

// File, model, device, engine and build of each run with figures, as far as they differ between the
// runs; all empty where nothing does.
using RunLabels = std::map<const MeasuredRun*, std::string>;
[[nodiscard]] RunLabels run_labels(const std::vector<ReadResults>& files);

// The analysis that a run is held against, null for none; it outlives what is made with it.
using AnalysisOf = std::function<const Analysis*(const MeasuredRun&)>;

// The figures of both sides, what they are fitted to, and what is between them.
struct TwoRuns {
  std::vector<Diagnosis> before, after;
  std::vector<Fit> before_fits, after_fits;
  ComparedRuns compared;
};

// Of two files, of two labels, or of two runs; null where there are not two, or where what is in
// one file has nothing in common.
[[nodiscard]] std::unique_ptr<TwoRuns> two_runs(const std::vector<ReadResults>& files,
                                                const AnalysisOf& analysis);

}  // namespace rooflens::cli
