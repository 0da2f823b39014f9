// guidellm's benchmarks.json: one benchmark a rate, distributions by name and outcome.
#include "rooflens/readers/server_formats.h"

namespace rooflens {
namespace {

// metrics.<name>.successful
const Json* successful(const Json* metrics, std::string_view name) {
  const Json* metric = metrics != nullptr ? metrics->get(name) : nullptr;
  return metric != nullptr ? metric->get("successful") : nullptr;
}

// Where the benchmarks begin, so that lines are told only of a file that has one.
Told guidellm_metric(const JsonPart& part, bool one, const Json* metrics, std::string_view name,
                     std::string_view statistic, double scale = 1) {
  Told t = told_in(part, successful(metrics, name), name, statistic, scale);
  if (!one) t.source.line = 0;
  return t;
}

std::string guidellm_model(const Json& root) {
  const Json* config = root.get("config");
  const Json* spec = config != nullptr ? config->get("spec") : nullptr;
  for (const Json* at : {spec, root.get("args")}) {
    if (at == nullptr) continue;
    std::string name = word(at->get("backend"), "model");
    if (name.empty()) name = word(at, "model");
    if (!name.empty()) return name;
  }
  return {};
}

// Output tokens each request was asked for.
double guidellm_asked(const Json& root) {
  const Json* config = root.get("config");
  const Json* spec = config != nullptr ? config->get("spec") : nullptr;
  const Json* data = spec != nullptr ? spec->get("data") : nullptr;
  if (data == nullptr || data->items.size() != 1) return 0;
  return number(data->is(Json::Kind::array) ? &data->items.front() : data, "output_tokens");
}

void read_guidellm_benchmark(const JsonPart& part, const Json& benchmark, bool one,
                             ResultFile& file) {
  const Json* metrics = benchmark.get("metrics");
  const auto get = [&](std::string_view name, std::string_view statistic, double scale = 1) {
    return guidellm_metric(part, one, metrics, name, statistic, scale);
  };
  ServingFacts f;
  f.about = source_of(part, "request_latency");
  if (!one) f.about.line = 0;
  f.completed = number(successful(metrics, "request_latency"), "count", -1);
  f.prompt = number(successful(metrics, "prompt_token_count"), "mean");
  f.output = number(successful(metrics, "output_token_count"), "mean");
  f.concurrency = number(successful(metrics, "request_concurrency"), "mean");
  f.asked_output = guidellm_asked(part.json);
  f.request_rate = get("requests_per_second", "mean");
  f.output_rate = get("output_tokens_per_second", "mean");
  f.input_rate = get("prompt_tokens_per_second", "mean");
  f.total_rate = get("tokens_per_second", "mean");
  f.ttft_mean = get("time_to_first_token_ms", "mean", kMilliseconds);
  f.ttft_median = get("time_to_first_token_ms", "median", kMilliseconds);
  f.tpot_mean = get("inter_token_latency_ms", "mean", kMilliseconds);
  f.tpot_median = get("inter_token_latency_ms", "median", kMilliseconds);
  f.tpot_with_ttft = get("time_per_output_token_ms", "median", kMilliseconds);
  f.request_mean = get("request_latency", "mean");
  f.request_median = get("request_latency", "median");
  MeasuredRun run;
  run.model = guidellm_model(part.json);
  if (f.tpot_with_ttft.told && f.tpot_median.told) {
    run.notes.emplace_back(
        "time per output token holds the time to the first one here; the inter-token latency is "
        "taken");
  }
  add_serving_run(f, std::move(run), file);
}

}  // namespace

bool is_guidellm_json(const Json& object) {
  const Json* benchmarks = object.get("benchmarks");
  if (benchmarks == nullptr || benchmarks->items.empty()) return false;
  const Json* metrics = benchmarks->items.front().get("metrics");
  return metrics != nullptr && metrics->get("output_tokens_per_second") != nullptr;
}

void read_guidellm_json(const JsonPart& part, ResultFile& file) {
  const Json* benchmarks = part.json.get("benchmarks");
  if (benchmarks == nullptr) return;
  for (const Json& benchmark : benchmarks->items) {
    if (file.runs.size() >= kMostRuns) return;
    read_guidellm_benchmark(part, benchmark, benchmarks->items.size() == 1, file);
  }
}

}  // namespace rooflens
