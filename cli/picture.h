// The chart of analyses: as a file, and in the terminal.
#pragma once

#include <span>
#include <string>

#include "cli/context.h"
#include "rooflens/core/analyze.h"

namespace rooflens::cli {

// Writes the picture that --plot asks for.
[[nodiscard]] Result<void> draw_plot(const Options& o, Context& c, std::span<const Analysis> all);

// The chart for the terminal; empty with --no-chart, and where the output is
// not text.
[[nodiscard]] std::string terminal_picture(const Options& o, const Context& c,
                                           std::span<const Analysis> all);

// Tag of the first table of a report: what CSV shows of a sweep.
[[nodiscard]] std::string first_table(const Report& r);

}  // namespace rooflens::cli
