// What was measured, under the roofs it is held against.
#include <cmath>

#include "rooflens/views/analysis_views.h"
#include "rooflens/views/check_report.h"

namespace rooflens {
namespace {

constexpr std::size_t kMostMeasured = 24;
constexpr double kElsewhere = 0.02;  // of the intensity: the claim tells other sizes

PointPhase phase_of_point(MeasuredPhase p) {
  return p == MeasuredPhase::prefill ? PointPhase::prefill : PointPhase::decode;
}

// The sizes that matter to the phase.
std::string sizes(const Diagnosis& d) {
  return d.phase == MeasuredPhase::prefill ? "prompt " + grouped(d.prompt)
                                           : "batch " + grouped(d.batch);
}

}  // namespace

RooflineChart check_chart(const std::vector<Diagnosis>& all, const Analysis& a) {
  RooflineChart chart = analysis_chart({&a, 1});
  std::size_t shown = 0;
  for (const Diagnosis& d : all) {
    // A figure of both phases has no step and no place of its own.
    if (!drawable(d.intensity, d.achieved_flops_per_s) || shown++ == kMostMeasured) continue;
    const std::string phase = name_of(d.phase);
    ChartPoint measured;
    measured.kind = PointKind::step;
    measured.phase = phase_of_point(d.phase);
    measured.measured = true;
    measured.label =
        phase + " measured, " + format(d.fraction_of_roof, Unit::fraction) + " of roof";
    measured.short_label = "measured";
    measured.intensity = d.intensity;
    measured.flops_per_s = d.achieved_flops_per_s;
    measured.tip = measured.label + ": " + format(d.intensity, Unit::flop_per_byte) + ", " +
                   format(d.achieved_flops_per_s, Unit::flops_per_s);
    const Phase& p = d.phase == MeasuredPhase::prefill ? a.prefill : a.decode;
    if (std::fabs(d.intensity / p.totals.intensity - 1) > kElsewhere && d.roof_seconds > 0) {
      ChartPoint roof = measured;
      roof.measured = false;
      roof.label = phase + " at " + sizes(d) + ", as claimed";
      roof.short_label = sizes(d);
      roof.flops_per_s *= d.step_seconds / d.roof_seconds;
      roof.tip = roof.label + ": attainable " + format(roof.flops_per_s, Unit::flops_per_s);
      chart.points.push_back(std::move(roof));
    }
    chart.points.push_back(std::move(measured));
  }
  return chart;
}

}  // namespace rooflens
