// Every headline number as formula, values, result. docs/model.md numbers the formulas.
#include <cmath>

#include "rooflens/core/formulas.h"
#include "rooflens/core/groups.h"
#include "rooflens/core/kv_pool.h"
#include "rooflens/core/layer_visit.h"
#include "rooflens/core/parameters.h"
#include "rooflens/views/analysis_views.h"

namespace rooflens {
namespace {

// Counts as they are, everything else with six digits.
std::string n(double v) {
  const bool whole = v == std::floor(v) || std::abs(v) >= 1e6;
  return whole && std::abs(v) < 1e15 ? grouped(v) : significant(v, 6);
}

class Explainer {
 public:
  explicit Explainer(const Analysis& a) : a_(a), d_(a.scenario.system.device) {}

  Report run() {
    Report r;
    r.title = scenario_title(a_.scenario) + ", explained";
    r.sections.push_back(ridges());
    r.sections.push_back(phase(a_.prefill, "prefill"));
    r.sections.push_back(phase(a_.decode, "decode"));
    r.sections.push_back(fc_layers());
    r.sections.push_back(memory());
    r.sections.push_back(crossings());
    return r;
  }

 private:
  static void say(Section& s, const char* tag, const std::string& what, const std::string& formula,
                  const std::string& result) {
    s.values.push_back(words(tag, what, formula + " = " + result));
  }

  static double launches(const Phase& p) {
    double count = 0;
    for (const Operator& op : p.operators) count += op.count;
    return count * p.steps;
  }

  [[nodiscard]] Section ridges() const {
    Section s{.tag = "ridge", .title = "Ridge (section 7)", .kind = SectionKind::values};
    for (int i = 0; i < kComputes; ++i) {
      const auto c = static_cast<Compute>(i);
      if (d_.peak_of(c) <= 0) continue;
      say(s, name_of(c), name_of(c),
          "peak / bandwidth = " + n(d_.peak_of(c)) + " / " + n(d_.bytes_per_s),
          format(ridge(d_, c), Unit::flop_per_byte));
    }
    s.values.push_back(words("origin", "figures",
                             std::string(name_of(d_.memory_origin)) + " bandwidth, " +
                                 name_of(d_.peak_origin) + " peaks" +
                                 (d_.source.empty() ? "" : "; sources " + d_.source)));
    return s;
  }

  [[nodiscard]] Section phase(const Phase& p, const char* name) const {
    const StepTotals& t = p.totals;
    Section s{.tag = name,
              .title = std::string(name) + ", per device (sections 1-7, 10)",
              .kind = SectionKind::values};
    say(s, "flops", "matrix FLOPs", "sum over operators of 2 T K N and 2 pairs heads (dk + dv)",
        format(t.flops, Unit::flops));
    say(s, "roof_bytes", "bytes that must move",
        "weights " + n(t.weight_bytes) + " + KV read " + n(t.kv_read_bytes) + " + KV written " +
            n(t.kv_write_bytes) + " + state " + n(t.state_bytes),
        format(t.ideal_bytes, Unit::bytes));
    say(s, "intensity", "intensity", "FLOPs / bytes = " + n(t.flops) + " / " + n(t.ideal_bytes),
        format(t.intensity, Unit::flop_per_byte));
    say(s, "peak", "effective peak",
        "FLOPs / sum(FLOPs_c / peak_c) = " + n(t.flops) + " / " + n(t.compute_seconds),
        format(t.peak_flops_per_s, Unit::flops_per_s));
    say(s, "fraction_of_ridge", "of ridge",
        "intensity / (effective peak / bandwidth) = " + n(t.intensity) + " / " + n(t.ridge),
        format(t.fraction_of_ridge, Unit::fraction));
    std::string roof = "max(compute " + n(t.compute_seconds) + ", memory " + n(t.memory_seconds);
    if (t.network_bytes > 0) roof += ", network " + n(t.network_roof_seconds);
    roof += ") s";
    if (p.steps > 1) roof = "sum over " + grouped(p.steps) + " chunks of " + roof;
    if (a_.scenario.deployment.pipeline > 1) roof += ", through the pipeline";
    say(s, "roof_seconds", "roof time", roof, format(t.roof_seconds, Unit::seconds));
    say(s, "roof_tokens_per_s", "roof rate",
        "tokens / roof time = " + n(p.emitted_tokens) + " / " + n(t.roof_seconds),
        format(p.roof_tokens_per_s, Unit::tokens_per_s));
    say(s, "operator_seconds", "per operator",
        "sum of max(F/P, V/vector, bytes/bandwidth) " + n(t.operator_seconds) + " + network " +
            n(t.network_seconds),
        format(t.step_seconds, Unit::seconds));
    const Efficiency& e = a_.efficiency;
    say(s, "expected", "expected (" + e.origin + ")",
        "per operator at " + format(e.memory.mid, Unit::fraction) + " of bandwidth, " +
            format(e.compute.mid, Unit::fraction) + " of peak, " +
            format(e.communication.mid, Unit::fraction) + " of the links, + " +
            grouped(launches(p)) + " launches of " + format(e.launch_s.mid, Unit::seconds) + " + " +
            format(e.fixed_s.mid, Unit::seconds) + " a step; corner " + significant(e.corner, 2),
        format(p.expected_seconds.mid, Unit::seconds));
    return s;
  }

