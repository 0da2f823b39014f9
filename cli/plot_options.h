// What --plot, --plot-size, --plot-scale and --theme ask for.
#pragma once

#include "cli/options.h"
#include "rooflens/core/result.h"
#include "rooflens/render/svg.h"

namespace rooflens::cli {

enum class PlotKind { svg, png, pdf };

struct PlotOptions {
  PlotKind kind = PlotKind::svg;
  double width = 960, height = 600;  // user units
  double scale = 1;                  // pixels for a unit of a PNG, size of a PDF
  Theme theme = Theme::automatic;
};

// The defaults when no picture is asked for. Fails on another ending, a size or scale out of range,
// an unknown theme.
[[nodiscard]] Result<PlotOptions> plot_options(const Options& o);

}  // namespace rooflens::cli
