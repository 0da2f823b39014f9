#include "rooflens/readers/request_records.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rooflens/readers/genai_rows.h"
#include "rooflens/readers/server_formats.h"

namespace rooflens {
namespace {

constexpr double kNanoseconds = 1e-9;
constexpr std::size_t kMostRequests = 1000000;

void keep(double value, std::vector<double>& values) {
  if (std::isfinite(value) && value > 0 && values.size() < kMostRequests) values.push_back(value);
}

Told mean_of(const std::vector<double>& v, const Source& source) {
  if (v.empty()) return {};
  return {true, std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size()), source};
}

Told median_of(std::vector<double> v, const Source& source) {
  if (v.empty()) return {};
  const std::size_t half = v.size() / 2;
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(half), v.end());
  double middle = v[half];
  if (v.size() % 2 == 0) {
    middle =
        (middle + *std::max_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(half))) / 2;
  }
  return {true, middle, source};
}

// metrics.<name>.value, in seconds where it is a time.
double record_metric(const Json* metrics, std::string_view name) {
  const Json* metric = metrics != nullptr ? metrics->get(name) : nullptr;
  return number(metric, "value") * seconds_of_unit(word(metric, "unit"));
}

bool told_true(const Json* object, std::string_view key) {
  const Json* value = object != nullptr ? object->get(key) : nullptr;
  return value != nullptr && value->is(Json::Kind::boolean) && value->boolean;
}

}  // namespace

void RequestTimes::span(double from, double to) {
  if (!(from > 0) || !(to > from)) return;
  start = start > 0 ? std::min(start, from) : from;
  end = std::max(end, to);
}

ServingFacts RequestTimes::facts(Source about) const {
  ServingFacts f;
  f.completed = completed;
  f.failed = failed;
  f.duration = end - start;
  f.input_tokens = prompt;
  f.output_tokens = output;
  f.ttft_mean = mean_of(first, about);
  f.ttft_median = median_of(first, about);
  f.tpot_mean = mean_of(step, about);
  f.tpot_median = median_of(step, about);
  f.request_mean = mean_of(whole, about);
  f.request_median = median_of(whole, about);
  if (f.duration > 0 && completed > 0) f.request_rate = {true, completed / f.duration, about};
  if (f.duration > 0 && output > 0) f.output_rate = {true, output / f.duration, about};
  f.about = std::move(about);
  return f;
}

bool RequestRecords::take(const JsonPart& part) {
  const Json* metadata = part.json.get("metadata");
  const Json* metrics = part.json.get("metrics");
  if (metadata == nullptr || metrics == nullptr || metadata->get("request_start_ns") == nullptr) {
    return false;
  }
  if (about_.line == 0) {
    about_ = source_of(part, "request_start_ns");
    about_.text = "records of single requests";
  }
  if (word(metadata, "benchmark_phase") == "warmup") return true;
  const Json* error = part.json.get("error");
  if (told_true(metadata, "was_cancelled") || (error != nullptr && !error->is(Json::Kind::null))) {
    ++times_.failed;
    return true;
  }
  ++times_.completed;
  times_.span(number(metadata, "request_start_ns") * kNanoseconds,
              number(metadata, "request_end_ns") * kNanoseconds);
  keep(record_metric(metrics, "time_to_first_token"), times_.first);
  keep(record_metric(metrics, "inter_token_latency"), times_.step);
  keep(record_metric(metrics, "request_latency"), times_.whole);
  times_.prompt += std::max(0.0, record_metric(metrics, "input_sequence_length"));
  times_.output += std::max(0.0, record_metric(metrics, "output_sequence_length"));
  return true;
}

bool RequestRecords::finish(ResultFile& file) {
  if (about_.line == 0) return false;
  MeasuredRun run;
  run.notes.emplace_back("the run is made of the records of single requests, warm-up left out");
  add_serving_run(times_.facts(about_), std::move(run), file);
  return true;
}

bool is_profile_export_json(const Json& object) {
  const Json* experiments = object.get("experiments");
  return experiments != nullptr && !experiments->items.empty() &&
         experiments->items.front().get("requests") != nullptr;
}

void read_profile_export_json(const JsonPart& part, ResultFile& file) {
  const Json* experiments = part.json.get("experiments");
  if (experiments == nullptr) return;
  for (const Json& experiment : experiments->items) {
    const Json* requests = experiment.get("requests");
    if (requests == nullptr || file.runs.size() >= kMostRuns) continue;
    RequestTimes times;
    for (const Json& request : requests->items) {
      const double start = number(&request, "timestamp") * kNanoseconds;
      const Json* responses = request.get("response_timestamps");
      if (!(start > 0) || responses == nullptr || responses->items.empty()) {
        ++times.failed;
        continue;
      }
      const double first = responses->items.front().number * kNanoseconds;
      const double last = responses->items.back().number * kNanoseconds;
      ++times.completed;
      times.span(start, last);
      if (responses->items.size() > 1) keep(first - start, times.first);
      keep(last - start, times.whole);
    }
    ServingFacts f = times.facts(source_of(part, "response_timestamps"));
    const Json* load = experiment.get("experiment");
    if (word(load, "mode") == "concurrency") f.ceiling = number(load, "value");
    MeasuredRun run;
    run.notes.emplace_back(
        "tokens are not in the file, only the times of responses: the summary beside it has them");
    add_serving_run(f, std::move(run), file);
  }
}

}  // namespace rooflens
