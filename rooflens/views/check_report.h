// Measurements held against their roofs, as every face shows them. docs/model.md section 14.
#pragma once

#include <string>
#include <vector>

#include "rooflens/check/diagnose.h"
#include "rooflens/render/json_writer.h"
#include "rooflens/render/report.h"
#include "rooflens/render/roofline_chart.h"

namespace rooflens {

// One screen: verdicts, the table of figures, their readings, what they say together, causes, and
// what to measure next.
[[nodiscard]] Report check_report(const std::vector<Diagnosis>& all, const Analysis& a);

// The chart of the analysis with each measured step, hollow, under its roof.
[[nodiscard]] RooflineChart check_chart(const std::vector<Diagnosis>& all, const Analysis& a);

// The value of `observations` in the JSON contract of `check`: an array.
void check_json(const std::vector<Diagnosis>& all, JsonWriter& out);

// One observation's members, into an object that is open.
void observation_members(const Diagnosis& d, JsonWriter& out);

// How a standing is coloured.
[[nodiscard]] Severity severity_of(Standing s);

// The sentence with its numbers written out.
[[nodiscard]] std::string text_of(const Sentence& s);

}  // namespace rooflens
