// rooflens devices: the machines that are known; one of them with every figure.
#include "cli/device_report.h"
#include "cli/exit_code.h"
#include "cli/machine_source.h"
#include "cli/verbs.h"
#include "rooflens/core/quantity.h"

namespace rooflens::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : " ") + w;
  return text;
}

int show_one(const Device& d, Context& c) {
  const Report report = device_report(d);
  Output output{.report = &report};
  output.results = [&](JsonWriter& j) { device_json(d, j); };
  return print(output, c, kDone);
}

int list(const std::vector<const Device*>& devices, Context& c) {
  const bool wide = c.format != Format::text || c.text.width >= 130;
  const Report report = device_table(devices, wide);
  Output output{.report = &report, .table = "devices"};
  output.results = [&](JsonWriter& j) {
    j.begin_object().key("devices").begin_array();
    for (const Device* d : devices) device_json(*d, j);
    j.end().end();
  };
  return print(output, c, kDone);
}

}  // namespace

int devices_verb(const Options& o, Context& c) {
  auto catalogue = catalogue_of(o, c);
  if (!catalogue) return complain(c.io, catalogue.error());
  const std::string filter = joined(o.words);
  if (const Device* d = (*catalogue)->find(filter)) return show_one(*d, c);
  const auto devices = list_devices(**catalogue, filter);
  if (devices.size() > 1) return list(devices, c);
  if (devices.size() == 1) return show_one(*devices[0], c);
  auto machine = load_machine(filter, **catalogue, c.io);  // a file, figures, a cloud instance
  if (!machine) return complain(c.io, machine.error());
  if (machine->count > 1) {
    c.warn(machine->matched_as + " has " + std::to_string(machine->count) + " of these");
  }
  return show_one(machine->device, c);
}

}  // namespace rooflens::cli
