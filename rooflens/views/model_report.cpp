#include "rooflens/views/model_report.h"

#include <algorithm>
#include <map>

#include "rooflens/core/composition.h"
#include "rooflens/core/parameters.h"
#include "rooflens/views/analysis_views.h"
#include "rooflens/views/sections.h"

namespace rooflens {
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

Section size_section(const Facts& f) {
  const Model& m = f.model;
  Section s = values_section("size", "");
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
  Section s = values_section("facts", "Where not told otherwise: " + std::string(usual));
  for (const Fact& f : m.facts) {
    std::string note = f.key;
    if (f.origin != usual) note += (note.empty() ? "" : ", ") + f.origin;
    s.values.push_back(words(f.key.empty() ? f.what : f.key, f.what, f.value, note));
  }
  return s;
}

// What the files hold; of a config alone, what they would.
std::vector<StoredPart> parts_of(const Model& m) {
  if (!m.stored.empty()) return m.stored;
  std::vector<StoredPart> parts;
  for (const WeightPart& p : composition(m)) {
    parts.push_back({p.role, storage_name(p.storage), 0, p.parameters, p.bytes});
  }
  return parts;
}

Cell bits_of(const StoredPart& p) {
  if (p.parameters <= 0) return nothing("bits_per_weight", "", "");
  return number("bits_per_weight", "", p.bytes * 8 / p.parameters, Unit::none);
}

Section composition_section(const Model& m) {
  Section s{.tag = "composition", .title = "Weights", .kind = SectionKind::table};
  s.columns = {{"role", "role"},
               {"format", "format"},
               {"parameters", "parameters"},
               {"bytes", "bytes"},
               {"bits_per_weight", "bits a weight"}};
  const bool files = !m.stored.empty();
  if (files) s.columns.push_back({"tensors", "tensors"});
  for (const StoredPart& p : parts_of(m)) {
    s.rows.push_back({words("role", "", p.role), words("format", "", p.format),
                      number("parameters", "", p.parameters, Unit::parameters),
                      number("bytes", "", p.bytes, Unit::bytes), bits_of(p)});
    if (files) s.rows.back().push_back(number("tensors", "", p.tensors, Unit::count));
  }
  return s;
}

Section layer_section(const Model& m, const Deployment& d) {
  const std::vector<LayerSummary> kinds = layer_summaries(m, d);
  const bool state = std::any_of(kinds.begin(), kinds.end(),
                                 [](const LayerSummary& k) { return k.state_bytes > 0; });
  Section s{.tag = "layer_kinds",
            .title = "Layers; cache of one layer and token",
            .kind = SectionKind::table};
  s.columns = {{"mixer", "mixer"},
               {"ffn", "feed-forward"},
               {"count", "layers"},
               {"parameters", "parameters"},
               {"kv_bytes_per_token", "cache"}};
  if (state) s.columns.push_back({"state_bytes", "state"});
  for (const LayerSummary& k : kinds) {
    s.rows.push_back({words("mixer", "", k.mixer), words("ffn", "", k.ffn),
                      number("count", "", k.count, Unit::count),
                      number("parameters", "", k.parameters, Unit::parameters),
                      number("kv_bytes_per_token", "", k.kv_bytes_per_token, Unit::bytes_binary)});
    if (state) {
      s.rows.back().push_back(number("state_bytes", "", k.state_bytes, Unit::bytes_binary));
    }
  }
  return s;
}

// The members "composition" and "layer_kinds" of an open object.
void parts_json(const Model& m, const Deployment& d, JsonWriter& j) {
  j.key("composition").begin_array();
  for (const StoredPart& p : parts_of(m)) {
    j.begin_object().member("role", p.role).member("format", p.format);
    j.member("parameters", p.parameters).member("bytes", p.bytes).key("bits_per_weight");
    if (p.parameters > 0) {
      j.value(p.bytes * 8 / p.parameters);
    } else {
      j.null();
    }
    j.key("tensors");
    if (p.tensors > 0) {
      j.value(p.tensors);
    } else {
      j.null();
    }
    j.end();
  }
  j.end().key("layer_kinds").begin_array();
  for (const LayerSummary& k : layer_summaries(m, d)) {
    j.begin_object().member("mixer", k.mixer).member("ffn", k.ffn).member("count", k.count);
    j.member("parameters", k.parameters).member("kv_bytes_per_token", k.kv_bytes_per_token);
    j.key("cap_tokens");
    if (k.cap_tokens > 0) {
      j.value(k.cap_tokens);
    } else {
      j.null();
    }
    j.member("state_bytes", k.state_bytes).end();
  }
  j.end();
}

}  // namespace

Report model_report(const Model& m, const Deployment& d) {
  Report report;
  report.title = model_title(m);
  report.sections = {size_section(facts_of(m, d)), composition_section(m), layer_section(m, d),
                     fact_section(m)};
  return report;
}

void model_json(const Model& m, const Deployment& d, JsonWriter& j) {
  const Facts f = facts_of(m, d);
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
  j.member("tensors_read_from", f.model.read_from);
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

}  // namespace rooflens
