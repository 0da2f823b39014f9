// The model behind a name that people wrote beside a measurement.
#pragma once

#include <string>

#include "rooflens/core/model.h"
#include "rooflens/core/result.h"

namespace rooflens {

// What a result says of its model; empty and 0 = it does not say.
struct NamedModel {
  std::string name;          // "qwen3moe 30B.A3B Q4_K - Medium", "meta-llama/Llama-3.1-8B-Instruct"
  std::string quantisation;  // "Q4_K - Medium"; else the name's own word counts
  double bytes = 0;          // of all weights, as stored
  double parameters = 0, active_parameters = 0;
};

struct FoundModel {
  Model model;
  bool coarse = false;  // from bytes and parameters alone
  std::string how;      // "Qwen/Qwen3-30B-A3B by its name", "... by its 8,030,261,312 parameters"
};

// A built-in model of the same family, version and size - or, where the name leaves that open or
// contradicts the parameters, of the same number of parameters to 0.15 % - stored as the name's
// format says and, where they are told, in exactly so many bytes. Else a coarse model
// (coarse_model.h). Errors: not_found when the name is unknown and no size is told; ambiguous when
// several models of different shapes fit.
[[nodiscard]] Result<FoundModel> find_named_model(const NamedModel& named);

// Stores a published model as a result says it was: in its format and, where they are told, in
// exactly so many bytes.
void store_as_told(Model& m, const std::string& quantisation, double bytes);

}  // namespace rooflens
