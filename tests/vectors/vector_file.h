// The shared test vectors: what they describe, as core values, and how one is run.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "rooflens/core/operator.h"
#include "rooflens/core/scenario.h"

namespace rooflens::vectors {

using Json = nlohmann::json;

struct File {
  std::map<std::string, Model> models;
  std::map<std::string, System> systems;
  Json vectors;
};

// Empty optional-like: `error` is set when the text is not a vectors file.
struct Loaded {
  File file;
  std::string error;
};
[[nodiscard]] Loaded load(const std::string& text);

// Formats named by a vector's `deploy`, put on a copy of the model; the rest into a Deployment.
struct Setup {
  Model model;
  Deployment deploy;
  System system;
};
[[nodiscard]] Setup setup(const File& file, const Json& input);
[[nodiscard]] Setup setup(const File& file, const std::string& model, const std::string& hw,
                          const Json& deploy);

// What our arithmetic says, under the vector's own keys.
using Answer = Json;
using Kind = std::function<Answer(const File&, const Json& vector)>;
[[nodiscard]] const std::map<std::string, Kind>& kinds();
void add_step_kinds(std::map<std::string, Kind>& kinds);
void add_model_kinds(std::map<std::string, Kind>& kinds);
void add_formula_kinds(std::map<std::string, Kind>& kinds);
void add_question_kinds(std::map<std::string, Kind>& kinds);

struct Outcome {
  int passed = 0;
  std::map<std::string, int> per_kind;
  std::vector<std::string> failures;       // "id: key: expected, got"
  std::map<std::string, int> not_covered;  // kind -> how many
};
// Runs every vector, or those that `only` picks. A kind of `instead` is answered by that function
// and not by our arithmetic, so that a wrong formula can be shown to fail.
[[nodiscard]] Outcome run(const File& file, const std::map<std::string, Kind>& instead = {},
                          const std::function<bool(const Json&)>& only = {});

// A `step` vector with something changed on the way: what is asked, or the operators before they
// are placed.
struct Twist {
  std::function<void(Setup&, std::vector<Group>&)> question;
  std::function<void(const Setup&, const std::vector<Group>&, Operator&)> each_operator;
};
[[nodiscard]] Answer step_answer(const File& file, const Json& vector, const Twist& twist);

// Every key of `expect` in `answer` within rel_tol; the message names the first that is not.
[[nodiscard]] std::string mismatch(const Json& expect, const Json& answer, double rel_tol);

}  // namespace rooflens::vectors
