#include "cli/check_results.h"

#include <iterator>
#include <set>

#include "cli/exit_code.h"
#include "cli/picture.h"
#include "cli/scenario_options.h"
#include "rooflens/views/analysis_views.h"
#include "rooflens/views/check_report.h"

namespace rooflens::cli {
namespace {

// Every figure held against the one scenario of the options; what a figure tells of batch and
// lengths goes before the options.
int hold_results(const Options& o, const std::string& model, const std::vector<ReadResults>& files,
                 Context& c) {
  Options scenario = o;
  scenario.words = {model};
  auto cases = cases_of(scenario, c);
  if (!cases) return complain(c.io, cases.error());
  if (cases->several) {
    return complain(c.io, {ErrorCode::invalid,
                           "figures are held against one scenario, not a list of them",
                           {},
                           "give one device and one value of each option"});
  }
  const Analysis a = analyze(cases->all.front().scenario, cases->all.front().efficiency);
  std::vector<Diagnosis> all;
  std::set<std::string> told;  // of many runs each note once
  for (const ReadResults& file : files) {
    for (const MeasuredRun& run : file.results.runs) {
      std::vector<Diagnosis> of_run = diagnose_all(run.figures, a);
      std::move(of_run.begin(), of_run.end(), std::back_inserter(all));
      for (const std::string& note : run.notes) {
        if (told.insert(note).second) c.warn(note);
      }
    }
  }
  const auto chart = [&] { return check_chart(all, a); };
  if (auto r = draw_plot(o, c, chart); !r) return complain(c.io, r.error());
  const Report report = check_report(all, a);
  Output output{.report = &report};
  output.picture = terminal_picture(o, c, chart);
  output.inputs = [&](JsonWriter& j) { inputs_json(a.scenario, j); };
  output.results = [&](JsonWriter& j) {
    j.begin_object().key("observations");
    check_json(all, j);
    j.key("files");
    results_json(files, j);
    j.end();
  };
  bool possible = true;
  for (const Diagnosis& d : all) possible = possible && d.standing != Standing::unreachable;
  return print(output, c, possible ? kDone : kNo);
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
