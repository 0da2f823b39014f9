#include "cli/version.h"

#include "cli/exit_code.h"
#include "rooflens/catalogue/glossary.h"
#include "rooflens/readers/builtin_models.h"

namespace rooflens::cli {

int print_version(Context& c) {
  const Catalogue& catalogue = built_in_catalogue();
  const auto devices = static_cast<double>(catalogue.devices.size());
  const auto instances = static_cast<double>(catalogue.instances.size());
  const auto models = static_cast<double>(builtin_models().size());
  Output output;
  output.results = [&](JsonWriter& j) {
    j.begin_object()
        .member("version", kVersion)
        .member("commit", kCommit)
        .member("devices", devices);
    j.member("cloud_instances", instances).member("models", models);
    j.member("glossary_terms", static_cast<double>(glossary().size()));
    j.end();
  };
  if (c.format == Format::json) return print(output, c, kDone);
  std::string text = "rooflens " + std::string(kVersion);
  if (!kCommit.empty()) text += " (" + std::string(kCommit) + ")";
  text += ": " + format(devices, Unit::count) + " devices, " + format(instances, Unit::count) +
          " cloud instances, " + format(models, Unit::count) + " models built in\n";
  return print_text(text, c, kDone);
}

}  // namespace rooflens::cli
