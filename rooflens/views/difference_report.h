// Two runs against each other, as every face shows them. docs/model.md section 14.4.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooflens/check/difference.h"
#include "rooflens/render/json_writer.h"
#include "rooflens/render/report.h"

namespace rooflens {

// Two runs by name, their figures, and what is between them. The steps outlive it.
struct ComparedRuns {
  std::string before, after;  // "a.jsonl"; "llama.cpp b6865"
  std::vector<MeasuredStep> before_steps, after_steps;
  Differences found;
};

// "difference", a table of the pairs and their parts, and "difference_words".
[[nodiscard]] std::vector<Section> difference_sections(const ComparedRuns& runs);

// The value of `difference` in the JSON contract of `check`: an object.
void difference_json(const ComparedRuns& runs, JsonWriter& out);

}  // namespace rooflens
