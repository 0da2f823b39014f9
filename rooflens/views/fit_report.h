// Fits over several measurements, as every face shows them. docs/model.md section 14.3.
#pragma once

#include <span>
#include <vector>

#include "rooflens/check/fit.h"
#include "rooflens/render/json_writer.h"
#include "rooflens/render/report.h"
#include "rooflens/render/roofline_chart.h"

namespace rooflens {

// "fits": the three numbers of each phase, with their ranges.
[[nodiscard]] Section fit_table(std::span<const Fit> fits);

// "fit_evidence": what each fit rests on, what it leaves out and what it does not tell.
[[nodiscard]] Section fit_evidence(std::span<const Fit> fits);

// The value of `fits` in the JSON contract of `check`: an array.
void fits_json(std::span<const Fit> fits, JsonWriter& out);

// The slope and the roof that the engine reaches, where the fits tell them: bandwidth from decode,
// compute from prefill, or from the other phase. `highest` is the highest roof of the chart.
[[nodiscard]] std::vector<ChartCeiling> reached_ceilings(std::span<const Fit> fits, double highest);

}  // namespace rooflens
