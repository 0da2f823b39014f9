#include "rooflens/views/results_report.h"

#include <algorithm>
#include <map>

#include "rooflens/render/format.h"
#include "rooflens/views/sections.h"

namespace rooflens {
namespace {

Unit unit_of(Figure f) {
  switch (f) {
    case Figure::tokens_per_s:
      return Unit::tokens_per_s;
    case Figure::requests_per_s:
      return Unit::none;
    case Figure::bytes_per_s:
      return Unit::bytes_per_s;
    case Figure::flops_per_s:
      return Unit::flops_per_s;
    case Figure::bandwidth_share:
    case Figure::peak_share:
      return Unit::fraction;
    default:
      return Unit::seconds;
  }
}

Cell count_cell(const char* tag, const std::optional<double>& n) {
  return n ? number(tag, "", *n, Unit::count) : nothing(tag, "", "");
}

Section table(const std::vector<ReadResults>& files) {
  Section s{.tag = "measured", .title = "Measured", .kind = SectionKind::table};
  s.columns = {{"place", "file, line"}, {"model", "model"},   {"phase", "phase"},
               {"what", "what"},        {"value", "value"},   {"counts", "counts"},
               {"batch", "batch"},      {"prompt", "prompt"}, {"context", "context"}};
  for (const ReadResults& file : files) {
    for (const MeasuredRun& run : file.results.runs) {
      for (const Observation& o : run.figures) {
        std::string place = file.file.substr(file.file.rfind('/') + 1);
        place.append(":").append(std::to_string(o.source.line));
        s.rows.push_back({words("place", "", place), words("model", "", run.model),
                          words("phase", "", name_of(o.phase)),
                          words("what", "", name_of(o.figure)),
                          number("value", "", o.value, unit_of(o.figure)),
                          words("counts", "", name_of(o.counting)), count_cell("batch", o.batch),
                          count_cell("prompt", o.prompt), count_cell("context", o.context)});
      }
    }
  }
  return s;
}

// Every note once, with how many runs it is of.
Section notes(const std::vector<ReadResults>& files) {
  std::map<std::string, int> seen;
  std::map<std::string, int> refused;
  for (const ReadResults& file : files) {
    for (const std::string& note : file.results.notes) ++seen[note];
    for (const MeasuredRun& run : file.results.runs) {
      for (const std::string& note : run.notes) ++seen[note];
    }
    for (const Unmeasured& u : file.results.refused) ++refused[u.why];
  }
  Section s{.tag = "notes", .title = "To be known", .kind = SectionKind::prose};
  for (const auto& [note, runs] : seen) {
    std::string text = note;
    if (runs > 1) text.append(" (").append(std::to_string(runs)).append(" runs)");
    s.lines.push_back({std::move(text)});
  }
  for (const auto& [why, count] : refused) {
    std::string text = "No measurement: ";
    text += why;
    if (count > 1) text.append(" (").append(std::to_string(count)).append(" times)");
    s.lines.push_back({std::move(text), Severity::warning});
  }
  return s;
}

void figure_json(const Observation& o, JsonWriter& j) {
  const auto optional = [&](const char* key, const std::optional<double>& v) {
    j.key(key);
    if (v) {
      j.value(*v);
    } else {
      j.null();
    }
  };
  j.begin_object().member("line", o.source.line).member("phase", name_of(o.phase));
  j.member("figure", name_of(o.figure)).member("counting", name_of(o.counting));
  j.member("value", o.value);
  optional("batch", o.batch);
  optional("prompt_tokens", o.prompt);
  optional("output_tokens", o.output);
  optional("context_tokens", o.context);
  optional("cached_prefix_tokens", o.cached_prefix);
  j.end();
}

void words_json(const char* key, const std::vector<std::string>& list, JsonWriter& j) {
  j.key(key).begin_array();
  for (const std::string& word : list) j.value(word);
  j.end();
}

}  // namespace

Report results_report(const std::vector<ReadResults>& files) {
  Report report;
  std::size_t runs = 0;
  for (const ReadResults& file : files) runs += file.results.runs.size();
  report.title =
      files.size() == 1 ? files[0].results.format : std::to_string(files.size()) + " files";
  report.title += runs == 1 ? ", 1 run" : ", " + std::to_string(runs) + " runs";
  report.sections = {table(files), notes(files)};
  if (report.sections[1].lines.empty()) report.sections.pop_back();
  return report;
}

void results_json(const std::vector<ReadResults>& files, JsonWriter& j) {
  j.begin_array();
  for (const ReadResults& file : files) {
    j.begin_object().member("file", file.file).member("format", file.results.format);
    j.key("runs").begin_array();
    for (const MeasuredRun& run : file.results.runs) {
      j.begin_object().member("engine", run.engine).member("build", run.build);
      j.member("model", run.model).member("device", run.device);
      j.key("figures").begin_array();
      for (const Observation& o : run.figures) figure_json(o, j);
      j.end();
      words_json("traps", run.traps, j);
      words_json("notes", run.notes, j);
      j.end();
    }
    j.end().key("refused").begin_array();
    for (const Unmeasured& u : file.results.refused) {
      j.begin_object().member("line", u.line).member("text", u.text).member("why", u.why).end();
    }
    j.end();
    words_json("notes", file.results.notes, j);
    j.end();
  }
  j.end();
}

}  // namespace rooflens
