// What was measured, under the roofs it is held against.
#include <algorithm>

#include "rooflens/views/analysis_views.h"
#include "rooflens/views/check_marks.h"
#include "rooflens/views/check_report.h"
#include "rooflens/views/fit_report.h"

namespace rooflens {

RooflineChart check_chart(const std::vector<Diagnosis>& all, const Analysis& a,
                          std::span<const Fit> fits) {
  const Analysis shown = at_sizes_of(all, a);
  RooflineChart chart = analysis_chart({&shown, 1});
  double highest = 0;
  for (const ChartCeiling& k : chart.ceilings) {
    if (!k.network) highest = std::max(highest, k.flops_per_s);
  }
  for (ChartCeiling& k : reached_ceilings(fits, highest)) chart.ceilings.push_back(std::move(k));
  std::vector<Marked> marks;
  marks.reserve(all.size());
  for (const Diagnosis& d : all) marks.push_back({&d, {}});
  add_marks(marks, &shown, chart);
  return chart;
}

}  // namespace rooflens
