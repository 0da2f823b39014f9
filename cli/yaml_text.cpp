#include "cli/yaml_text.h"

#include <algorithm>
#include <iterator>

#include "cli/optional_module.h"
#include "modules/yaml/yaml.h"
#include "rooflens/core/ascii.h"

namespace rooflens::cli {
namespace {

void append(void* where, const char* bytes, std::size_t count) {
  static_cast<std::string*>(where)->append(bytes, count);
}

// Every value is a node of some hundred bytes while it is read.
constexpr std::size_t kMostYaml = std::size_t{4} << 20;

constexpr std::string_view kReportKeys[] = {
    "successes:", "request_performance:", "output_tokens_per_second:"};

}  // namespace

bool is_yaml_report(std::string_view text) {
  const std::string_view start = trim(text);
  if (start.empty() || start[0] == '{' || start[0] == '[') return false;
  const auto begins_a_line = [&](std::string_view key) {
    for (std::size_t at = text.find(key); at != std::string_view::npos;
         at = text.find(key, at + 1)) {
      std::size_t before = at;
      while (before > 0 && text[before - 1] == ' ') --before;
      if (before == 0 || text[before - 1] == '\n') return true;
    }
    return false;
  };
  return std::any_of(std::begin(kReportKeys), std::end(kReportKeys), begins_a_line);
}

Result<std::string> json_of_yaml(std::string_view text, const std::string& where, const Io& io) {
  if (text.size() > kMostYaml) {
    return fail(ErrorCode::out_of_range, "a report in YAML of more than 4 MiB", where,
                "cut out the part that holds the results, or export it as JSON");
  }
  auto module = OptionalModule::open("yaml", "libyaml-cpp-dev", io);
  if (!module) {
    module.error().message = "results in YAML need yaml-cpp: " + module.error().message;
    return Failure(std::move(module.error()));
  }
  const auto* version =
      static_cast<const std::int32_t*>(module->find(ROOFLENS_YAML_VERSION_SYMBOL));
  void* convert = module->find(ROOFLENS_YAML_TO_JSON);
  if (version == nullptr || *version != ROOFLENS_YAML_VERSION || convert == nullptr) {
    return fail(ErrorCode::unsupported, "the module yaml is of another version of rooflens",
                module->path(), "build both together");
  }
  std::string json;
  const char* wrong =
      reinterpret_cast<RooflensYamlToJson>(convert)(text.data(), text.size(), append, &json);
  if (wrong != nullptr) {
    return fail(ErrorCode::malformed, std::string("the YAML cannot be read: ") + wrong, where,
                "cut out the report, or export it as JSON");
  }
  return json;
}

}  // namespace rooflens::cli
