// A chart as a file, and in the terminal.
#pragma once

#include <functional>
#include <string>

#include "cli/context.h"
#include "rooflens/render/roofline_chart.h"

namespace rooflens::cli {

// Made when it is to be seen.
using MakeChart = std::function<RooflineChart()>;

// Writes the picture that --plot asks for.
[[nodiscard]] Result<void> draw_plot(const Options& o, Context& c, const MakeChart& make);

// The chart for the terminal; empty with --no-chart, and where the output is
// not text.
[[nodiscard]] std::string terminal_picture(const Options& o, const Context& c,
                                           const MakeChart& make);

// Tag of the first table of a report: what CSV shows of a sweep.
[[nodiscard]] std::string first_table(const Report& r);

}  // namespace rooflens::cli
