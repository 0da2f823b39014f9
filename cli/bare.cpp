// rooflens without a verb: says what machine this is and which commands make sense on it.
#include <array>
#include <cmath>

#include "cli/exit_code.h"
#include "cli/machine_source.h"
#include "cli/verbs.h"
#include "rooflens/core/parameters.h"
#include "rooflens/core/quantity.h"
#include "rooflens/readers/builtin_models.h"

namespace rooflens::cli {
namespace {

// Well-known models from large to small: the first whose weights leave room for a cache is shown.
constexpr std::array<std::string_view, 6> kExamples{"deepseek-ai/DeepSeek-V3",
                                                    "Qwen/Qwen3-235B-A22B-FP8",
                                                    "meta-llama/Llama-3.1-70B",
                                                    "Qwen/Qwen3-32B",
                                                    "Qwen/Qwen3-8B",
                                                    "Qwen/Qwen3-0.6B"};

std::string example_model(double bytes) {
  for (std::string_view name : kExamples) {
    const auto model = builtin_model(name);
    if (model && weight_bytes(*model, Deployment{}) < 0.7 * bytes) return std::string(name);
  }
  return std::string(kExamples.back());
}

struct Here {
  std::string sentence, device;  // device as typed after --on; empty = unknown
  double bytes = 0;
  int count = 1;
};

Here look_around(const Catalogue& catalogue, Io& io) {
  Here here;
  std::string said;
  const auto machine = machine_here(catalogue, io, &said);
  if (machine) {
    here.count = std::max(1, machine->count);
    here.device = machine->device.id;
    here.bytes = machine->device.capacity_bytes * here.count;
    here.sentence = "This machine: ";
    if (here.count > 1) here.sentence += std::to_string(here.count) + " x ";
    here.sentence += machine->device.name;
    const double half = ridge(machine->device, promote(machine->device, Element::bf16));
    here.sentence += ", " + format(machine->device.bytes_per_s, Unit::bytes_per_s);
    if (half > 0) here.sentence += ", 16-bit ridge " + format(half, Unit::flop_per_byte);
    here.sentence += ".";
    if (!machine->caution.empty()) here.sentence += " (" + machine->caution + ")";
  } else if (!said.empty()) {
    here.sentence = "This machine says it is " + rooflens::quoted(said) +
                    ", which no table of this program knows as one device; with its memory and " +
                    "peaks it can be described.";
  } else {
    here.sentence = "No accelerator or processor of this machine was recognised.";
  }
  return here;
}

std::vector<std::string> commands_for(const Here& here) {
  if (here.device.empty()) {
    return {"rooflens Qwen/Qwen3-8B --on h100-sxm --batch 1-64*2",
            "rooflens Qwen/Qwen3-8B --on bw=80GB/s,bf16=2T,mem=64GB", "rooflens devices"};
  }
  const std::string on =
      " --on " + here.device + (here.count > 1 ? " --gpus " + std::to_string(here.count) : "");
  const std::string model = example_model(here.bytes);
  return {"rooflens " + model + on, "rooflens " + model + on + " --batch 1-64*2",
          "rooflens devices " + here.device};
}

}  // namespace

int bare_command(const Options& o, Context& c) {
  auto catalogue = catalogue_of(o, c);
  if (!catalogue) return complain(c.io, catalogue.error());
  const Here here = look_around(**catalogue, c.io);
  const std::vector<std::string> commands = commands_for(here);
  Report report;
  Section machine, next;
  machine.tag = "machine";
  machine.lines.push_back({here.sentence});
  next.tag = "commands";
  next.title = "Try";
  for (const std::string& command : commands) next.lines.push_back({command});
  next.lines.push_back({"rooflens help lists the verbs."});
  report.sections = {std::move(machine), std::move(next)};
  Output output{.report = &report};
  output.results = [&](JsonWriter& j) {
    j.begin_object().key("device");
    if (here.device.empty()) {
      j.null();
    } else {
      j.value(here.device);
    }
    j.member("count", here.count).member("machine", here.sentence).key("commands").begin_array();
    for (const std::string& command : commands) j.value(command);
    j.end().end();
  };
  return print(output, c, kDone);
}

}  // namespace rooflens::cli
