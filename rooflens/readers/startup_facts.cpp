#include "rooflens/readers/startup_facts.h"

#include <cstdlib>

#include "rooflens/readers/result_formats.h"

namespace rooflens {
namespace {

void fill(std::string& to, std::string_view from) {
  if (to.empty() && from != "auto" && from != "None") to = from;
}

void fill(double& to, double from) {
  if (to == 0 && from > 0) to = from;
}

// Settings are kept as words: "2".
double setting(const Startup& s, std::string_view name) {
  return std::strtod(std::string(s.text(name)).c_str(), nullptr);
}

double first_of(const Startup& s, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const double n = s.number(name, setting(s, name)); n > 0) return n;
  }
  return 0;
}

// The cards that llama.cpp uses, by the name of the first.
void fill_devices(const Startup& s, MeasuredRun& run) {
  double count = 0;
  for (const Printed& p : s.fields) {
    if (!p.name.starts_with("device ")) continue;
    if (count++ == 0) fill(run.device, p.text);
  }
  fill(run.devices, count);
}

// "33/33" layers.
void fill_offload(const Startup& s, MeasuredRun& run) {
  const std::string words(s.text("offloaded"));
  const std::size_t slash = words.find('/');
  if (run.offloaded_layers >= 0 || slash == std::string::npos) return;
  const double some = std::strtod(words.c_str(), nullptr);
  const double all = std::strtod(words.c_str() + slash + 1, nullptr);
  if (some < all) run.offloaded_layers = some;
}

void fill_run(const StartupLog& log, MeasuredRun& run) {
  const Startup& s = log.startup;
  fill(run.engine, name_of(s.engine));
  fill(run.build, s.version);
  fill(run.model, s.model);
  fill(run.quantisation, s.text("quantization"));
  fill(run.quantisation, s.text("file type"));
  fill(run.model_bytes, s.engine == Engine::llama_cpp ? s.number("size", 0) : 0);
  fill(run.model_parameters, s.number("params", 0));
  fill(run.tensor, first_of(s, {"tensor_parallel_size", "tp_size"}));
  fill(run.pipeline, first_of(s, {"pipeline_parallel_size", "pp_size"}));
  fill(run.data, first_of(s, {"data_parallel_size", "dp_size"}));
  fill(run.key_cache, s.text("kv_cache_dtype"));
  fill(run.value_cache, s.text("kv_cache_dtype"));
  if (!s.caches.empty()) {
    fill(run.key_cache, s.caches.front().key_format);
    fill(run.value_cache, s.caches.front().value_format);
  }
  fill_devices(s, run);
  fill_offload(s, run);
  const double tokens = first_of(s, {"tokens", "max_total_num_tokens", "cache_tokens"});
  tell_figures(run);
  for (Observation& o : run.figures) {
    const bool tells = o.cache_share && o.batch && *o.batch > 0;
    if (!o.context && tells && tokens > 0) o.context = *o.cache_share * tokens / *o.batch;
  }
}

}  // namespace

void tell_startup(const StartupLog& log, ResultFile& file) {
  if (log.startup.others) return;  // which of the models ran is not told
  for (MeasuredRun& run : file.runs) fill_run(log, run);
}

}  // namespace rooflens
