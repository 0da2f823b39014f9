#include "cli/check_figures.h"

#include <iterator>

#include "cli/exit_code.h"
#include "cli/picture.h"
#include "rooflens/check/diagnose.h"
#include "rooflens/check/two_memories.h"
#include "rooflens/views/analysis_views.h"
#include "rooflens/views/check_report.h"
#include "rooflens/views/fit_report.h"

namespace rooflens::cli {

namespace {

// A part that lies in host memory need not fit the device.
bool partly_on_host(std::span<const std::vector<Observation>> runs, const Analysis& a) {
  if (a.scenario.deployment.layers_on_device >= 0) return true;
  for (const std::vector<Observation>& run : runs) {
    for (const Observation& o : run) {
      if (two_memories(basis_of(o, a), o)) return true;
    }
  }
  return false;
}

void say_idle_host(const Options& o, std::span<const Diagnosis> all, Context& c) {
  if (!o.host_memory) return;
  for (const Diagnosis& d : all) {
    for (const Cause& cause : d.causes) {
      if (cause.tag == "partial_offload") return;
    }
  }
  c.warn(o.host_memory->option +
         " has no effect: nothing says that a part of the weights lies there and is missed "
         "(--gpu-layers says how many layers the device holds)");
}

}  // namespace

int check_figures(std::span<const std::vector<Observation>> runs, const Case& scenario,
                  const Options& o, Context& c, const MoreFigures& more) {
  const Analysis a = analyze(scenario.scenario, scenario.efficiency);
  if (!a.memory.fits && !partly_on_host(runs, a)) {
    // Nothing was measured on what cannot run: say what is missing instead.
    c.warn("the figures cannot come from this configuration: it does not fit");
    if (o.plot) c.warn("--plot: nothing is drawn of what does not fit");
    const Report report = unfit_report(a);
    Output output{.report = &report};
    output.inputs = [&](JsonWriter& j) { inputs_json(a.scenario, j); };
    output.results = [&](JsonWriter& j) { analysis_json(a, j); };
    return print(output, c, kNo);
  }
  std::vector<Diagnosis> all;
  std::vector<std::string> labels;  // one a figure
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::vector<Diagnosis> of_run = diagnose_all(runs[i], a);
    labels.insert(labels.end(), of_run.size(), i < more.labels.size() ? more.labels[i] : "");
    std::move(of_run.begin(), of_run.end(), std::back_inserter(all));
  }
  const std::vector<Fit> fits = fits_by_label(all, labels);
  const auto chart = [&] { return check_chart(all, a, fits); };
  if (auto r = draw_plot(o, c, chart); !r) return complain(c.io, r.error());
  say_idle_host(o, all, c);
  bool possible = true;
  for (const Diagnosis& d : all) possible = possible && d.standing != Standing::unreachable;
  Report report = check_report(all, a, fits);
  report.sections.insert(report.sections.begin(), more.sections.begin(), more.sections.end());
  Output output{.report = &report};
  output.picture = terminal_picture(o, c, chart);
  output.inputs = [&](JsonWriter& j) { inputs_json(a.scenario, j); };
  output.results = [&](JsonWriter& j) {
    j.begin_object().key("observations");
    check_json(all, j);
    fits_json(fits, j.key("fits"));
    if (more.json) more.json(j);
    if (c.before) c.before->members(j);
    j.end();
  };
  return print(output, c, possible ? kDone : kNo);
}

}  // namespace rooflens::cli
