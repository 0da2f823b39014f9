#include "cli/check_results.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "cli/check_difference.h"
#include "cli/check_figures.h"
#include "cli/exit_code.h"
#include "cli/picture.h"
#include "cli/run_scenario.h"
#include "rooflens/check/diagnose.h"
#include "rooflens/check/fit.h"
#include "rooflens/views/analysis_views.h"
#include "rooflens/views/fit_report.h"
#include "rooflens/views/held_runs_report.h"
#include "rooflens/views/sections.h"

namespace rooflens::cli {
namespace {

// Runs of one scenario, before they are held.
struct Group {
  RunScenario scenario;
  std::string engine;
  std::vector<std::vector<Observation>> runs;
  std::vector<const MeasuredRun*> sources;  // of the runs
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
        g.engine = made_by(run);
      }
      groups[at->second].runs.push_back(run.figures);
      groups[at->second].sources.push_back(&run);
    }
  }
  return groups;
}

// Figures that are no measurement: why, how many, and where the first stands.
void tell_left_out(const ReadResults& file, Context& c) {
  std::map<std::string, std::pair<std::size_t, int>> why;  // how many, the first one's line
  for (const Unmeasured& u : file.results.refused) {
    auto& [count, line] = why.emplace(u.why, std::pair<std::size_t, int>{0, u.line}).first->second;
    ++count;
  }
  for (const auto& [reason, seen] : why) {
    c.warn(file.file + ", line " + std::to_string(seen.second) + ": left out, " + reason +
           (seen.first > 1 ? " (" + std::to_string(seen.first) + " figures)" : ""));
  }
  for (const std::string& note : file.results.notes) c.warn(file.file + ": " + note);
}

// What the files tell of their runs, each note once, and what of them is no measurement.
void tell_notes(const std::vector<ReadResults>& files, Context& c) {
  std::set<std::string> told;
  for (const ReadResults& file : files) {
    for (const MeasuredRun& run : file.results.runs) {
      for (const std::string& note : run.notes) {
        if (told.insert(note).second) c.warn(note);
      }
    }
    tell_left_out(file, c);
  }
}

