// Reports of inference-perf and llm-d's benchmark report, which are YAML as a rule: read as the
// JSON they are the same as.
#include <algorithm>
#include <cmath>

#include "rooflens/readers/server_formats.h"

namespace rooflens {
namespace {

const Json* inside(const Json* at, std::initializer_list<std::string_view> path) {
  for (const std::string_view key : path) {
    if (at == nullptr) return nullptr;
    at = at->get(key);
  }
  return at;
}

// A distribution, or a number of its own.
double mean_of(const Json* object, std::string_view key) {
  const Json* inner = object != nullptr ? object->get(key) : nullptr;
  const double mean = number(inner, "mean");
  return mean != 0 ? mean : number(object, key);
}

// Rate and lengths must tell of the same tokens; what does not is an example, no measurement.
bool agrees(double rate, double requests_per_s, double length) {
  constexpr double kApart = 0.25;
  if (!(rate > 0) || !(requests_per_s > 0) || !(length > 0)) return true;
  return std::abs(rate / (requests_per_s * length) - 1) < kApart;
}

// Seconds of "ms", "s/token"; 0 = a unit that is not known.
double seconds_of(const Json* metric) {
  std::string unit = word(metric, "units");
  unit = unit.substr(0, unit.find('/'));
  if (unit == "ms") return kMilliseconds;
  if (unit == "us") return 1e-6;
  return unit == "s" || unit.empty() ? 1 : 0;
}

// The part from a key of the outermost object on: names that stand before it too are not met.
JsonPart part_from(const JsonPart& part, std::string_view key) {
  JsonPart rest = part;
  const std::size_t at = part.text.find('"' + std::string(key) + '"');
  if (at == std::string_view::npos) return rest;
  const std::string_view before = part.text.substr(0, at);
  rest.text.remove_prefix(at);
  rest.line += static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  return rest;
}

// The engine of llm-d's report that decodes, or serves both phases.
const Json* engine_of(const Json& report) {
  const Json* stack = inside(&report, {"scenario", "stack"});
  const Json* found = nullptr;
  if (stack == nullptr) return nullptr;
  for (const Json& part : stack->items) {
    const Json* standard = part.get("standardized");
    if (word(standard, "kind") != "inference_engine") continue;
    if (found == nullptr || word(standard, "role") == "decode") found = standard;
  }
  return found;
}

MeasuredRun llmd_run(const Json& report) {
  MeasuredRun run;
  const Json* engine = engine_of(report);
  run.engine = word(engine, "tool");
  run.build = word(engine, "tool_version");
  run.model = word(inside(engine, {"model"}), "name");
  const Json* accelerator = inside(engine, {"accelerator"});
  run.device = word(accelerator, "model");
  const Json* ranks = inside(accelerator, {"parallelism"});
  run.tensor = number(ranks, "tp");
  run.pipeline = number(ranks, "pp");
  run.data = number(ranks, "dp");
  run.expert = number(ranks, "ep");
  const double replicas = number(engine, "replicas", 1);
  if (replicas > 1) {
    run.notes.push_back(rounded(replicas) + " replicas serve the load: rates are of all of them");
    if (run.data <= 1) run.data = replicas;
  }
  return run;
}

}  // namespace

bool is_inference_perf_json(const Json& object) {
  return inside(&object, {"successes", "latency"}) != nullptr &&
         inside(&object, {"successes", "throughput"}) != nullptr;
}

void read_inference_perf_json(const JsonPart& part, ResultFile& file) {
  const JsonPart rest = part_from(part, "successes");
  const Json* done = part.json.get("successes");
  const Json* rates = done->get("throughput");
  const Json* times = done->get("latency");
  const auto time = [&](std::string_view name, std::string_view statistic) {
    return told_in(rest, inside(times, {name}), name, statistic);
  };
  ServingFacts f;
  f.about = source_of(rest, "successes");
  f.completed = number(done, "count", -1);
  f.failed = number(part.json.get("failures"), "count");
  f.prompt = mean_of(done, "prompt_len");
  f.output = mean_of(done, "output_len");
  f.request_rate = told_in(rest, rates, "requests_per_sec", "requests_per_sec");
  f.output_rate = told_in(rest, rates, "output_tokens_per_sec", "output_tokens_per_sec");
  f.input_rate = told_in(rest, rates, "input_tokens_per_sec", "input_tokens_per_sec");
  f.total_rate = told_in(rest, rates, "total_tokens_per_sec", "total_tokens_per_sec");
  f.ttft_mean = time("time_to_first_token", "mean");
  f.ttft_median = time("time_to_first_token", "median");
  f.tpot_mean = time("time_per_output_token", "mean");
  f.tpot_median = time("time_per_output_token", "median");
  f.tpot_with_ttft = time("normalized_time_per_output_token", "median");
  f.request_mean = time("request_latency", "mean");
  f.request_median = time("request_latency", "median");
  MeasuredRun run;
  const Json* prompts = done->get("prompt_tokens");
  const double cached = number(prompts, "cached"), all = number(prompts, "total");
  if (cached > 0 && f.completed > 0) {
    run.cached_prompt = cached / f.completed;
    add_trap("prefix_cache",
             rounded(100 * cached / all) + " % of the prompt tokens came from a cache", run);
  }
  add_serving_run(f, std::move(run), file);
}

bool is_llmd_json(const Json& object) {
  return inside(&object, {"results", "request_performance", "aggregate"}) != nullptr;
}

void read_llmd_json(const JsonPart& part, ResultFile& file) {
  const JsonPart rest = part_from(part, "request_performance");
  const Json* all = inside(&part.json, {"results", "request_performance", "aggregate"});
  const Json* requests = all->get("requests");
  const Json* rates = all->get("throughput");
  const Json* times = all->get("latency");
  ServingFacts f;
  f.about = source_of(rest, "request_performance");
  f.failed = number(requests, "failures");
  f.completed = number(requests, "total", -1);
  if (f.completed > 0) f.completed -= f.failed;
  f.prompt = mean_of(requests, "input_length");
  f.output = mean_of(requests, "output_length");
  const auto rate = [&](std::string_view name) {
    return told_in(rest, inside(rates, {name}), name, "mean");
  };
  const auto time = [&](std::string_view name, std::string_view statistic) {
    const Json* metric = inside(times, {name});
    const double scale = seconds_of(metric);
    return scale > 0 ? told_in(rest, metric, name, statistic, scale) : Told{};
  };
  f.request_rate = rate("request_rate");
  f.output_rate = rate("output_token_rate");
  f.input_rate = rate("input_token_rate");
  f.total_rate = rate("total_token_rate");
  if (!agrees(f.output_rate.value, f.request_rate.value, f.output) ||
      !agrees(f.input_rate.value, f.request_rate.value, f.prompt)) {
    add_refusal({f.about.line, f.about.text,
                 "token rates and request rate x length contradict each other: an example, not a "
                 "measurement"},
                file);
    return;
  }
  f.ttft_mean = time("time_to_first_token", "mean");
  f.ttft_median = time("time_to_first_token", "p50");
  f.tpot_mean = time("time_per_output_token", "mean");
  f.tpot_median = time("time_per_output_token", "p50");
  f.itl_mean = time("inter_token_latency", "mean");
  f.itl_median = time("inter_token_latency", "p50");
  f.request_mean = time("request_latency", "mean");
  f.request_median = time("request_latency", "p50");
  add_serving_run(f, llmd_run(part.json), file);
}

}  // namespace rooflens
