// Models that are known without a file: data/models/models.tsv, facts in the key spelling of
// config.json, read by the same reader.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooflens/core/model.h"
#include "rooflens/core/result.h"
#include "rooflens/readers/hf_config.h"

namespace rooflens {

struct BuiltinModel {
  std::string_view name;  // "Qwen/Qwen3-8B"
  std::string_view model_type;
  std::string_view facts;         // "hidden_size=4096 num_hidden_layers=36 ..."
  std::string_view quantisation;  // the same, "" = none
  std::string_view source, note;
};

// Every row, in the table's order. The views live as long as the program.
[[nodiscard]] const std::vector<BuiltinModel>& builtin_models();

// The config.json a row stands for. A dotted key is a member of an object ("a.b=1" is "a":{"b":1}).
[[nodiscard]] std::string builtin_config(const BuiltinModel& row);

// The model of that name: letter case does not count, the organisation may be left out. Unknown
// names are `not_found` with the nearest names as the hint; a name of several rows is `ambiguous`.
[[nodiscard]] Result<Model> builtin_model(std::string_view name, const HfOptions& options = {});

// The `count` names nearest to `name`, nearest first.
[[nodiscard]] std::vector<std::string_view> nearest_builtin_models(std::string_view name,
                                                                   std::size_t count);

}  // namespace rooflens
