#include "cli/check_log.h"

#include <algorithm>

#include "cli/exit_code.h"
#include "cli/model_source.h"
#include "rooflens/core/ascii.h"
#include "rooflens/readers/startup_model.h"
#include "rooflens/views/analysis_views.h"
#include "rooflens/views/startup_report.h"

namespace rooflens::cli {
namespace {

bool given(const OptionSpec& spec, const Options& o) {
  if (const auto* flag = std::get_if<bool Options::*>(&spec.field)) return o.*(*flag);
  if (const auto* one = std::get_if<Maybe Options::*>(&spec.field)) return (o.*(*one)).has_value();
  return !(o.*std::get<std::vector<Given> Options::*>(spec.field)).empty();
}

// A log says itself what was served and how: options of a scenario change nothing.
void say_idle(const Options& o, Context& c) {
  constexpr std::string_view kUsed[] = {"--model", "--online", "--endpoint", "--set", "--assume"};
  for (const OptionSpec& spec : option_table()) {
    if (!given(spec, o) || spec.takes(VerbId::explain)) continue;  // those of output are everyone's
    if (std::find(std::begin(kUsed), std::end(kUsed), spec.name()) != std::end(kUsed)) continue;
    c.warn(std::string(spec.name()) +
           " has no effect: a start-up log says itself how it was served");
  }
}

Result<Model> model_of(const StartupLog& log, const std::string& file, const Options& o,
                       const Io& io, const ModelAccess& access) {
  if (o.model) return load_model(o.model->text, io, access);
  if (log.startup.engine == Engine::llama_cpp) return startup_model(log, file, access.reading);
  if (log.startup.model.empty()) {
    return fail(ErrorCode::not_found, "the log does not name its model", file, "");
  }
  return load_told_model(log.startup.model, io, access);
}

// Blocks that the file has for drafts, as its keys say.
double prediction_layers(const StartupLog& log) {
  constexpr std::string_view kKey = ".nextn_predict_layers";
  double layers = 0;
  for (const GgufKey& k : log.keys.keys) {
    const double* n = std::get_if<double>(&k.value);
    if (n != nullptr && k.name.size() > kKey.size() && k.name.ends_with(kKey)) layers = *n;
  }
  return layers;
}

}  // namespace

Result<ToldLogs> tell_logs(const Options& o, std::vector<ReadLog> files, bool alone, Context& c) {
  auto access = model_access(o);
  if (!access) return Failure(std::move(access.error()));
  if (alone) say_idle(o, c);
  std::vector<CheckedLog> logs;
  for (auto& [file, log] : files) {
    CheckedLog checked{file, {}, {}, {}};
    auto model = model_of(log, file, o, c.io, *access);
    log.startup.prediction_layers = prediction_layers(log);
    if (model) {
      for (const std::string& w : model->warnings) c.warn(w);
      checked.model = model_title(*model);
    } else if (o.model) {
      return Failure(std::move(model.error()));
    } else {
      const Error& e = model.error();
      c.warn("the model is not known: " + e.message +
             (e.where.empty() ? "" : " (" + e.where + ")") + "; --model MODEL gives it");
    }
    if (log.startup.loads > 1) {
      c.warn(file + ": " + std::to_string(static_cast<int>(log.startup.loads)) +
             " models were loaded; the first is told, of one loaded again the last time");
    }
    checked.rows = check_startup(log.startup, model ? &*model : nullptr);
    checked.log = std::move(log.startup);
    logs.push_back(std::move(checked));
  }
  ToldLogs told;
  const bool table = c.format == Format::csv;
  told.table = table ? "startup" : "";
  told.aside.report = table ? startup_table(logs) : startup_report(logs);
  for (const CheckedLog& log : logs) {
    if (unexplained(log.rows)) told.code = kNo;
  }
  told.aside.members = [logs = std::move(logs)](JsonWriter& j) {
    if (logs.size() == 1) {
      startup_json(logs[0], j.key("startup"));
      return;
    }
    j.key("startups").begin_array();
    for (const CheckedLog& log : logs) startup_json(log, j);
    j.end();
  };
  return told;
}

int check_logs(const Options& o, std::vector<ReadLog> files, Context& c) {
  std::vector<std::string> names;
  names.reserve(files.size());
  for (const ReadLog& file : files) names.push_back(file.file);
  auto told = tell_logs(o, std::move(files), true, c);
  if (!told) return complain(c.io, told.error());
  Output output{.report = &told->aside.report, .table = told->table};
  output.inputs = [&](JsonWriter& j) {
    j.begin_object().key("logs").begin_array();
    for (const std::string& name : names) j.value(name);
    j.end();
    if (o.model) j.member("model", o.model->text);
    j.end();
  };
  output.results = [&](JsonWriter& j) {
    told->aside.members(j.begin_object());
    j.end();
  };
  return print(output, c, told->code);
}

}  // namespace rooflens::cli
