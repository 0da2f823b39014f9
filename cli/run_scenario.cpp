#include "cli/run_scenario.h"

#include <algorithm>
#include <cmath>

#include "cli/machine_source.h"
#include "cli/model_source.h"
#include "rooflens/catalogue/efficiency_fitted.h"
#include "rooflens/core/parameters.h"
#include "rooflens/core/quantity.h"
#include "rooflens/core/serving.h"
#include "rooflens/core/storage.h"
#include "rooflens/readers/model_name.h"
#include "rooflens/readers/named_model.h"
#include "rooflens/render/format.h"

namespace rooflens::cli {
namespace {

constexpr std::size_t kMostDevices = 6;  // that a name may mean and each be told

std::string shown(double n) { return std::to_string(static_cast<int>(std::min(n, 1e6))); }

// An option the user did not give, from the file.
void fill(Maybe& option, const std::string& text, const char* key) {
  if (!option && !text.empty()) option = Given{text, std::string("the file's ") + key};
}

void fill_ranks(Options& o, const MeasuredRun& run) {
  if (o.tp || o.pp || o.dp || o.ep || o.gpus) return;  // the user's word on all of them
  if (run.tensor > 0) fill(o.tp, shown(run.tensor), "tensor parallel size");
  if (run.pipeline > 0) fill(o.pp, shown(run.pipeline), "pipeline parallel size");
  if (run.data > 0) fill(o.dp, shown(run.data), "data parallel size");
  if (run.expert > 1) fill(o.ep, shown(run.expert), "expert parallel size");
  if (run.devices <= 1 || run.tensor > 0 || run.pipeline > 0) return;
  // llama.cpp: layers on one card after the other, unless it was told to divide them.
  const bool serial = run.split == "layer" || (run.split.empty() && run.engine == "llama.cpp");
  fill(serial ? o.pp : o.tp, shown(run.devices), "number of devices");
}

// Words of engines that the table of formats does not have are left to the model's own.
void fill_cache(Maybe& option, const std::string& type, const char* key) {
  const NamedStorage* format = format_in_words(type);
  if (format != nullptr) fill(option, format->name, key);
}

Options with_facts(const Options& o, const MeasuredRun& run, bool memory_is_known) {
  Options out = o;
  fill_ranks(out, run);
  if (!out.kv) {
    fill_cache(out.cache_type_k, run.key_cache, "key cache type");
    fill_cache(out.cache_type_v, run.value_cache, "value cache type");
  }
  // It ran: only what cannot be in the memory at all is refused.
  if (memory_is_known) {
    fill(out.utilisation, "1", "having run");
    fill(out.overhead, "0", "having run");
  }
  return out;
}

struct RunModel {
  Model model;
  bool coarse = false;
  std::string how;
};

// What the file says of its model beside the one that was given: another size is told, the format
// and the bytes of the same one are taken where the given one is as published.
void hold_against_file(const Options& o, const MeasuredRun& run, Model& model, Context& c) {
  constexpr double kOther = 0.08;
  double told = run.model_parameters;
  if (told <= 0 && !run.model.empty()) {
    if (auto found = find_named_model({run.model, run.quantisation, run.model_bytes, 0, 0});
        found && !found->coarse) {
      told = count_parameters(found->model).total;
    }
  }
  const double given = count_parameters(model).total;
  if (told > 0 && std::fabs(told / given - 1) > kOther) {
    c.warn("the file tells of " + (run.model.empty() ? "a model" : rooflens::quoted(run.model)) +
           " with " + format(told, Unit::parameters) + " parameters, and is held against " +
           model.name + " with " + format(given, Unit::parameters));
    return;
  }
  const bool published = model.quantisation.empty() && model.stored.empty();
  const std::string format_words = run.quantisation.empty() ? run.model : run.quantisation;
  const bool tells = format_in_words(format_words) != nullptr || run.model_bytes > 0;
  if (!published || o.weights || o.experts) return;
  if (!tells) {
    // Engines that serve GGUF files seldom serve them as they are published.
    if (run.engine == "Ollama" || run.engine == "llama.cpp") {
      c.warn(
          "the file does not tell how the weights are stored: they are taken as published, and " +
          run.engine + " mostly serves quantised ones; --weights q4_k or the like tells it");
    }
    return;
  }
  store_as_told(model, format_words, run.model_bytes);
  c.warn("the weights are as the file tells: " + rooflens::quoted(format_words) +
         (run.model_bytes > 0 ? ", " + format(run.model_bytes, Unit::bytes) : ""));
}

// A device that is not the file's.
void say_other_device(const MeasuredRun& run, const std::vector<Machine>& machines,
                      const Catalogue& catalogue, Context& c) {
  if (run.device.empty() || machines.size() != 1) return;
  const auto told = find_machine(catalogue, run.device);
  if (!told || told->device.id == machines.front().device.id) return;
  c.warn("the file tells of " + rooflens::quoted(run.device) + ", and is held against " +
         machines.front().device.name);
}

Result<RunModel> model_of(const Options& o, const MeasuredRun& run, Context& c) {
  auto access = model_access(o);
  if (!access) return Failure(std::move(access.error()));
  if (o.model) {
    auto model = load_model(o.model->text, c.io, *access);
    if (!model) return Failure(std::move(model.error()));
    hold_against_file(o, run, *model, c);
    return RunModel{std::move(*model), false, {}};
  }
  // A repository that is on this machine says more than any table.
  if (run.model.find('/') != std::string::npos) {
    if (auto model = load_told_model(run.model, c.io, *access)) {
      if (run.quantisation.empty() || !model->quantisation.empty()) {
        const std::string how = model->name + " by its name";
        return RunModel{std::move(*model), false, how};
      }
    }
  }
  auto found =
      find_named_model({run.model, run.quantisation, run.model_bytes, run.model_parameters, 0});
  if (!found) return Failure(std::move(found.error()));
  return RunModel{std::move(found->model), found->coarse, std::move(found->how)};
}

// One machine, or each that the name can mean.
Result<std::vector<Machine>> machines_of(const Options& o, const MeasuredRun& run, Context& c) {
  auto catalogue = catalogue_of(o, c);
  if (!catalogue) return Failure(std::move(catalogue.error()));
  std::vector<Machine> out;
  if (!o.on.empty()) {
    for (const Given& on : o.on) {
      auto machine = load_machine(on.text, **catalogue, c.io);
      if (!machine) return Failure(std::move(machine.error()));
      if (!machine->caution.empty()) c.warn(machine->matched_as + ": " + machine->caution);
      out.push_back(std::move(*machine));
    }
    say_other_device(run, out, **catalogue, c);
    return out;
  }
  if (run.device.empty()) return fail(ErrorCode::not_found, "the file names no device");
  auto machine = find_machine(**catalogue, run.device);
  if (machine) {
    if (!machine->caution.empty()) c.warn(machine->matched_as + ": " + machine->caution);
    out.push_back(std::move(*machine));
    return out;
  }
  const std::vector<std::string>& choices = machine.error().choices;
  if (choices.empty() || choices.size() > kMostDevices) {
    return fail(machine.error().code,
                "the device " + rooflens::quoted(run.device) +
                    (choices.empty() ? " is not in the tables" : " can be one of many"));
  }
  for (const std::string& id : choices) {
    auto one = find_machine(**catalogue, id);
    if (!one) return Failure(std::move(one.error()));
    out.push_back(std::move(*one));
  }
  return out;
}

// What the engine that ran has kernels for, and what it was measured to reach.
void serve_with_engine(const Options& o, const MeasuredRun& run, Case& c) {
  const std::string engine = engine_family(run.engine);
  const Device& device = c.scenario.system.device;
  if (!o.gemm_input && !o.fp16_accumulate) {
    use_kernels_of(engine, device, c.scenario.model, c.scenario.deployment);
  }
  if (!o.efficiency) {
    c.efficiency = efficiency_for(device, {engine, format_class(c.scenario.model)});
  }
}

}  // namespace

std::string scenario_key(const MeasuredRun& run) {
  std::string key;
  for (const std::string& word : {run.engine, run.build, run.model, run.quantisation, run.device,
                                  run.split, run.key_cache, run.value_cache}) {
    key += word + '\n';
  }
  for (const double n : {run.model_bytes, run.model_parameters, run.devices, run.tensor,
                         run.pipeline, run.expert, run.data}) {
    key += std::to_string(n) + '\n';
  }
  return key;
}

Result<RunScenario> scenario_of_run(const Options& o, const MeasuredRun& run, Context& c) {
  RunScenario out;
  auto model = model_of(o, run, c);
  if (!model && o.model) return Failure(std::move(model.error()));
  auto machines = machines_of(o, run, c);
  if (!machines && !o.on.empty()) return Failure(std::move(machines.error()));
  if (!model) {
    out.missing = model.error().message + "; --model MODEL gives it";
  }
  if (!machines) {
    out.missing +=
        (out.missing.empty() ? "" : "; ") + machines.error().message + "; --on DEVICE gives it";
  }
  if (!out.missing.empty()) return out;
  out.coarse = model->coarse;
  for (const std::string& w : model->model.warnings) c.warn(w);
  if (!model->how.empty() && !model->coarse) {
    out.found = "the model is taken to be " + model->how;
  }
  if (o.on.empty()) {
    const std::string device = machines->size() == 1
                                   ? "the device to be " + machines->front().matched_as
                                   : rooflens::quoted(run.device) + " can be " +
                                         shown(static_cast<double>(machines->size())) +
                                         " devices: each is told, --on picks one";
    out.found += (out.found.empty() ? (machines->size() == 1 ? "taken: " : "") : ", ") + device;
  }
  for (const Machine& machine : *machines) {
    const Options facts = with_facts(o, run, machine.device.capacity_bytes > 0);
    auto one = case_with(facts, c, model->model, machine);
    if (!one) {
      // What the options alone cannot be is theirs; else the file says what cannot be.
      if (auto without = case_with(o, c, model->model, machine); !without) {
        return Failure(std::move(without.error()));
      }
      out.cases.clear();
      out.missing =
          "what the file says of its ranks and formats cannot be: " + one.error().message +
          "; --tp, --pp, --kv and the like go before it";
      return out;
    }
    serve_with_engine(o, run, *one);
    out.cases.push_back(std::move(*one));
  }
  return out;
}

}  // namespace rooflens::cli
