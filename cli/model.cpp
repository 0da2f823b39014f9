// rooflens model: what is read from a model, and what follows from it alone.
#include <map>

#include "cli/exit_code.h"
#include "cli/formats.h"
#include "cli/model_parts.h"
#include "cli/model_source.h"
#include "cli/verbs.h"
#include "rooflens/core/parameters.h"
#include "rooflens/readers/builtin_models.h"
#include "rooflens/views/analysis_views.h"

namespace rooflens::cli {
namespace {

struct Facts {
  const Model& model;
  Parameters parameters;
  double layers = 0, weights = 0, kv = 0, state = 0;
  CacheLayers cache;
  std::string formats;
};

Facts facts_of(const Model& m, const Deployment& d) {
  Facts f{.model = m};
  f.parameters = count_parameters(m);
  for (const Layer& layer : m.layers) f.layers += layer.count;
  f.weights = weight_bytes(m, d);
  f.kv = kv_bytes_per_token(m, d);
  f.state = state_bytes_per_sequence(m, d);
  f.cache = cache_layers(m);
  f.formats = format_words(m);
  return f;
}

Section values(std::string tag, std::string title) {
  Section s;
  s.tag = std::move(tag);
  s.title = std::move(title);
  s.kind = SectionKind::values;
  return s;
}

Section size_section(const Facts& f) {
  const Model& m = f.model;
  Section s = values("size", "");
  s.values = {
      words("architecture", "architecture", m.architecture),
      number("parameters", "parameters", f.parameters.total, Unit::parameters,
             format(f.parameters.total, Unit::count)),
      number("active_parameters", "active per token", f.parameters.active, Unit::parameters),
      number("layers", "layers", f.layers, Unit::count),
      number("weight_bytes", "weights", f.weights, Unit::bytes, f.formats),
      number("bits_per_weight", "bits a weight", f.weights * 8 / f.parameters.total, Unit::none),
      number("kv_bytes_per_token", "cache per token", f.kv, Unit::bytes_binary)};
  if (f.cache.capped > 0) {
    s.values.back().note = format(f.cache.capped, Unit::count) + " of " +
                           format(f.cache.caching, Unit::count) + " caching layers stop at " +
                           format(f.cache.window, Unit::tokens);
  }
  if (f.state > 0) {
    s.values.push_back(number("state_bytes_per_sequence", "state per sequence", f.state,
                              Unit::bytes_binary,
                              format(f.cache.recurrent, Unit::count) + " recurrent layers"));
  }
  s.values.push_back(m.max_context > 0
                         ? number("max_context", "longest context", m.max_context, Unit::tokens)
                         : nothing("max_context", "longest context", "not stated"));
  if (!m.quantisation.empty())
    s.values.push_back(words("quantisation", "quantisation", m.quantisation));
  for (const Extra& e : m.extras) {
    s.values.push_back(number("extra_parameters", "also stored: " + e.what, e.parameters,
                              Unit::parameters, format(e.bytes, Unit::bytes)));
  }
  return s;
}

// Where most facts come from is said once; the others carry their own origin.
Section fact_section(const Model& m) {
  std::map<std::string_view, int> count;
  for (const Fact& f : m.facts) ++count[f.origin];
  std::string_view usual;
  for (const auto& [origin, n] : count) {
    if (usual.empty() || n > count[usual]) usual = origin;
  }
  Section s = values("facts", "Where not told otherwise: " + std::string(usual));
  for (const Fact& f : m.facts) {
    std::string note = f.key;
    if (f.origin != usual) note += (note.empty() ? "" : ", ") + f.origin;
    s.values.push_back(words(f.key.empty() ? f.what : f.key, f.what, f.value, note));
  }
  return s;
}

void facts_json(const Facts& f, const Deployment& d, JsonWriter& j) {
  j.begin_object();
  j.member("name", f.model.name).member("architecture", f.model.architecture);
  j.member("parameters", f.parameters.total).member("active_parameters", f.parameters.active);
  j.member("weight_bytes", f.weights);
  j.member("bits_per_weight", f.weights * 8 / f.parameters.total);
  j.member("kv_bytes_per_token", f.kv);
  j.member("state_bytes_per_sequence", f.state).member("layers", f.layers).key("max_context");
  if (f.model.max_context > 0) {
    j.value(f.model.max_context);
  } else {
    j.null();
  }
  j.member("formats", f.formats).member("quantisation", f.model.quantisation);
  j.member("tensors_read_from", "config");
  j.key("extras").begin_array();
  for (const Extra& e : f.model.extras) {
    j.begin_object().member("what", e.what).member("parameters", e.parameters);
    j.member("bytes", e.bytes).end();
  }
  j.end().key("changes").begin_array();
  for (const std::string& change : f.model.changes) j.value(change);
  j.end();
  parts_json(f.model, d, j);
  j.key("facts").begin_array();
  for (const Fact& fact : f.model.facts) {
    j.begin_object().member("what", fact.what).member("key", fact.key);
    j.member("value", fact.value).member("origin", fact.origin).end();
  }
  j.end().end();
}

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

  const Facts facts = facts_of(*model, deployment);
  Report report;
  report.title = model_title(*model);
  report.sections = {size_section(facts), composition_section(*model),
                     layer_section(*model, deployment), fact_section(*model)};
  Output output{.report = &report};
  output.inputs = [&](JsonWriter& j) { j.begin_object().member("model", o.words[0]).end(); };
  output.results = [&](JsonWriter& j) { facts_json(facts, deployment, j); };
  return print(output, c, kDone);
}

}  // namespace rooflens::cli
