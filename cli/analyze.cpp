// rooflens analyze: the roofline of a model on a machine.
#include "rooflens/core/analyze.h"

#include "cli/exit_code.h"
#include "cli/picture.h"
#include "cli/scenario_options.h"
#include "cli/verbs.h"
#include "rooflens/views/analysis_views.h"

namespace rooflens::cli {
namespace {

int one(const Options& o, Context& c, const std::vector<Analysis>& all) {
  const Analysis& a = all.front();
  const bool fits = a.memory.fits;
  Report report;
  if (!fits) {
    report = unfit_report(a);
  } else if (o.explain) {
    report = explain_report(a);
  } else {
    report = analysis_report(a, {.operators = o.operators});
  }
  Output output{.report = &report};
  output.inputs = [&](JsonWriter& j) { inputs_json(a.scenario, j); };
  output.results = [&](JsonWriter& j) { analysis_json(a, j); };
  if (fits && !o.explain)
    output.picture = terminal_picture(o, c, [&] { return analysis_chart(all); });
  return print(output, c, fits ? kDone : kNo);
}

// Several scenarios: a table, and in JSON a list of what each would have printed alone.
int several(const Options& o, Context& c, const std::vector<Analysis>& all) {
  if (o.explain || o.operators) {
    c.warn((o.explain ? std::string("--explain") : std::string("--operators")) +
           " shows one scenario; this is a table of " + std::to_string(all.size()));
  }
  const Report report = sweep_report(all);
  Output output{.report = &report, .table = first_table(report)};
  output.results = [&](JsonWriter& j) {
    j.begin_object().key("scenarios").begin_array();
    for (const Analysis& a : all) {
      j.begin_object().key("inputs");
      inputs_json(a.scenario, j);
      j.key("results");
      analysis_json(a, j);
      j.end();
    }
    j.end().end();
  };
  bool any = false;
  for (const Analysis& a : all) any = any || a.memory.fits;
  return print(output, c, any ? kDone : kNo);
}

}  // namespace

int analyze_verb(const Options& o, Context& c) {
  auto cases = cases_of(o, c);
  if (!cases) return complain(c.io, cases.error());
  std::vector<Analysis> all;
  all.reserve(cases->all.size());
  for (const Case& each : cases->all) all.push_back(analyze(each.scenario, each.efficiency));
  if (auto r = draw_plot(o, c, [&] { return analysis_chart(all); }); !r)
    return complain(c.io, r.error());
  return cases->several ? several(o, c, all) : one(o, c, all);
}

}  // namespace rooflens::cli
