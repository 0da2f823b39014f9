#include "cli/model_parts.h"

#include <algorithm>

#include "rooflens/core/composition.h"

namespace rooflens::cli {
namespace {

double bits_of(const WeightPart& p) { return p.bytes * 8 / p.parameters; }

}  // namespace

Section composition_section(const Model& m) {
  Section s{.tag = "composition", .title = "Weights", .kind = SectionKind::table};
  s.columns = {{"role", "role"},
               {"format", "format"},
               {"parameters", "parameters"},
               {"bytes", "bytes"},
               {"bits_per_weight", "bits a weight"}};
  for (const WeightPart& p : composition(m)) {
    s.rows.push_back({words("role", "", p.role), words("format", "", storage_name(p.storage)),
                      number("parameters", "", p.parameters, Unit::parameters),
                      number("bytes", "", p.bytes, Unit::bytes),
                      number("bits_per_weight", "", bits_of(p), Unit::none)});
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

void parts_json(const Model& m, const Deployment& d, JsonWriter& j) {
  j.key("composition").begin_array();
  for (const WeightPart& p : composition(m)) {
    j.begin_object().member("role", p.role).member("format", storage_name(p.storage));
    j.member("parameters", p.parameters).member("bytes", p.bytes);
    j.member("bits_per_weight", bits_of(p)).end();
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

}  // namespace rooflens::cli
