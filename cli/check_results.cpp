#include "cli/check_results.h"

#include <set>

#include "cli/check_difference.h"
#include "cli/check_figures.h"
#include "cli/exit_code.h"

namespace rooflens::cli {
namespace {

// Every figure held against the one scenario of the options; what a figure tells of batch and
// lengths goes before the options.
int hold_results(const Options& o, const std::string& model, const std::vector<ReadResults>& files,
                 Context& c) {
  Options scenario_options = o;
  scenario_options.words = {model};
  auto scenario = case_of(scenario_options, c);
  if (!scenario) return complain(c.io, scenario.error());
  std::vector<std::vector<Observation>> runs;
  std::set<std::string> told;  // of many runs each note once
  for (const ReadResults& file : files) {
    for (const MeasuredRun& run : file.results.runs) {
      runs.push_back(run.figures);
      for (const std::string& note : run.notes) {
        if (told.insert(note).second) c.warn(note);
      }
    }
  }
  const Analysis analysis = analyze(scenario->scenario, scenario->efficiency);
  const auto two = two_runs(files, [&](const MeasuredRun&) { return &analysis; });
  MoreFigures more{.labels = run_labels(files), .sections = {}, .json = {}};
  if (two) more.sections = difference_sections(two->compared);
  more.json = [&](JsonWriter& j) {
    if (two) difference_json(two->compared, j.key("difference"));
    results_json(files, j.key("files"));
  };
  return check_figures(runs, *scenario, o, c, more);
}

}  // namespace

int check_results(const Options& o, const std::vector<ReadResults>& files, Context& c) {
  std::size_t figures = 0;
  for (const ReadResults& file : files) {
    for (const MeasuredRun& run : file.results.runs) figures += run.figures.size();
  }
  if (o.model && !o.on.empty() && figures > 0) {
    return hold_results(o, o.model->text, files, c);
  }
  if (figures > 0) {
    c.warn("to hold the figures against their roof, add --model MODEL and --on DEVICE");
  }
  const Report report = results_report(files);
  Output output{.report = &report, .table = "measured"};
  output.inputs = [&](JsonWriter& j) {
    j.begin_object().key("files").begin_array();
    for (const ReadResults& file : files) j.value(file.file);
    j.end().end();
  };
  output.results = [&](JsonWriter& j) {
    results_json(files, j.begin_object().key("files"));
    j.end();
  };
  return print(output, c, kDone);
}

}  // namespace rooflens::cli
