// What the tests of the core share: the models and machines of vectors.json, and one step run.
#pragma once

#include <string>
#include <vector>

#include "rooflens/core/analysis.h"

namespace rooflens::fixture {

// Text of a file of the source tree; a failed expectation when it is not there.
[[nodiscard]] std::string source_text(const std::string& path);

// Models stored in bf16, machines as vectors.json states them.
[[nodiscard]] const std::vector<std::string>& model_names();
[[nodiscard]] const Model& model(const std::string& name);
[[nodiscard]] const System& machine(const std::string& name);

// The model with its linear layers and experts stored another way.
[[nodiscard]] Model stored_as(Model m, const char* format);
[[nodiscard]] Storage format(const char* name);

struct Step {
  Ceilings ceilings;
  std::vector<Operator> ops;
  std::vector<Placed> placed;
  StepTotals totals;

  [[nodiscard]] const Operator* find(const std::string& name) const;  // the first of that name
};
[[nodiscard]] Step run(const Model& m, const System& s, const Deployment& d,
                       const std::vector<Group>& groups);

// |a - b| within `relative` of the larger.
[[nodiscard]] bool near(double a, double b, double relative);

// Calls of the global operator new so far, in this thread.
[[nodiscard]] std::size_t allocations();

}  // namespace rooflens::fixture
