#include <algorithm>
#include <cmath>
#include <tuple>

#include "rooflens/core/ascii.h"
#include "rooflens/core/groups.h"
#include "rooflens/views/analysis_views.h"
#include "rooflens/views/scenario_names.h"

namespace rooflens {
namespace {

constexpr std::size_t kMostScenarios = 2000;  // on one chart
constexpr std::size_t kMostPoints = 24;       // of each phase; more are thinned out
constexpr std::size_t kMostLabels = 12;       // of each phase
constexpr double kApart = 0.04;               // decades between points that are thinned out
constexpr std::size_t kMostPaths = 3;
constexpr std::size_t kMostNetworks = 4;  // network ceilings

using Uses = std::array<bool, kComputes>;

// The precisions that these scenarios compute in on this device.
Uses uses_of(std::span<const Analysis> all, const Device& d) {
  Uses uses{};
  for (const Analysis& a : all) {
    if (!same_device(a.scenario.system.device, d)) continue;
    for (std::size_t c = 0; c < uses.size(); ++c) {
      uses[c] = uses[c] || a.prefill.totals.flops_by[c] > 0 || a.decode.totals.flops_by[c] > 0;
    }
  }
  return uses;
}

// One roof per distinct peak: "BF16, FP16" when they are the same. Beside other devices only the
// roofs in use, with the device's name.
void add_ceilings(std::span<const Analysis> all, const Analysis& a, const std::string& name,
                  RooflineChart& chart) {
  const Device& d = a.scenario.system.device;
  const Uses uses = uses_of(all, d);
  const bool any = std::find(uses.begin(), uses.end(), true) != uses.end();
  const std::string prefix = name.empty() ? "" : name + " ";
  const std::string bandwidth = format(d.bytes_per_s, Unit::bytes_per_s);
  const bool said = name.find(bandwidth) != std::string::npos;
  std::vector<double> seen;
  for (int i = 0; i < kComputes; ++i) {
    const auto c = static_cast<std::size_t>(i);
    const double peak = a.ceilings.peak[c];
    const auto type = static_cast<Compute>(i);
    const bool usual = type == Compute::bf16 || (type == Compute::fp8 && name.empty());
    if (peak <= 0 || (!uses[c] && !(usual && (name.empty() || !any)))) continue;
    if (std::find(seen.begin(), seen.end(), peak) != seen.end()) continue;
    seen.push_back(peak);
    std::string label = upper(name_of(type));
    for (std::size_t other = c + 1; other < uses.size(); ++other) {
      if (a.ceilings.peak[other] == peak && uses[other]) {
        label += ", " + upper(name_of(static_cast<Compute>(other)));
      }
    }
    ChartCeiling roof;
    roof.label = prefix + label + " " + format(peak, Unit::flops_per_s);
    roof.flops_per_s = peak;
    roof.bytes_per_s = d.bytes_per_s;
    roof.slope_label = name.empty() ? bandwidth + " memory" : said ? name : prefix + bandwidth;
    chart.ceilings.push_back(std::move(roof));
  }
}

// Where the links are the ceiling of a phase: its FLOPs over the time they need at least. Those
// that lie on each other are one; none where there are too many to read.
void add_network_ceilings(std::span<const Analysis> all, const std::vector<std::string>& names,
                          RooflineChart& chart) {
  struct Found {
    ChartCeiling ceiling;
    std::size_t first = 0, count = 0;
  };
  std::vector<ChartCeiling> ceilings;
  for (const bool decode : {false, true}) {
    std::vector<Found> found;
    std::size_t fitting = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i].memory.fits) continue;
      ++fitting;
      const StepTotals& t = (decode ? all[i].decode : all[i].prefill).totals;
      if (t.bound != Bound::network) continue;
      ChartCeiling k;
      k.flops_per_s = t.flops / t.network_roof_seconds;
      k.bytes_per_s = all[i].ceilings.bytes_per_s;
      k.network = true;
      const auto same = [&](const Found& f) {
        return std::fabs(std::log10(f.ceiling.flops_per_s / k.flops_per_s)) < kApart / 4;
      };
      const auto known = std::find_if(found.begin(), found.end(), same);
      if (known != found.end()) {
        ++known->count;
      } else {
        found.push_back({std::move(k), i, 1});
      }
      if (found.size() > kMostNetworks) return;
    }
    for (Found& f : found) {
      const std::string name = f.count == fitting ? "" : names[f.first] + " ";
      f.ceiling.label = "network, " + name + (decode ? "decode " : "prefill ") +
                        format(f.ceiling.flops_per_s, Unit::flops_per_s);
      ceilings.push_back(std::move(f.ceiling));
    }
  }
  if (ceilings.size() > kMostNetworks) return;
  chart.ceilings.insert(chart.ceilings.end(), ceilings.begin(), ceilings.end());
}

