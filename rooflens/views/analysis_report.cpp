#include <cmath>
#include <limits>

#include "rooflens/core/formulas.h"
#include "rooflens/core/groups.h"
#include "rooflens/views/analysis_views.h"

namespace rooflens {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const char* label_of(OperatorGroup g) {
  switch (g) {
    case OperatorGroup::fc:
      return "FC layers";
    case OperatorGroup::experts:
      return "experts";
    case OperatorGroup::attention:
      return "attention";
    case OperatorGroup::state:
      return "recurrent state";
    case OperatorGroup::head:
      return "LM head";
    case OperatorGroup::embedding:
      return "embedding";
    case OperatorGroup::other:
      return "norms, RoPE, ...";
  }
  return "";
}

Section facts(const Analysis& a) {
  const Scenario& s = a.scenario;
  const Workload& w = s.workload;
  const Parameters p = count_parameters(s.model);
  Section out{.tag = "scenario"};
  std::string model = format(p.total, Unit::parameters) + " parameters";
  if (p.active < 0.9 * p.total) {
    model += " (" + format(p.active, Unit::parameters) + " read per token)";
  }
  model += " as " + format_words(s.model) + ": " + format(a.memory.weight_bytes, Unit::bytes) +
           (s.system.count > 1 ? " on each device, cache " : ". Cache ") +
           format(a.memory.kv_bytes_per_token, Unit::bytes_binary) + " a token";
  const CacheLayers layers = cache_layers(s.model);
  if (layers.capped > 0) {
    model += " (" + grouped(layers.capped) + " of " + grouped(layers.caching) + " layers stop at " +
             grouped(layers.window) + " tokens)";
  }
  if (a.memory.state_bytes_per_sequence > 0) {
    model +=
        ", state " + format(a.memory.state_bytes_per_sequence, Unit::bytes_binary) + " a sequence";
  }
  out.lines.push_back({model + "."});
  std::string work = "Batch " + grouped(w.batch) + "; prompt " + grouped(w.prompt);
  if (w.cached_prefix > 0) work += " (" + grouped(w.cached_prefix) + " cached)";
  if (w.chunk > 0) work += " in chunks of " + grouped(w.chunk);
  work += ", output " + grouped(w.output) + "; decode with " + grouped(decode_context(w)) +
          " tokens cached";
  if (w.drafts > 0) {
    work += ", " + grouped(w.drafts) + (w.drafts == 1 ? " draft" : " drafts") +
            " at an assumed acceptance of " + significant(w.acceptance, 3) +
            " (making them is not counted)";
  }
  out.lines.push_back({work + "."});
  return out;
}

Section verdicts(const Analysis& a) {
  Section s{.tag = "verdict", .title = "Verdict"};
  s.lines.push_back({verdict(a, a.prefill, false)});
  s.lines.push_back({verdict(a, a.decode, true)});
  return s;
}

Section ceilings_table(const Analysis& a) {
  const Device& d = a.scenario.system.device;
  Section s{.tag = "ceilings", .title = "Ceilings of one device", .kind = SectionKind::table};
  s.columns = {{"ceiling", "ceiling"}, {"rate", "rate"}, {"ridge", "ridge"}, {"used", "used by"}};
  s.rows.push_back({words("ceiling", "", "memory"),
                    number("rate", "", d.bytes_per_s, Unit::bytes_per_s), nothing("ridge", "", "-"),
                    words("used", "", d.memory_type)});
  for (int i = 0; i < kComputes; ++i) {
    const auto c = static_cast<std::size_t>(i);
    const double peak = a.ceilings.peak[c];
    const bool used = a.prefill.totals.flops_by[c] > 0 || a.decode.totals.flops_by[c] > 0;
    const auto type = static_cast<Compute>(i);
    if (peak <= 0 || (!used && type != Compute::bf16 && type != Compute::fp8)) continue;
    const auto share = [&](const Phase& p) { return p.totals.flops_by[c] / p.totals.flops; };
    std::string who = used ? format(share(a.prefill), Unit::fraction) + " of prefill FLOPs, " +
                                 format(share(a.decode), Unit::fraction) + " of decode"
                           : "not used by this model";
    s.rows.push_back({words("ceiling", "", name_of(type)),
                      number("rate", "", peak, Unit::flops_per_s),
                      number("ridge", "", peak / d.bytes_per_s, Unit::flop_per_byte),
                      words("used", "", std::move(who))});
  }
  if (a.scenario.system.count > 1) {
    for (int i = 0; i < a.ceilings.level_count; ++i) {
      const auto& level = a.ceilings.levels[static_cast<std::size_t>(i)];
      const Link& link = d.links[static_cast<std::size_t>(i)];
      s.rows.push_back(
          {words("ceiling", "", "link"), number("rate", "", level.bytes_per_s, Unit::bytes_per_s),
           nothing("ridge", "", "-"),
           words("used", "",
                 link.name + (link.size > 0 ? ", joins " + std::to_string(link.size) : ""))});
      if (link.size == 0 || link.size >= a.scenario.system.count) break;
    }
  }
  return s;
}

// One phase's half of a row of the table of positions.
struct Place {
  double intensity = kNan, fraction = kNan, share = kNan;
  bool vector_only = false;
};

Place place_of(const Analysis& a, const Phase& p, OperatorGroup g) {
  const GroupTotals x = group_totals(p, a.ceilings, a.scenario.deployment.fusion, g);
  if (x.bytes <= 0) return {};
  return {x.intensity, x.vector_only ? kNan : x.fraction_of_ridge,
          x.seconds / p.totals.step_seconds, x.vector_only};
}

Section positions(const Analysis& a) {
  Section s{.tag = "positions",
            .title = "Where it sits (FLOP/B, of the ridge, of the per-operator time)",
            .kind = SectionKind::table};
  s.columns = {{"part", ""},
               {"prefill_intensity", "prefill"},
               {"prefill_of_ridge", "of ridge"},
               {"prefill_share", "of time"},
               {"decode_intensity", "decode"},
               {"decode_of_ridge", "of ridge"},
               {"decode_share", "of time"}};
  const auto row = [&](const char* part, const Place& prefill, const Place& decode) {
    std::vector<Cell> cells{words("part", "", part)};
    for (const Place* at : {&prefill, &decode}) {
      for (const auto& [value, unit, vector] :
           {std::tuple{at->intensity, Unit::none, false},
            std::tuple{at->fraction, Unit::fraction, at->vector_only},
            std::tuple{at->share, Unit::fraction, false}}) {
        Cell c = number("", "", value, unit);
        c.absent = vector ? "vector" : "-";
        cells.push_back(std::move(c));
      }
    }
    s.rows.push_back(std::move(cells));
  };
  const auto step = [](const Phase& p) {
    return Place{p.totals.intensity, p.totals.fraction_of_ridge, 1, false};
  };
  row("whole step", step(a.prefill), step(a.decode));
  for (OperatorGroup g : {OperatorGroup::fc, OperatorGroup::experts, OperatorGroup::attention,
                          OperatorGroup::state, OperatorGroup::head, OperatorGroup::other}) {
    const Place prefill = place_of(a, a.prefill, g);
    const Place decode = place_of(a, a.decode, g);
    if (std::isnan(prefill.intensity) && std::isnan(decode.intensity)) continue;
    row(label_of(g), prefill, decode);
  }
  const double prefill_network = a.prefill.totals.network_seconds;
  const double decode_network = a.decode.totals.network_seconds;
  if (prefill_network > 0 || decode_network > 0) {
    row("network", {.share = prefill_network / a.prefill.totals.step_seconds},
        {.share = decode_network / a.decode.totals.step_seconds});
  }
  return s;
}

// Every operator of a phase.
Section operators_table(const Phase& p, const char* phase) {
  Section s{.tag = std::string("operators_") + phase,
            .title = std::string("Operators of ") + phase,
            .kind = SectionKind::table};
  s.columns = {{"name", "operator"}, {"count", "x"},          {"compute", "type"},
               {"flops", "FLOP"},    {"bytes", "bytes"},      {"intensity", "FLOP/B"},
               {"bound", "bound"},   {"seconds", "time, all"}};
  for (std::size_t i = 0; i < p.operators.size(); ++i) {
    const Operator& op = p.operators[i];
    s.rows.push_back(
        {words("name", "", op.name), number("count", "", op.count, Unit::count),
         op.matrix ? words("compute", "", name_of(op.compute)) : words("compute", "", "vector"),
         number("flops", "", op.matrix ? op.flops : op.vector_flops, Unit::flops),
         number("bytes", "", op.bytes(), Unit::bytes),
         number("intensity", "", p.placed[i].intensity, Unit::none),
         words("bound", "", name_of(p.placed[i].bound)),
         number("seconds", "", op.count * p.placed[i].seconds, Unit::seconds)});
  }
  return s;
}

// "736 tok/s (412 to 927)"; every figure keeps its unit when they differ.
std::string range_words(const Range& r, Unit u) {
  const Formatted low = format_parts(r.low, u);
  const Formatted mid = format_parts(r.mid, u);
  const Formatted high = format_parts(r.high, u);
  const bool alike = low.unit == mid.unit && mid.unit == high.unit;
  return mid.text() + " (" + (alike ? low.number : low.text()) + " to " +
         (alike ? high.number : high.text()) + ")";
}

std::vector<Cell> speed_row(const char* what, double roof, double ops, const Range& expected,
                            Unit u) {
  return {words("what", "", what), number("roof", "", roof, u), number("per_operator", "", ops, u),
          words("expected", "", range_words(expected, u))};
}

Range divided(const Range& r, double by) { return {r.low / by, r.mid / by, r.high / by}; }

Section speeds(const Analysis& a) {
  const double batch = a.scenario.workload.batch;
  Section s{.tag = "speed", .title = "Speed", .kind = SectionKind::table};
  s.columns = {{"what", ""},
               {"roof", "roof"},
               {"per_operator", "per operator"},
               {"expected", "expected, " + a.efficiency.origin}};
  const Phase& p = a.prefill;
  const Phase& d = a.decode;
  s.rows.push_back(speed_row("prefill", p.roof_tokens_per_s, p.operator_tokens_per_s,
                             p.expected_tokens_per_s, Unit::tokens_per_s));
  s.rows.push_back(speed_row("TTFT", p.totals.roof_seconds, p.totals.step_seconds,
                             p.expected_seconds, Unit::seconds));
  s.rows.push_back(speed_row("decode, total", d.roof_tokens_per_s, d.operator_tokens_per_s,
                             d.expected_tokens_per_s, Unit::tokens_per_s));
  if (batch > 1) {
    s.rows.push_back(speed_row("decode, per user", d.roof_tokens_per_s / batch,
                               d.operator_tokens_per_s / batch,
                               divided(d.expected_tokens_per_s, batch), Unit::tokens_per_s));
  }
  s.rows.push_back(speed_row("decode step", d.totals.roof_seconds, d.totals.step_seconds,
                             d.expected_seconds, Unit::seconds));
  return s;
}

Cell crossing_cell(const char* tag, const char* label, const std::optional<double>& at,
                   std::string note) {
  Cell c = at ? number(tag, label, std::ceil(*at), Unit::count) : nothing(tag, label, "never");
  c.note = std::move(note);
  return c;
}

// Why the whole step never crosses, or from which context on it does not.
std::string step_note(const Analysis& a) {
  const Crossing& x = a.crossing;
  const std::string context = grouped(decode_context(a.scenario.workload));
  if (x.step_batch) {
    std::string note = "at " + context + " cached tokens";
    if (x.step_context_limit) {
      note += "; from " + grouped(*x.step_context_limit) + " tokens on, never";
    }
    return note;
  }
  std::string note = "with activations its intensity ends at " +
                     format(x.operator_intensity_limit, Unit::flop_per_byte) +
                     " at any batch: each sequence brings its own ";
  note += a.memory.state_bytes_per_sequence > 0 ? "state and cache" : "cache";
  if (x.step_context_limit && *x.step_context_limit > 1) {
    note += "; below " + grouped(*x.step_context_limit) + " cached tokens it would cross";
  }
  return note;
}

std::string fc_note(const Analysis& a) {
  return "tokens in one step; " + significant(a.crossing.textbook_fc_tokens, 3) +
         " if activations were free";
}

Section limits(const Analysis& a) {
  const Capacity& m = a.memory;
  const Scenario& s = a.scenario;
  Section out{.tag = "limits", .title = "Batch and memory", .kind = SectionKind::values};
  out.values.push_back(
      crossing_cell("fc_tokens", "FC layers reach the ridge at", a.crossing.fc_tokens, fc_note(a)));
  for (const Layer& layer : s.model.layers) {
    if (const auto* moe = std::get_if<MixtureOfExperts>(&layer.ffn)) {
      out.values.push_back(crossing_cell(
          "experts_tokens", "experts reach it at", a.crossing.experts_tokens,
          grouped(moe->active) + " of " + grouped(moe->experts) + " experts a token"));
      break;
    }
  }
  out.values.push_back(crossing_cell("step_batch", "the whole decode step at batch",
                                     a.crossing.step_batch, step_note(a)));
  const double length = longest_tokens(s.workload);
  out.values.push_back(number(
      "memory_batch", "memory holds at most batch", m.max_batch, Unit::count,
      "sequences of " + grouped(length) + " tokens in " + format(m.capacity_bytes, Unit::bytes) +
          " at " + format(s.deployment.utilisation, Unit::fraction)));
  Cell context =
      number("max_context", "longest context at this batch", m.max_context, Unit::tokens);
  context.absent = "without end";
  if (s.model.max_context > 0 && m.max_context > s.model.max_context) {
    context.note = "the model states " + grouped(s.model.max_context);
  }
  out.values.push_back(std::move(context));
  return out;
}

Section honest(const Analysis& a) {
  Section s{.tag = "notes"};
  s.lines.push_back(
      {"Fraction of ridge is a place on the x axis, not a utilisation: a kernel at " +
           format(a.decode.totals.fraction_of_ridge, Unit::fraction) +
           " of the ridge can run at 100 % of its roof. What a machine reaches of its roof is "
           "measured: rooflens check.",
       Severity::note});
  return s;
}

}  // namespace

Report analysis_report(const Analysis& a, const ViewOptions& options) {
  Report r;
  r.title = scenario_title(a.scenario);
  r.sections = {facts(a), verdicts(a), ceilings_table(a)};
  if (options.operators) {
    r.sections.push_back(operators_table(a.prefill, "prefill"));
    r.sections.push_back(operators_table(a.decode, "decode"));
  } else {
    r.sections.push_back(positions(a));
  }
  r.sections.push_back(speeds(a));
  r.sections.push_back(limits(a));
  r.sections.push_back(honest(a));
  return r;
}

}  // namespace rooflens
