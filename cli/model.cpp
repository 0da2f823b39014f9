// rooflens model: what is read from a model, and what follows from it alone.
#include "cli/exit_code.h"
#include "cli/formats.h"
#include "cli/idle_options.h"
#include "cli/model_source.h"
#include "cli/verbs.h"
#include "rooflens/readers/builtin_models.h"
#include "rooflens/views/model_report.h"

namespace rooflens::cli {
namespace {

int list_models(Context& c) {
  Report report;
  Section s;
  s.tag = "models";
  s.kind = SectionKind::table;
  s.columns = {{"name", "built-in model"}, {"family", "family"}};
  for (const BuiltinModel& m : builtin_models()) {
    s.rows.push_back(
        {words("", "", std::string(m.name)), words("", "", std::string(m.model_type))});
  }
  report.sections.push_back(std::move(s));
  Output output{.report = &report, .table = "models"};
  output.results = [](JsonWriter& j) {
    j.begin_object().key("models").begin_array();
    for (const BuiltinModel& m : builtin_models()) j.value(m.name);
    j.end().end();
  };
  return print(output, c, kDone);
}

}  // namespace

int model_verb(const Options& o, Context& c) {
  if (o.words.empty()) return list_models(c);
  auto access = model_access(o);
  if (!access) return complain(c.io, access.error());
  auto model = load_model(o.words[0], c.io, *access);
  if (!model) return complain(c.io, model.error());
  for (const std::string& w : model->warnings) c.warn(w);
  Values options;
  Deployment deployment;
  std::vector<std::string> notes;
  set_formats(o, nullptr, *model, deployment, options, notes);
  if (auto r = options.result(); !r) return complain(c.io, r.error());
  for (std::string& n : notes) c.warn(std::move(n));

  const Scenario alone{
      .model = std::move(*model), .system = {}, .deployment = deployment, .workload = {}};
  const Scenario* const all[] = {&alone};
  say_idle_options(o, all, c);
  const Report report = model_report(alone.model, deployment);
  Output output{.report = &report};
  output.inputs = [&](JsonWriter& j) { j.begin_object().member("model", o.words[0]).end(); };
  output.results = [&](JsonWriter& j) { model_json(alone.model, deployment, j); };
  return print(output, c, kDone);
}

}  // namespace rooflens::cli
