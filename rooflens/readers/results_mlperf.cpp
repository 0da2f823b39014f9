// MLPerf: the summary its load generator writes, and the description of the system beside it.
#include <cmath>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/server_formats.h"
#include "rooflens/readers/words.h"

namespace rooflens {
namespace {

constexpr double kNano = 1e-9;

// One summary, row by row.
struct MlperfSummary {
  int line = 0;
  std::string model, scenario, mode, result;
  ServingFacts facts;
};

// "llama2-70b-Server-SUT-LoadGen" begins with the model.
std::string mlperf_model(std::string_view sut) {
  for (const char* scenario :
       {"-Offline", "-Server", "-SingleStream", "-MultiStream", "-Interactive"}) {
    const std::size_t at = sut.find(scenario);
    if (at != std::string_view::npos) return std::string(sut.substr(0, at));
  }
  return {};
}

void read_mlperf_row(std::string_view row, Source source, MlperfSummary& s) {
  const std::size_t colon = row.find(':');
  if (colon == std::string_view::npos) return;
  const std::string label = lower(trim(row.substr(0, colon)));
  const std::string_view words = trim(row.substr(colon + 1));
  const double value = number_in(words);
  ServingFacts& f = s.facts;
  if (label == "sut name") s.model = mlperf_model(words);
  if (label == "scenario") s.scenario = words;
  if (label == "mode") s.mode = words;
  if (label == "result is") {
    s.result = words;
    f.about = source;
  }
  const auto take = [&](Told& told, double scale) {
    if (!told.told) told = {true, value * scale, source};
  };
  if (label == "samples per second" || label == "completed samples per second") {
    take(f.request_rate, 1);
  } else if (label == "tokens per second" || label == "completed tokens per second") {
    take(f.output_rate, 1);
  } else if (label == "mean latency (ns)") {
    take(f.request_mean, kNano);
  } else if (label == "50.00 percentile latency (ns)") {
    take(f.request_median, kNano);
  } else if (label == "mean first token latency (ns)") {
    take(f.ttft_mean, kNano);
  } else if (label == "50.00 percentile first token latency (ns)") {
    take(f.ttft_median, kNano);
  } else if (label == "mean time to output token (ns)") {
    take(f.tpot_mean, kNano);
  } else if (label == "50.00 percentile time to output token (ns)") {
    take(f.tpot_median, kNano);
  }
}

void close_mlperf(MlperfSummary& s, ResultFile& file) {
  if (s.line == 0) return;
  MlperfSummary done = std::move(s);
  s = {};
  const auto refuse = [&](std::string text, const char* why) {
    add_refusal({done.line, std::move(text), why}, file);
  };
  if (!done.mode.empty() && done.mode != "PerformanceOnly") {
    return refuse("Mode : " + done.mode, "not a performance run");
  }
  if (done.result != "VALID") return refuse("Result is : " + done.result, "not a valid run");
  ServingFacts& f = done.facts;
  if (f.request_rate.told && f.request_rate.value > 0 && f.output_rate.told) {
    f.output = f.output_rate.value / f.request_rate.value;
  }
  MeasuredRun run;
  run.model = done.model;
  if (done.scenario == "SingleStream") f.ceiling = 1;
  if (done.scenario == "Offline") {
    // All samples are there from the start: their latency is the time they wait.
    f.request_mean = f.request_median = {};
    add_trap("queueing", "Offline: the latencies are waiting and are not taken", run);
  }
  run.notes.push_back(done.scenario +
                      (f.output_rate.told
                           ? ": tokens are output tokens; the prompts' length is not "
                             "told"
                           : ": no tokens are counted"));
  add_serving_run(f, std::move(run), file);
}

// "TensorRT 10.2.0, CUDA 12.4" names the engine and its build.
void read_mlperf_framework(std::string_view words, MeasuredRun& run) {
  std::string_view first = trim(take(words, ','));
  const std::size_t space = first.rfind(' ');
  const bool version = space != std::string_view::npos && space + 1 < first.size() &&
                       (is_digit(first[space + 1]) || is_digit(first.back()));
  run.engine = first.substr(0, version ? space : first.size());
  if (version) run.build = first.substr(space + 1);
}

}  // namespace

void read_mlperf_summary(std::string_view text, std::string_view where, ResultFile& file) {
  MlperfSummary summary;
  const std::size_t runs = file.runs.size();
  // A description of the system that stands in the same text.
  const bool described = runs == 1 && file.runs.front().figures.empty();
  const MeasuredRun system = described ? file.runs.front() : MeasuredRun();
  for_each_line(text, [&](std::string_view line, int at) {
    const std::string_view row = trim(line);
    if (row == "MLPerf Results Summary") {
      close_mlperf(summary, file);
      summary.line = at;
    } else if (summary.line > 0) {
      read_mlperf_row(row, {std::string(where), at, words_of(row)}, summary);
    }
  });
  close_mlperf(summary, file);
  if (!described || file.runs.size() == runs) return;
  file.runs.erase(file.runs.begin());
  for (MeasuredRun& run : file.runs) {
    run.engine = system.engine;
    run.build = system.build;
    run.device = system.device;
    run.devices = system.devices;
  }
}

bool is_mlperf_system_json(const Json& object) {
  return has(object, {"accelerator_model_name", "accelerators_per_node"});
}

void read_mlperf_system_json(const JsonPart& part, ResultFile& file) {
  const Json& json = part.json;
  MeasuredRun run;
  run.device = word(&json, "accelerator_model_name");
  run.devices = number(&json, "accelerators_per_node") * number(&json, "number_of_nodes", 1);
  read_mlperf_framework(word(&json, "framework"), run);
  run.notes.emplace_back("a system is described; its figures are in the summary of a run");
  add_run(std::move(run), file);
}

}  // namespace rooflens