PointKind kind_of(OperatorGroup g) {
  switch (g) {
    case OperatorGroup::fc:
    case OperatorGroup::head:
      return PointKind::fc;
    case OperatorGroup::experts:
      return PointKind::experts;
    case OperatorGroup::attention:
      return PointKind::attention;
    case OperatorGroup::state:
      return PointKind::state;
    default:
      return PointKind::other;
  }
}

std::string tip_of(const std::string& what, double intensity, double attainable, Bound bound) {
  return what + ": " + format(intensity, Unit::flop_per_byte) + ", attainable " +
         format(attainable, Unit::flops_per_s) + ", " + name_of(bound) + "-bound";
}

ChartPoint step_point(const Phase& p, bool decode) {
  ChartPoint step;
  step.label = decode ? "decode step" : "prefill step";
  step.short_label = decode ? "step" : "prefill";
  step.kind = PointKind::step;
  step.phase = decode ? PointPhase::decode : PointPhase::prefill;
  step.intensity = p.totals.intensity;
  step.flops_per_s = p.totals.attainable_flops_per_s;
  step.tip = tip_of(step.label, step.intensity, step.flops_per_s, p.totals.bound);
  return step;
}

// The whole step and its parts.
void add_points(const Analysis& a, const Phase& p, bool decode, RooflineChart& chart) {
  const std::string phase = decode ? "decode " : "prefill ";
  chart.points.push_back(step_point(p, decode));
  for (const auto& [group, name, brief] :
       {std::tuple{OperatorGroup::fc, "FC", "FC"},
        std::tuple{OperatorGroup::experts, "experts", "exp"},
        std::tuple{OperatorGroup::attention, "attention", "attn"},
        std::tuple{OperatorGroup::state, "state", "state"}}) {
    const GroupTotals g = group_totals(p, a.ceilings, a.scenario.deployment.fusion, group);
    if (g.bytes <= 0 || g.intensity <= 0) continue;
    ChartPoint at;
    at.label = phase + name;
    at.short_label = brief;
    at.kind = kind_of(group);
    at.phase = decode ? PointPhase::decode : PointPhase::prefill;
    at.intensity = g.intensity;
    at.flops_per_s = g.attainable_flops_per_s;
    at.tip = tip_of(at.label, g.intensity, g.attainable_flops_per_s, g.bound);
    chart.points.push_back(std::move(at));
  }
}

// Whole steps that fall on one point, and the first scenario of them.
struct StepsAt {
  ChartPoint point;
  std::size_t first = 0, count = 0;
};

// Where there are many, those that lie on the one before are left out.
void thin_out(std::vector<StepsAt>& places) {
  if (places.size() <= kMostPoints) return;
  const auto far = [](const ChartPoint& a, const ChartPoint& b) {
    return std::fabs(std::log10(a.intensity / b.intensity)) > kApart ||
           std::fabs(std::log10(a.flops_per_s / b.flops_per_s)) > kApart;
  };
  std::vector<StepsAt> kept;
  for (std::size_t n = 0; n < places.size(); ++n) {
    const bool last = n + 1 == places.size();
    if (last && kept.size() > 1 && !far(kept.back().point, places[n].point)) kept.pop_back();
    if (last || kept.empty() || far(kept.back().point, places[n].point)) {
      kept.push_back(std::move(places[n]));
    }
  }
  places = std::move(kept);
}

// Whole steps of several scenarios, named by what differs; those that fall on one point share it.
void add_steps(std::span<const Analysis> all, const std::vector<std::string>& names, bool decode,
               RooflineChart& chart) {
  const char* phase = decode ? "decode" : "prefill";
  std::vector<StepsAt> places;
  std::size_t fitting = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].memory.fits) continue;
    ++fitting;
    ChartPoint p = step_point(decode ? all[i].decode : all[i].prefill, decode);
    const auto same = [&](const StepsAt& o) {
      return o.point.intensity == p.intensity && o.point.flops_per_s == p.flops_per_s;
    };
    const auto known = std::find_if(places.begin(), places.end(), same);
    if (known != places.end()) {
      ++known->count;
    } else {
      places.push_back({std::move(p), i, 1});
    }
  }
  thin_out(places);
  const std::size_t each = (places.size() + kMostLabels - 1) / kMostLabels;
  for (std::size_t n = 0; n < places.size(); ++n) {
    StepsAt& at = places[n];
    const std::string more = at.count > 1 ? " and " + std::to_string(at.count - 1) + " more" : "";
    const bool all_of_them = at.count == fitting && fitting > 1;
    const std::string name = all_of_them ? "" : names[at.first] + more;
    const std::string label = name.empty() ? phase : name + " " + phase;
    at.point.tip = label + at.point.tip.substr(at.point.tip.find(':'));
    const bool labelled = n % each == 0 || n + 1 == places.size();
    at.point.label = labelled ? label : "";
    at.point.short_label = labelled ? name : "";
    chart.points.push_back(std::move(at.point));
  }
}

