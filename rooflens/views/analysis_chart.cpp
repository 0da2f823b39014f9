#include <cmath>

#include "rooflens/core/groups.h"
#include "rooflens/views/analysis_views.h"

namespace rooflens {
namespace {

std::string upper(std::string s) {
  for (char& c : s) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return s;
}

// One roof per distinct peak: "BF16, FP16" when they are the same.
void add_ceilings(const Analysis& a, bool name_device, RooflineChart& chart) {
  const Device& d = a.scenario.system.device;
  const std::string prefix = name_device ? d.name + " " : "";
  std::vector<double> seen;
  for (int i = 0; i < kComputes; ++i) {
    const double peak = a.ceilings.peak[static_cast<std::size_t>(i)];
    const auto c = static_cast<std::size_t>(i);
    const bool used = a.prefill.totals.flops_by[c] > 0 || a.decode.totals.flops_by[c] > 0;
    const auto type = static_cast<Compute>(i);
    if (peak <= 0 || (!used && type != Compute::bf16 && type != Compute::fp8)) continue;
    std::string label = upper(name_of(type));
    bool repeated = false;
    for (double p : seen) repeated = repeated || p == peak;
    if (repeated) continue;
    seen.push_back(peak);
    for (int k = i + 1; k < kComputes; ++k) {
      const auto other = static_cast<std::size_t>(k);
      const bool other_used =
          a.prefill.totals.flops_by[other] > 0 || a.decode.totals.flops_by[other] > 0;
      if (a.ceilings.peak[other] == peak && other_used) {
        label += ", " + upper(name_of(static_cast<Compute>(k)));
      }
    }
    ChartCeiling roof;
    roof.label = prefix + label + " " + format(peak, Unit::flops_per_s);
    roof.flops_per_s = peak;
    roof.bytes_per_s = d.bytes_per_s;
    roof.slope_label = prefix + format(d.bytes_per_s, Unit::bytes_per_s) + " memory";
    chart.ceilings.push_back(std::move(roof));
  }
}

PointKind kind_of(OperatorGroup g) {
  switch (g) {
    case OperatorGroup::fc:
    case OperatorGroup::head: return PointKind::fc;
    case OperatorGroup::experts: return PointKind::experts;
    case OperatorGroup::attention: return PointKind::attention;
    case OperatorGroup::state: return PointKind::state;
    default: return PointKind::other;
  }
}

void add_points(const Analysis& a, const Phase& p, bool decode, RooflineChart& chart) {
  const char* phase = decode ? "decode" : "prefill";
  const auto tip = [&](const char* part, double intensity, double attainable, const char* bound) {
    return std::string(phase) + " " + part + ": " + format(intensity, Unit::flop_per_byte) +
           ", attainable " + format(attainable, Unit::flops_per_s) + ", " + bound + "-bound";
  };
  ChartPoint step;
  step.label = std::string(phase) + " step";
  step.short_label = decode ? "step" : "prefill";
  step.kind = PointKind::step;
  step.phase = decode ? PointPhase::decode : PointPhase::prefill;
  step.intensity = p.totals.intensity;
  step.flops_per_s = p.totals.attainable_flops_per_s;
  step.tip = tip("step", step.intensity, step.flops_per_s, name_of(p.totals.bound));
  chart.points.push_back(std::move(step));
  for (const auto& [group, name, brief] :
       {std::tuple{OperatorGroup::fc, "FC", "FC"},
        std::tuple{OperatorGroup::experts, "experts", "exp"},
        std::tuple{OperatorGroup::attention, "attention", "attn"},
        std::tuple{OperatorGroup::state, "state", "state"}}) {
    const GroupTotals g =
        group_totals(p, a.ceilings, a.scenario.deployment.fusion, group);
    if (g.bytes <= 0 || g.intensity <= 0) continue;
    ChartPoint at;
    at.label = std::string(phase) + " " + name;
    at.short_label = brief;
    at.kind = kind_of(group);
    at.phase = decode ? PointPhase::decode : PointPhase::prefill;
    at.intensity = g.intensity;
    at.flops_per_s = g.attainable_flops_per_s;
    at.tip = tip(name, g.intensity, g.attainable_flops_per_s, name_of(g.bound));
    chart.points.push_back(std::move(at));
  }
}

// The decode step as its batch grows, to where memory runs out (or 1,024).
void add_batch_path(const Analysis& a, RooflineChart& chart) {
  const double context = decode_context(a.scenario.workload);
  const double last = std::isfinite(a.memory.max_batch)
                          ? std::min(4096.0, std::max(1.0, a.memory.max_batch))
                          : 1024;
  ChartPath path;
  path.phase = PointPhase::decode;
  const double replicas = a.scenario.deployment.data;
  const auto step = [&](double batch) {
    const Phase p = decode_at(a, batch, context);
    path.steps.push_back({p.totals.intensity, p.totals.attainable_flops_per_s, grouped(batch)});
  };
  double batch = replicas;
  for (; batch < last; batch *= 2) step(batch);
  step(std::max(last, replicas));
  path.label = "decode step, batch " + grouped(replicas) + " to " + grouped(std::max(last, replicas)) +
               (std::isfinite(a.memory.max_batch) && last == a.memory.max_batch
                    ? " (memory full)"
                    : "");
  if (path.steps.size() > 1) chart.paths.push_back(std::move(path));
}

}  // namespace

RooflineChart analysis_chart(std::span<const Analysis> all) {
  RooflineChart chart;
  if (all.empty()) return chart;
  const Analysis& first = all.front();
  const Scenario& s = first.scenario;
  chart.title = scenario_title(s);
  chart.subtitle = "per device; batch " + grouped(s.workload.batch) + ", prompt " +
                   grouped(s.workload.prompt) + ", decode with " +
                   grouped(decode_context(s.workload)) + " tokens cached";
  for (const Analysis& a : all) {
    bool same = false;
    for (const Analysis& earlier : all) {
      if (&earlier == &a) break;
      same = same || earlier.scenario.system.device.name == a.scenario.system.device.name;
    }
    if (!same) add_ceilings(a, all.size() > 1 && &a != &first, chart);
  }
  for (const Analysis& a : all.first(std::min<std::size_t>(all.size(), 2))) {
    if (!a.memory.fits) continue;
    add_points(a, a.prefill, false, chart);
    add_points(a, a.decode, true, chart);
  }
  if (first.memory.fits && all.size() == 1) add_batch_path(first, chart);
  return chart;
}

}  // namespace rooflens
