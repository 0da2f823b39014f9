// Measurements held against their roofs, as every face shows them. docs/model.md section 14.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooflens/check/diagnose.h"
#include "rooflens/check/fit.h"
#include "rooflens/render/json_writer.h"
#include "rooflens/render/report.h"
#include "rooflens/render/roofline_chart.h"

namespace rooflens {

// One screen: verdicts, the table of figures, what the steps tell together (`fits`), their
// readings, what they say of each other, causes, and what to measure next.
[[nodiscard]] Report check_report(const std::vector<Diagnosis>& all, const Analysis& a,
                                  std::span<const Fit> fits = {});

// The chart of the analysis with each measured step, hollow, under its roof, a cross where it was
// expected, and the roof that the engine reaches by the fits.
[[nodiscard]] RooflineChart check_chart(const std::vector<Diagnosis>& all, const Analysis& a,
                                        std::span<const Fit> fits = {});

// The value of `observations` in the JSON contract of `check`: an array.
void check_json(const std::vector<Diagnosis>& all, JsonWriter& out);

// One observation's members, into an object that is open.
void observation_members(const Diagnosis& d, JsonWriter& out);

// How a standing is coloured.
[[nodiscard]] Severity severity_of(Standing s);

// The sentence with its numbers written out.
[[nodiscard]] std::string text_of(const Sentence& s);

}  // namespace rooflens