// The decode step as its batch grows, to where memory runs out (or 1,024). Beside others only the
// ends carry a number.
void add_batch_path(const Analysis& a, const std::string& name, RooflineChart& chart) {
  const double context = decode_context(a.scenario.workload);
  const double last = std::isfinite(a.memory.max_batch)
                          ? std::min(4096.0, std::max(1.0, a.memory.max_batch))
                          : 1024;
  ChartPath path;
  path.phase = PointPhase::decode;
  const double first = a.scenario.deployment.data, end = std::max(last, first);
  const auto step = [&](double batch) {
    const Phase p = decode_at(a, batch, context);
    const bool marked = name.empty() || batch == first || batch == end;
    path.steps.push_back({p.totals.intensity, p.totals.attainable_flops_per_s,
                          marked ? grouped(batch) : std::string()});
  };
  for (double batch = first; batch < last; batch *= 2) step(batch);
  step(end);
  const bool full = std::isfinite(a.memory.max_batch) && last == a.memory.max_batch;
  path.label = (name.empty() ? "decode step" : name) + ", batch " + grouped(first) + " to " +
               grouped(end) + (full ? " (memory full)" : "");
  if (path.steps.size() > 1) chart.paths.push_back(std::move(path));
}

// "batch 8", or "batch 1 to 256" where they differ.
std::string range_words(std::span<const Analysis> all, const char* before, const char* after,
                        double (*value)(const Workload&)) {
  double low = value(all.front().scenario.workload), high = low;
  for (const Analysis& a : all) {
    low = std::min(low, value(a.scenario.workload));
    high = std::max(high, value(a.scenario.workload));
  }
  return before + grouped(low) + (high > low ? " to " + grouped(high) : "") + after;
}

std::string subtitle_of(std::span<const Analysis> all, const std::vector<std::string>& names,
                        std::size_t given) {
  std::string words =
      "per device; " + range_words(all, "batch ", "", [](const Workload& w) { return w.batch; }) +
      range_words(all, ", prompt ", "", [](const Workload& w) { return w.prompt; }) +
      range_words(all, ", decode with ", " tokens cached", decode_context);
  std::size_t without = 0;
  std::string first;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].memory.fits || all.size() == 1) continue;
    if (without++ == 0) first = names[i];
  }
  if (without > 0) words += "; does not fit: " + first;
  if (without > 1) words += " and " + std::to_string(without - 1) + " more";
  if (given > all.size()) {
    words += "; the first " + grouped(static_cast<double>(all.size())) + " of " +
             grouped(static_cast<double>(given));
  }
  return words;
}

}  // namespace

RooflineChart analysis_chart(std::span<const Analysis> all) {
  RooflineChart chart;
  if (all.empty()) return chart;
  const std::span<const Analysis> shown = all.first(std::min(all.size(), kMostScenarios));
  const std::vector<std::string> names = scenario_names(shown);
  const std::vector<std::string> devices =
      varied(shown).device ? device_names(shown) : std::vector<std::string>(shown.size());
  chart.title = comparison_title(shown);
  chart.subtitle = subtitle_of(shown, names, all.size());
  std::size_t distinct = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto same = [&](const Analysis& o) {
      return same_device(o.scenario.system.device, shown[i].scenario.system.device);
    };
    if (std::any_of(shown.begin(), shown.begin() + static_cast<std::ptrdiff_t>(i), same)) continue;
    ++distinct;
    add_ceilings(shown, shown[i], devices[i], chart);
  }
  add_network_ceilings(shown, names, chart);
  if (shown.size() == 1) {
    if (!shown.front().memory.fits) return chart;
    add_points(shown.front(), shown.front().prefill, false, chart);
    add_points(shown.front(), shown.front().decode, true, chart);
    add_batch_path(shown.front(), "", chart);
    return chart;
  }
  add_steps(shown, names, false, chart);
  add_steps(shown, names, true, chart);
  // Paths of one device would lie on each other.
  if (distinct == shown.size() && shown.size() <= kMostPaths) {
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (shown[i].memory.fits) add_batch_path(shown[i], devices[i] + " decode", chart);
    }
  }
  return chart;
}

}  // namespace rooflens
