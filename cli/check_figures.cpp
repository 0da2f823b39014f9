#include "cli/check_figures.h"

#include <iterator>

#include "cli/exit_code.h"
#include "cli/picture.h"
#include "rooflens/check/diagnose.h"
#include "rooflens/views/analysis_views.h"
#include "rooflens/views/check_report.h"

namespace rooflens::cli {

int check_figures(std::span<const std::vector<Observation>> runs, const Case& scenario,
                  const Options& o, Context& c, const std::function<void(JsonWriter&)>& more) {
  const Analysis a = analyze(scenario.scenario, scenario.efficiency);
  if (!a.memory.fits) {
    // Nothing was measured on what cannot run: say what is missing instead.
    c.warn("the figures cannot come from this configuration: it does not fit");
    const Report report = unfit_report(a);
    Output output{.report = &report};
    output.inputs = [&](JsonWriter& j) { inputs_json(a.scenario, j); };
    output.results = [&](JsonWriter& j) { analysis_json(a, j); };
    return print(output, c, kNo);
  }
  std::vector<Diagnosis> all;
  for (const std::vector<Observation>& run : runs) {
    std::vector<Diagnosis> of_run = diagnose_all(run, a);
    std::move(of_run.begin(), of_run.end(), std::back_inserter(all));
  }
  const auto chart = [&] { return check_chart(all, a); };
  if (auto r = draw_plot(o, c, chart); !r) return complain(c.io, r.error());
  bool possible = true;
  for (const Diagnosis& d : all) possible = possible && d.standing != Standing::unreachable;
  const Report report = check_report(all, a);
  Output output{.report = &report};
  output.picture = terminal_picture(o, c, chart);
  output.inputs = [&](JsonWriter& j) { inputs_json(a.scenario, j); };
  output.results = [&](JsonWriter& j) {
    j.begin_object().key("observations");
    check_json(all, j);
    if (more) more(j);
    j.end();
  };
  return print(output, c, possible ? kDone : kNo);
}

}  // namespace rooflens::cli
