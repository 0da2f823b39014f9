#include "rooflens/views/held_runs_report.h"

#include <algorithm>
#include <set>
#include <span>

#include "rooflens/render/format.h"
#include "rooflens/views/analysis_views.h"
#include "rooflens/views/check_many.h"
#include "rooflens/views/check_marks.h"
#include "rooflens/views/check_report.h"
#include "rooflens/views/results_report.h"
#include "rooflens/views/scenario_names.h"

namespace rooflens {
namespace {

constexpr std::size_t kMostLines = 8;  // of one section of prose

// What differs between the figures is a column; what all share stands in the title.
struct Columns {
  bool file = false, model = false, device = false, engine = false, batch = false, prompt = false,
       context = false;
};

Columns columns_of(std::span<const HeldRuns> runs) {
  Columns shown;
  const HeldRuns& first = runs.front();
  std::set<std::string> files;
  std::set<double> batches, contexts;
  for (const HeldRuns& r : runs) {
    shown.model =
        shown.model || r.analysis.scenario.model.name != first.analysis.scenario.model.name;
    shown.device = shown.device || !same_device(r.analysis.scenario.system.device,
                                                first.analysis.scenario.system.device);
    shown.engine = shown.engine || r.engine != first.engine;
    for (const Diagnosis& d : r.diagnoses) {
      files.insert(d.observation.source.file);
      batches.insert(d.batch);
      shown.prompt = shown.prompt || d.phase != MeasuredPhase::decode;
      contexts.insert(d.context);
    }
  }
  shown.file = files.size() > 1;
  shown.batch = batches.size() > 1;
  shown.context = contexts.size() > 1;
  return shown;
}

std::string model_name(const HeldRuns& r) {
  return short_model_name(r.analysis.scenario.model) + (r.coarse ? " (coarse)" : "");
}

std::string device_name(const HeldRuns& r) {
  const Scenario& s = r.analysis.scenario;
  std::string name = short_device_name(s.system.device);
  if (s.system.count > 1) name = std::to_string(s.system.count) + " x " + name;
  return r.possible ? name + "?" : name;
}

std::string title_of(const std::vector<HeldRuns>& runs, const Columns& shown) {
  const HeldRuns& first = runs.front();
  std::string title = shown.model ? "several models" : model_name(first);
  title += " on " + (shown.device ? std::string("several devices") : device_name(first));
  if (!shown.engine && !first.engine.empty()) title += ", " + first.engine;
  return title;
}

Section table(std::span<const HeldRuns> runs, const Columns& shown, std::string title) {
  Section s{.tag = "observations", .title = std::move(title), .kind = SectionKind::table};
  const auto column = [&](bool there, const char* tag, const char* label) {
    if (there) s.columns.push_back({tag, label});
  };
  column(shown.file, "file", "file");
  column(true, "line", "line");
  column(shown.model, "model", "model");
  column(shown.device, "device", "device");
  column(shown.engine, "engine", "engine");
  column(true, "phase", "phase");
  column(shown.batch, "batch", "batch");
  column(shown.prompt, "prompt_tokens", "prompt");
  column(shown.context, "context_tokens", "context");
  column(true, "tokens_per_s", "measured");
  column(true, "roof_tokens_per_s", "roof");
  column(true, "fraction_of_roof", "of roof");
  column(true, "verdict", "bound");
  for (const HeldRuns& r : runs) {
    for (const Diagnosis& d : r.diagnoses) {
      std::vector<Cell>& row = s.rows.emplace_back();
      const Source& source = d.observation.source;
      if (shown.file) row.push_back(words("file", "", file_name(source.file)));
      row.push_back(number("line", "", source.line, Unit::count));
      if (shown.model) row.push_back(words("model", "", model_name(r)));
      if (shown.device) row.push_back(words("device", "", device_name(r)));
      if (shown.engine) row.push_back(words("engine", "", r.engine));
      row.push_back(words("phase", "", name_of(d.phase)));
      if (shown.batch) row.push_back(number("batch", "", d.batch, Unit::count));
      if (shown.prompt) {
        row.push_back(d.phase == MeasuredPhase::decode
                          ? nothing("prompt_tokens", "", "")
                          : number("prompt_tokens", "", d.prompt, Unit::count));
      }
      if (shown.context) row.push_back(number("context_tokens", "", d.context, Unit::count));
      row.push_back(number("tokens_per_s", "", d.tokens_per_s, Unit::tokens_per_s));
      row.push_back(number("roof_tokens_per_s", "", d.roof_tokens_per_s, Unit::tokens_per_s));
      row.push_back(number("fraction_of_roof", "", d.fraction_of_roof, Unit::fraction));
      row.back().severity = severity_of(d.standing);
      row.push_back(words("verdict", "", name_of(d.verdict)));
    }
  }
  return s;
}

// A table for each scenario, which its title names: columns of names would leave no room.
std::vector<Section> tables(const std::vector<HeldRuns>& runs) {
  std::vector<Section> out;
  const Columns all = columns_of(runs);
  for (const HeldRuns& r : runs) {
    const std::span<const HeldRuns> one(&r, 1);
    std::string title = model_name(r) + " on " + device_name(r);
    if (!r.engine.empty()) title += ", " + r.engine;
    const Columns shown = columns_of(one);
    if (all.file && !shown.file && !r.diagnoses.empty()) {
      title += ", " + file_name(r.diagnoses.front().observation.source.file);
    }
    out.push_back(table(one, shown, std::move(title)));
  }
  return out;
}

// Lines of prose, each once, and no more than can be read.
class Lines {
 public:
  Lines(std::string tag, std::string title)
      : section_{.tag = std::move(tag), .title = std::move(title), .kind = SectionKind::prose} {}

