#include "cli/check_difference.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace rooflens::cli {
namespace {

// What a run can be told by.
std::vector<std::string> parts_of(const ReadResults& file, const MeasuredRun& run) {
  return {file_name(file.file), run.model, run.quantisation, run.device, made_by(run)};
}

// A run and the side it is on: 0 or 1, any other number for none.
struct Sided {
  const MeasuredRun* run = nullptr;
  std::size_t side = 0;
};

bool has_figures(const ReadResults& file) {
  return std::any_of(file.results.runs.begin(), file.results.runs.end(),
                     [](const MeasuredRun& run) { return !run.figures.empty(); });
}

// Divides the runs, and names the sides; false where there are not two.
bool divide(const std::vector<ReadResults>& files, std::vector<Sided>& runs, ComparedRuns& out) {
  const RunLabels labels = run_labels(files);
  std::vector<std::string> names;  // the different ones
  for (const ReadResults& file : files) {
    for (const MeasuredRun& run : file.results.runs) {
      if (run.figures.empty()) continue;
      const std::string& label = labels.at(&run);
      if (std::find(names.begin(), names.end(), label) == names.end()) names.push_back(label);
    }
  }
  const bool by_file = files.size() == 2, by_label = names.size() == 2;
  for (std::size_t f = 0; f < files.size(); ++f) {
    for (const MeasuredRun& run : files[f].results.runs) {
      if (run.figures.empty()) continue;
      const std::size_t at = runs.size();
      const std::size_t label = labels.at(&run) == names.front() ? 0 : 1;
      runs.push_back({&run, by_file ? f : by_label ? label : at});
    }
  }
  if (by_file) {
    const bool same = file_name(files[0].file) == file_name(files[1].file);
    out.before = same ? files[0].file : file_name(files[0].file);
    out.after = same ? files[1].file : file_name(files[1].file);
    return has_figures(files[0]) && has_figures(files[1]);
  }
  out.before = by_label ? names[0] : "the first run";
  out.after = by_label ? names[1] : "the second run";
  return by_label || runs.size() == 2;
}

std::vector<MeasuredStep> steps_of(const std::vector<Diagnosis>& figures,
                                   const std::vector<const Analysis*>& analyses,
                                   const std::vector<Fit>& fits) {
  std::vector<MeasuredStep> out;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const auto fit = std::find_if(fits.begin(), fits.end(),
                                  [&](const Fit& f) { return f.phase == figures[i].phase; });
    out.push_back({&figures[i], analyses[i], fit == fits.end() ? nullptr : &*fit});
  }
  return out;
}

}  // namespace

RunLabels run_labels(const std::vector<ReadResults>& files) {
  RunLabels labels;
  std::vector<std::vector<std::string>> all;
  std::vector<std::string*> out;
  for (const ReadResults& file : files) {
    for (const MeasuredRun& run : file.results.runs) {
      if (run.figures.empty()) continue;
      all.push_back(parts_of(file, run));
      out.push_back(&labels[&run]);
    }
  }
  for (std::size_t part = 0; !all.empty() && part < all.front().size(); ++part) {
    const bool differs = std::any_of(
        all.begin(), all.end(), [&](const auto& run) { return run[part] != all.front()[part]; });
    if (!differs) continue;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i][part].empty()) continue;
      *out[i] += (out[i]->empty() ? "" : ", ") + all[i][part];
    }
  }
  return labels;
}

std::unique_ptr<TwoRuns> two_runs(const std::vector<ReadResults>& files,
                                  const AnalysisOf& analysis) {
  auto two = std::make_unique<TwoRuns>();
  std::vector<Sided> runs;
  if (!divide(files, runs, two->compared)) return nullptr;
  std::vector<const Analysis*> before, after;
  for (const Sided& r : runs) {
    if (r.side > 1) continue;
    const bool first = r.side == 0;
    const Analysis* a = analysis(*r.run);
    if (a == nullptr) continue;
    std::vector<Diagnosis> figures = diagnose_all(r.run->figures, *a);
    std::vector<const Analysis*>& analyses = first ? before : after;
    analyses.insert(analyses.end(), figures.size(), a);
    std::move(figures.begin(), figures.end(), std::back_inserter(first ? two->before : two->after));
  }
  two->before_fits = fits_of(two->before);
  two->after_fits = fits_of(two->after);
  ComparedRuns& c = two->compared;
  c.before_steps = steps_of(two->before, before, two->before_fits);
  c.after_steps = steps_of(two->after, after, two->after_fits);
  c.found = differences(c.before_steps, c.after_steps);
  if (c.found.pairs.empty() && files.size() != 2) return nullptr;
  return two;
}

}  // namespace rooflens::cli
