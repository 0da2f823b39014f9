// YAML as JSON, by the module modules/yaml.
#pragma once

#include <string>
#include <string_view>

#include "cli/io.h"

namespace rooflens::cli {

// Has the keys of a report that is known (inference-perf, llm-d, guidellm), and is no JSON.
[[nodiscard]] bool is_yaml_report(std::string_view text);

// The same as JSON, every value in its line. Errors: the module is missing or too old; malformed
// with the line.
[[nodiscard]] Result<std::string> json_of_yaml(std::string_view text, const std::string& where,
                                               const Io& io);

}  // namespace rooflens::cli
