#include "cli/check_results.h"

#include <map>
#include <set>

#include "cli/check_figures.h"
#include "cli/exit_code.h"
#include "cli/run_scenario.h"
#include "rooflens/check/diagnose.h"
#include "rooflens/views/analysis_views.h"
#include "rooflens/views/held_runs_report.h"

namespace rooflens::cli {
namespace {

// Runs of one scenario, before they are held.
struct Group {
  RunScenario scenario;
  std::string engine;
  std::vector<std::vector<Observation>> runs;
};

// The runs that have figures, by scenario, in the files' order.
Result<std::vector<Group>> groups_of(const Options& o, const std::vector<ReadResults>& files,
                                     Context& c) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> by_key;
  for (const ReadResults& file : files) {
    for (const MeasuredRun& run : file.results.runs) {
      if (run.figures.empty()) continue;
      const auto [at, fresh] = by_key.emplace(scenario_key(run), groups.size());
      if (fresh) {
        auto scenario = scenario_of_run(o, run, c);
        if (!scenario) return Failure(std::move(scenario.error()));
        Group& g = groups.emplace_back();
        g.scenario = std::move(*scenario);
        g.engine = run.build.empty() ? run.engine : run.engine + " " + run.build;
      }
      groups[at->second].runs.push_back(run.figures);
    }
  }
  return groups;
}

// What the files tell of their runs, each note once.
void tell_notes(const std::vector<ReadResults>& files, Context& c) {
  std::set<std::string> told;
  for (const ReadResults& file : files) {
    for (const MeasuredRun& run : file.results.runs) {
      for (const std::string& note : run.notes) {
        if (told.insert(note).second) c.warn(note);
      }
    }
  }
}

// Nothing can be held: what was measured, and what is missing.
int tell_measured(const std::vector<ReadResults>& files, Context& c) {
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

std::vector<HeldRuns> held(const std::vector<Group>& groups, Context& c) {
  std::vector<HeldRuns> out;
  for (const Group& g : groups) {
    for (const Case& one : g.scenario.cases) {
      HeldRuns h;
      h.analysis = analyze(one.scenario, one.efficiency);
      h.engine = g.engine;
      h.coarse = g.scenario.coarse;
      h.possible = g.scenario.cases.size() > 1;
      if (!h.analysis.memory.fits) {
        c.warn(scenario_title(one.scenario) +
               ": the weights do not fit: part of them was elsewhere, or the device is another");
      }
      for (const std::vector<Observation>& run : g.runs) {
        for (Diagnosis& d : diagnose_all(run, h.analysis)) h.diagnoses.push_back(std::move(d));
      }
      out.push_back(std::move(h));
    }
  }
  return out;
}

int tell_several(const std::vector<Group>& groups, const std::vector<ReadResults>& files,
                 Context& c) {
  const std::vector<HeldRuns> runs = held(groups, c);
  const Report report = held_runs_report(runs);
  bool possible = true;
  for (const HeldRuns& h : runs) {
    for (const Diagnosis& d : h.diagnoses) {
      possible = possible && (h.possible || d.standing != Standing::unreachable);
    }
  }
  Output output{.report = &report, .table = "observations"};
  output.inputs = [&](JsonWriter& j) {
    j.begin_object().key("scenarios").begin_array();
    for (const HeldRuns& h : runs) inputs_json(h.analysis.scenario, j);
    j.end().end();
  };
  output.results = [&](JsonWriter& j) {
    j.begin_object().key("observations");
    held_runs_json(runs, j);
    results_json(files, j.key("files"));
    j.end();
  };
  return print(output, c, possible ? kDone : kNo);
}

}  // namespace

int check_results(const Options& o, const std::vector<ReadResults>& files, Context& c) {
  auto groups = groups_of(o, files, c);
  if (!groups) return complain(c.io, groups.error());
  std::size_t known = 0;
  for (const Group& g : *groups) {
    if (g.scenario.cases.empty()) {
      c.warn("not held against a roof: " + g.scenario.missing);
    } else {
      ++known;
      if (!g.scenario.found.empty()) c.warn(g.scenario.found);
    }
  }
  if (known == 0) return tell_measured(files, c);
  tell_notes(files, c);
  if (groups->size() == 1 && groups->front().scenario.cases.size() == 1) {
    const Group& only = groups->front();
    return check_figures(only.runs, only.scenario.cases.front(), o, c,
                         [&](JsonWriter& j) { results_json(files, j.key("files")); });
  }
  return tell_several(*groups, files, c);
}

}  // namespace rooflens::cli