  // The textbook formula of an FC layer beside the exact one, for the decode step's tokens.
  [[nodiscard]] Section fc_layers() const {
    Section s{.tag = "fc", .title = "FC layers of decode (section 3)", .kind = SectionKind::values};
    const GroupTotals exact =
        group_totals(a_.decode, a_.ceilings, Fusion::standard, OperatorGroup::fc);
    const GroupTotals free = group_totals(a_.decode, a_.ceilings, Fusion::ideal, OperatorGroup::fc);
    if (free.intensity <= 0) return s;
    const double tokens = a_.decode.totals.tokens / a_.scenario.deployment.data;
    const double weight = 2 * tokens / free.intensity;  // bytes of a stored weight, scales included
    say(s, "textbook", "textbook",
        "2 x tokens / bytes per weight = 2 x " + n(tokens) + " / " + n(weight),
        format(textbook_intensity(tokens, weight), Unit::flop_per_byte));
    say(s, "exact", "with activations",
        "2 x tokens / (bytes per weight + inputs/n + outputs/k), over all FC layers",
        format(exact.intensity, Unit::flop_per_byte));
    say(s, "of_ridge", "textbook, of ridge",
        "intensity / ridge = " + n(free.intensity) + " / " + n(free.ridge),
        format(free.fraction_of_ridge, Unit::fraction));
    say(s, "crossing", "textbook crossing",
        "ridge x bytes per weight / 2 = " + n(free.ridge) + " x " + n(weight) + " / 2",
        significant(textbook_crossing(free.ridge, weight), 4) + " tokens");
    return s;
  }

  [[nodiscard]] Section memory() const {
    const Capacity& m = a_.memory;
    Section s{
        .tag = "memory", .title = "Memory of one device (section 9)", .kind = SectionKind::values};
    say(s, "free_bytes", "left for the cache",
        "capacity " + n(m.capacity_bytes) + " x " + n(a_.scenario.deployment.utilisation) +
            " - weights " + n(m.weight_bytes) + " - activations " + n(m.activation_bytes) +
            " - overhead " + n(m.overhead_bytes),
        format(m.free_bytes, Unit::bytes));
    const Workload& w = a_.scenario.workload;
    say(s, "bytes_per_sequence", "one sequence", cache_words(longest_tokens(w)),
        format(m.bytes_per_sequence, Unit::bytes));
    say(s, "max_batch", "largest batch",
        "floor(" + n(m.free_bytes) + " / " + n(m.bytes_per_sequence) + ")" +
            (a_.scenario.deployment.data > 1
                 ? " x " + grouped(a_.scenario.deployment.data) + " replicas"
                 : ""),
        format(m.max_batch, Unit::count));
    return s;
  }

  // What a sequence of so many tokens keeps.
  [[nodiscard]] std::string cache_words(double tokens) const {
    const Scenario& s = a_.scenario;
    std::string words = "cache of " + grouped(tokens) + " tokens";
    double cells = 0;
    for (const Layer& layer : s.model.layers) {
      cells = std::max(cells, cache_of(layer, whole(s.model), s.deployment).cap_tokens);
    }
    if (cells > 0 && cells < tokens) {
      words += " (" + grouped(cells) + " cells in windowed layers)";
    }
    if (const double block = hybrid_page(s.model, s.deployment); block > 0) {
      return words + " in pages of " + grouped(block) + " + a page of " +
             n(block * layer_pages(s.model, s.deployment).token_bytes) + " for each of " +
             grouped(cache_layers(s.model).recurrent) + " states";
    }
    return words + " in pages of " + grouped(s.deployment.page_tokens) + " + state " +
           n(a_.memory.state_bytes_per_sequence);
  }

  [[nodiscard]] Section crossings() const {
    const Crossing& x = a_.crossing;
    Section s{.tag = "crossing", .title = "Crossing (section 8)", .kind = SectionKind::values};
    const auto at = [](const std::optional<double>& v) {
      return v ? significant(*v, 4) : std::string("never");
    };
    say(s, "fc_tokens", "FC layers",
        "tokens where their FLOPs / peak = their bytes / bandwidth, activations included",
        at(x.fc_tokens));
    say(s, "step_batch", "whole step",
        "batch where compute seconds = memory seconds at " +
            grouped(decode_context(a_.scenario.workload)) + " cached tokens",
        at(x.step_batch));
    say(s, "intensity_limit", "limit of the step",
        "FLOPs per sequence / bytes per sequence, weights free",
        format(x.intensity_limit, Unit::flop_per_byte));
    return s;
  }

  const Analysis& a_;
  const Device& d_;
};

}  // namespace

Report explain_report(const Analysis& a) { return Explainer(a).run(); }

}  // namespace rooflens
