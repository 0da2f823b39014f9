#include "rooflens/views/held_runs_report.h"

#include <algorithm>
#include <set>

#include "rooflens/render/format.h"
#include "rooflens/views/check_report.h"
#include "rooflens/views/scenario_names.h"

namespace rooflens {
namespace {

constexpr std::size_t kMostLines = 8;  // of one section of prose

// What differs between the figures is a column; what all share stands in the title.
struct Columns {
  bool file = false, model = false, device = false, engine = false, batch = false, prompt = false,
       context = false;
};

Columns columns_of(const std::vector<HeldRuns>& runs) {
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

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string title_of(const std::vector<HeldRuns>& runs, const Columns& shown) {
  const HeldRuns& first = runs.front();
  std::string title = shown.model ? "several models" : model_name(first);
  title += " on " + (shown.device ? std::string("several devices") : device_name(first));
  if (!shown.engine && !first.engine.empty()) title += ", " + first.engine;
  return title;
}

Section table(const std::vector<HeldRuns>& runs, const Columns& shown) {
  Section s{
      .tag = "observations", .title = "Measured against the roof", .kind = SectionKind::table};
  const auto column = [&](bool there, const char* tag, const char* title) {
    if (there) s.columns.push_back({tag, title});
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
      if (shown.file) row.push_back(words("file", "", last_part(source.file)));
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
  Lines verdicts("verdicts", "What stands out"), causes("causes", "Likely causes"),
      next("next", "Measure next"), notes("notes", "Notes");
  for (const HeldRuns& r : runs) {
    for (const Diagnosis& d : r.diagnoses) {
      const Standing s = d.standing;
      if (s != Standing::good && s != Standing::partial) {
        verdicts.add(whose(r, shown) + text_of(d.sentence) + ".", severity_of(s));
        for (const Cause& c : d.causes) {
          if (c.explains) causes.add(std::string(name_of(d.phase)) + ": " + text_of(c.text) + ".");
        }
      }
      next.add(text_of(d.next_experiment) + ".");
      for (const Sentence& n : d.notes) notes.add(text_of(n) + ".");
    }
  }
  report.sections.push_back(table(runs, shown));
  for (Lines* lines : {&verdicts, &causes, &next, &notes}) {
    Section s = lines->take();
    if (!s.lines.empty()) report.sections.push_back(std::move(s));
  }
  return report;
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
