// rooflens devices: the machines that are known; one of them with every figure.
#include "cli/exit_code.h"
#include "cli/machine_source.h"
#include "cli/verbs.h"
#include "rooflens/core/quantity.h"
#include "rooflens/views/device_report.h"

namespace rooflens::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : " ") + w;
  return text;
}

void list_json(const std::vector<const Device*>& devices, JsonWriter& j) {
  j.begin_object().key("devices").begin_array();
  for (const Device* d : devices) device_json(*d, j);
  j.end().end();
}

// `of_a_filter`: in JSON a list, as a filter may find any number.
int show_one(const Device& d, Context& c, bool of_a_filter) {
  const Report report = device_report(d);
  Output output{.report = &report};
  output.results = [&](JsonWriter& j) {
    if (of_a_filter) {
      list_json({&d}, j);
    } else {
      device_json(d, j);
    }
  };
  return print(output, c, kDone);
}

int list(const std::vector<const Device*>& devices, Context& c) {
  const bool wide = c.format != Format::text || c.text.width >= 130;
  const Report report = device_table(devices, wide);
  Output output{.report = &report, .table = "devices"};
  output.results = [&](JsonWriter& j) { list_json(devices, j); };
  return print(output, c, kDone);
}

}  // namespace

int devices_verb(const Options& o, Context& c) {
  auto catalogue = catalogue_of(o, c);
  if (!catalogue) return complain(c.io, catalogue.error());
  const std::string filter = joined(o.words);
  if (const Device* d = (*catalogue)->find(filter)) return show_one(*d, c, false);
  const auto devices = list_devices(**catalogue, filter);
  if (devices.size() > 1) return list(devices, c);
  if (devices.size() == 1) return show_one(*devices[0], c, true);
  auto machine = load_machine(filter, **catalogue, c.io);  // a file, figures, a cloud instance
  if (!machine) return complain(c.io, machine.error());
  if (machine->count > 1) {
    c.warn(machine->matched_as + " has " + std::to_string(machine->count) + " of these");
  }
  return show_one(machine->device, c, false);
}

}  // namespace rooflens::cli
