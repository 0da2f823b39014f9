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

const char* short_name(Figure f) {
  switch (f) {
    case Figure::tokens_per_s:
    case Figure::requests_per_s:
      return "rate";
    case Figure::time_to_first_token_s:
      return "TTFT";
    case Figure::time_per_token_s:
      return "TPOT";
    case Figure::request_s:
      return "request";
    case Figure::step_s:
      return "step";
    default:
      return name_of(f);
  }
}

Cell count_cell(const char* tag, const std::optional<double>& n) {
  return n ? number(tag, "", *n, Unit::count) : nothing(tag, "", "");
}

// What differs between the figures is a column; what none of them has is none.
struct Shape {
  bool several_files = false, several_models = false, batch = false, prompt = false,
       context = false;
};

Shape shape_of(const std::vector<ReadResults>& files) {
  Shape shape{.several_files = files.size() > 1};
  std::string model;
  for (const ReadResults& file : files) {
    for (const MeasuredRun& run : file.results.runs) {
      if (model.empty()) model = run.model;
      shape.several_models = shape.several_models || run.model != model;
      for (const Observation& o : run.figures) {
        shape.batch = shape.batch || o.batch.has_value();
        shape.prompt = shape.prompt || o.prompt.has_value();
        shape.context = shape.context || o.context.has_value();
      }
    }
  }
  return shape;
}

Section table(const std::vector<ReadResults>& files) {
  const Shape shape = shape_of(files);
  Section s{.tag = "measured", .title = "Measured", .kind = SectionKind::table};
  if (shape.several_files) s.columns.push_back({"file", "file"});
  s.columns.push_back({"line", "line"});
  if (shape.several_models) s.columns.push_back({"model", "model"});
  s.columns.insert(
      s.columns.end(),
      {{"phase", "phase"}, {"figure", "what"}, {"value", "value"}, {"counting", "counts"}});
  if (shape.batch) s.columns.push_back({"batch", "batch"});
  if (shape.prompt) s.columns.push_back({"prompt_tokens", "prompt"});
  if (shape.context) s.columns.push_back({"context_tokens", "context"});
  for (const ReadResults& file : files) {
    for (const MeasuredRun& run : file.results.runs) {
      for (const Observation& o : run.figures) {
        std::vector<Cell>& row = s.rows.emplace_back();
        if (shape.several_files) {
          row.push_back(words("file", "", file_name(file.file)));
        }
        row.push_back(number("line", "", o.source.line, Unit::count));
        if (shape.several_models) row.push_back(words("model", "", run.model));
        row.push_back(words("phase", "", name_of(o.phase)));
        row.push_back(words("figure", "", short_name(o.figure)));
        row.push_back(number("value", "", o.value, unit_of(o.figure)));
        row.push_back(words("counting", "", name_of(o.counting)));
        if (shape.batch) row.push_back(count_cell("batch", o.batch));
        if (shape.prompt) row.push_back(count_cell("prompt_tokens", o.prompt));
        if (shape.context) row.push_back(count_cell("context_tokens", o.context));
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
  std::erase_if(report.sections, [](const Section& part) {
    return part.kind == SectionKind::table ? part.rows.empty() : part.lines.empty();
  });
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
      j.member("repetitions", run.repetitions).member("cached_prompt_tokens", run.cached_prompt);
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
