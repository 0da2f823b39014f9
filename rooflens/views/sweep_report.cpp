#include "rooflens/core/requantise.h"
#include "rooflens/views/analysis_views.h"
#include "rooflens/views/scenario_names.h"

namespace rooflens {
Report sweep_report(std::span<const Analysis> all) {
  Report r;
  if (all.empty()) return r;
  const Varied v = varied(all);
  r.title = comparison_title(all);
  Section s{.tag = "sweep",
            .title = "Roofs in tok/s; of decode: expected, what binds, share of the ridge",
            .kind = SectionKind::table};
  const auto column = [&](bool on, const char* tag, const char* label) {
    if (on) s.columns.push_back({tag, label});
  };
  column(v.model, "model", "model");
  column(v.device, "device", "device");
  column(v.count, "devices", "devices");
  column(v.tensor, "tensor", "TP");
  column(v.weights, "weights", "weights");
  column(v.kv, "kv", "KV");
  column(v.batch, "batch", "batch");
  column(v.prompt, "prompt", "prompt");
  column(v.context, "context", "context");
  for (const auto& [tag, label] : {std::pair{"prefill_roof", "prefill"},
                                   {"decode_roof", "decode"},
                                   {"decode_user", "a user"},
                                   {"decode_expected", "expected"},
                                   {"decode_bound", "bound"},
                                   {"of_ridge", "of ridge"},
                                   {"max_batch", "max batch"}}) {
    column(true, tag, label);
  }
  for (const Analysis& a : all) {
    const Scenario& sc = a.scenario;
    const bool fits = a.memory.fits;
    std::vector<Cell> row;
    const auto put = [&](bool on, Cell c) {
      if (on) row.push_back(std::move(c));
    };
    put(v.model, words("model", "", short_model_name(sc.model)));
    put(v.device, words("device", "", short_device_name(sc.system.device)));
    put(v.count, number("devices", "", sc.system.count, Unit::count));
    put(v.tensor, number("tensor", "", sc.deployment.tensor, Unit::count));
    put(v.weights, words("weights", "", storage_name(storage_of(sc.model, Role::linear))));
    put(v.kv, words("kv", "", storage_name(sc.deployment.key_cache)));
    put(v.batch, number("batch", "", sc.workload.batch, Unit::count));
    put(v.prompt, number("prompt", "", sc.workload.prompt, Unit::count));
    put(v.context, number("context", "", decode_context(sc.workload), Unit::count));
    // What does not fit has no speed.
    const auto rate = [&](const char* tag, double value) {
      put(true, fits ? number(tag, "", value, value < 100 ? Unit::none : Unit::count)
                     : nothing(tag, "", "no room"));
    };
    rate("prefill_roof", a.prefill.roof_tokens_per_s);
    rate("decode_roof", a.decode.roof_tokens_per_s);
    rate("decode_user", a.decode.roof_tokens_per_s / sc.workload.batch);
    rate("decode_expected", a.decode.expected_tokens_per_s.mid);
    put(true, words("decode_bound", "",
                    fits ? name_of(a.decode.totals.bound) : name_of(Bound::capacity)));
    put(true, number("of_ridge", "", a.decode.totals.fraction_of_ridge, Unit::fraction));
    put(true, number("max_batch", "", a.memory.max_batch, Unit::count));
    s.rows.push_back(std::move(row));
  }
  r.sections.push_back(std::move(s));
  return r;
}

}  // namespace rooflens