  void add(std::string text, Severity severity = Severity::none) {
    if (text.empty() || text == "." || !seen_.insert(text).second) return;
    if (section_.lines.size() < kMostLines) {
      section_.lines.push_back({std::move(text), severity});
    } else {
      ++left_out_;
    }
  }
  [[nodiscard]] Section take() {
    if (left_out_ > 0) {
      section_.lines.push_back(
          {"And " + std::to_string(left_out_) + " more: --json has them all.", Severity::note});
    }
    return std::move(section_);
  }

 private:
  Section section_;
  std::set<std::string> seen_;
  std::size_t left_out_ = 0;
};

std::string whose(const HeldRuns& r, const Columns& shown) {
  if (shown.model) return model_name(r) + (shown.device ? " on " + device_name(r) : "") + ": ";
  return shown.device ? device_name(r) + ": " : "";
}

}  // namespace

Report held_runs_report(const std::vector<HeldRuns>& runs) {
  Report report;
  if (runs.empty()) return report;
  const Columns shown = columns_of(runs);
  report.title = title_of(runs, shown);
  Lines verdicts("verdicts", "Verdicts"), causes("causes", "Likely causes"),
      next("next", "Measure next"), notes("notes", "Notes");
  for (const HeldRuns& r : runs) {
    const std::string who = whose(r, shown);
    for (const Line& l : verdicts_of_many(r.diagnoses).lines)
      verdicts.add(who + l.text, l.severity);
    for (const Line& l : causes_of_many(r.diagnoses).lines) causes.add(who + l.text, l.severity);
    for (const Diagnosis& d : r.diagnoses) {
      next.add(text_of(d.next_experiment) + ".");
      for (const Sentence& n : d.notes) {
        if (n.amounts.empty()) notes.add(text_of(n) + ".");  // the others are of one figure
      }
    }
  }
  report.sections = tables(runs);
  for (Lines* lines : {&verdicts, &causes, &next, &notes}) {
    Section s = lines->take();
    if (!s.lines.empty()) report.sections.push_back(std::move(s));
  }
  return report;
}

Report held_runs_table(const std::vector<HeldRuns>& runs) {
  Report report;
  if (runs.empty()) return report;
  report.sections.push_back(table(runs, columns_of(runs), "Measured against the roof"));
  return report;
}

RooflineChart held_runs_chart(const std::vector<HeldRuns>& runs) {
  if (runs.empty()) return {};
  const Columns shown = columns_of(runs);
  std::vector<Analysis> roofs;  // of each device
  std::vector<Marked> marks;
  for (const HeldRuns& r : runs) {
    const auto same = [&](const Analysis& a) {
      return same_device(a.scenario.system.device, r.analysis.scenario.system.device);
    };
    if (std::none_of(roofs.begin(), roofs.end(), same)) roofs.push_back(r.analysis);
    for (const Diagnosis& d : r.diagnoses) marks.push_back({&d, whose(r, shown)});
  }
  RooflineChart chart = analysis_chart(roofs);
  chart.title = title_of(runs, shown);
  chart.subtitle.clear();
  chart.points.clear();  // what is computed is another thing for each figure
  chart.paths.clear();
  add_marks(marks, nullptr, chart);
  return chart;
}

void held_runs_json(const std::vector<HeldRuns>& runs, JsonWriter& j) {
  j.begin_array();
  for (const HeldRuns& r : runs) {
    const Scenario& s = r.analysis.scenario;
    for (const Diagnosis& d : r.diagnoses) {
      j.begin_object().member("model", s.model.name).member("coarse", r.coarse);
      j.member("device", s.system.device.id).member("devices", s.system.count);
      j.member("device_certain", !r.possible).member("engine", r.engine);
      observation_members(d, j);
      j.end();
    }
  }
  j.end();
}

}  // namespace rooflens