// Nothing can be held: what was measured, and what is missing.
int tell_measured(const std::vector<ReadResults>& files, const Options& o, Context& c) {
  if (o.plot) c.warn("--plot: nothing is drawn, since nothing is held against a roof");
  const Report report = results_report(files);
  Output output{.report = &report, .table = "measured"};
  output.inputs = [&](JsonWriter& j) {
    j.begin_object().key("files").begin_array();
    for (const ReadResults& file : files) j.value(file.file);
    j.end().end();
  };
  output.results = [&](JsonWriter& j) {
    results_json(files, j.begin_object().key("files"));
    if (c.before) c.before->members(j);
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

// The fits of every scenario's runs; where the device can be several, of none: they would differ.
std::vector<Fit> fits_of_groups(const std::vector<Group>& groups, const std::vector<HeldRuns>& runs,
                                const RunLabels& labels) {
  std::vector<Fit> out;
  std::size_t first = 0;  // figure of the answer
  auto held = runs.begin();
  for (const Group& g : groups) {
    for (std::size_t i = 0; i < g.scenario.cases.size(); ++i, ++held) {
      std::vector<std::string> of_figures;
      for (std::size_t r = 0; r < g.runs.size(); ++r) {
        of_figures.insert(of_figures.end(), g.runs[r].size(), labels.at(g.sources[r]));
      }
      if (!held->possible) {
        for (Fit& fit : fits_by_label(held->diagnoses, of_figures)) {
          for (OffFit& off : fit.off) off.index += first;
          out.push_back(std::move(fit));
        }
      }
      first += held->diagnoses.size();
    }
  }
  return out;
}

// The analysis of each run that has one scenario.
std::map<const MeasuredRun*, const Analysis*> analyses_of(const std::vector<Group>& groups,
                                                          const std::vector<HeldRuns>& runs) {
  std::map<const MeasuredRun*, const Analysis*> out;
  auto held = runs.begin();
  for (const Group& g : groups) {
    if (g.scenario.cases.size() == 1) {
      for (const MeasuredRun* run : g.sources) out[run] = &held->analysis;
    }
    held += static_cast<std::ptrdiff_t>(g.scenario.cases.size());
  }
  return out;
}

std::unique_ptr<TwoRuns> two_runs_of(const std::vector<Group>& groups,
                                     const std::vector<HeldRuns>& runs,
                                     const std::vector<ReadResults>& files) {
  const auto analyses = analyses_of(groups, runs);
  return two_runs(files, [&](const MeasuredRun& run) {
    const auto at = analyses.find(&run);
    return at == analyses.end() ? nullptr : at->second;
  });
}

int tell_several(const std::vector<Group>& groups, const std::vector<ReadResults>& files,
                 const Options& o, Context& c) {
  const std::vector<HeldRuns> runs = held(groups, c);
  const std::vector<Fit> fits = fits_of_groups(groups, runs, run_labels(files));
  const auto two = two_runs_of(groups, runs, files);
  Report report = c.format == Format::csv ? held_runs_table(runs) : held_runs_report(runs);
  std::vector<Section> more;
  if (two) more = difference_sections(two->compared);
  for (Section& s : std::vector<Section>{fit_table(fits), fit_evidence(fits)}) {
    if (!is_empty(s)) more.push_back(std::move(s));
  }
  const auto prose = std::find_if(report.sections.begin(), report.sections.end(),
                                  [](const Section& x) { return x.kind != SectionKind::table; });
  report.sections.insert(prose, more.begin(), more.end());
  bool possible = true;
  for (const HeldRuns& h : runs) {
    for (const Diagnosis& d : h.diagnoses) {
      possible = possible && (h.possible || d.standing != Standing::unreachable);
    }
  }
  const auto chart = [&] { return held_runs_chart(runs); };
  if (auto r = draw_plot(o, c, chart); !r) return complain(c.io, r.error());
  Output output{.report = &report, .table = "observations"};
  output.picture = terminal_picture(o, c, chart);
  output.inputs = [&](JsonWriter& j) {
    j.begin_object().key("scenarios").begin_array();
    for (const HeldRuns& h : runs) inputs_json(h.analysis.scenario, j);
    j.end().end();
  };
  output.results = [&](JsonWriter& j) {
    j.begin_object().key("observations");
    held_runs_json(runs, j);
    fits_json(fits, j.key("fits"));
    if (two) difference_json(two->compared, j.key("difference"));
    results_json(files, j.key("files"));
    if (c.before) c.before->members(j);
    j.end();
  };
  return print(output, c, possible ? kDone : kNo);
}

// Runs of one scenario, in full and with the chart.
int tell_one(const Group& only, const std::vector<ReadResults>& files, const Options& o,
             Context& c) {
  const Case& one = only.scenario.cases.front();
  const Analysis analysis = analyze(one.scenario, one.efficiency);
  const auto two = two_runs(files, [&](const MeasuredRun&) { return &analysis; });
  const RunLabels labels = run_labels(files);
  MoreFigures more;
  for (const MeasuredRun* run : only.sources) more.labels.push_back(labels.at(run));
  if (two) more.sections = difference_sections(two->compared);
  more.json = [&](JsonWriter& j) {
    if (two) difference_json(two->compared, j.key("difference"));
    results_json(files, j.key("files"));
  };
  return check_figures(only.runs, one, o, c, more);
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
  if (known == 0) return tell_measured(files, o, c);
  tell_notes(files, c);
  if (groups->size() == 1 && groups->front().scenario.cases.size() == 1) {
    return tell_one(groups->front(), files, o, c);
  }
  return tell_several(*groups, files, o, c);
}

}  // namespace rooflens::cli
