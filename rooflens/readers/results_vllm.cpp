// `vllm bench throughput` and `vllm bench latency`: JSON, and the lines they print.
#include <algorithm>
#include <cmath>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/server_formats.h"
#include "rooflens/readers/words.h"

namespace rooflens {
namespace {

constexpr int kLinesAfter = 6;  // among which the totals of a throughput line stand

MeasuredRun vllm_run() {
  MeasuredRun run;
  run.engine = "vLLM";
  return run;
}

Told told_at_line(double value, std::string_view where, int line, std::string_view text) {
  return {true, value, {std::string(where), line, words_of(text)}};
}

// One static batch from the first token to the last.
void add_vllm_latency(const Told& median, const Told& mean, ResultFile& file) {
  const Told& one = median.told ? median : mean;
  MeasuredRun run = vllm_run();
  Observation o{.phase = MeasuredPhase::mixed,
                .figure = Figure::request_s,
                .counting = Counting::per_stream,
                .value = one.value};
  o.source = one.source;
  add_figure(o, run, file);
  if (median.told && mean.told && mean.value > 1.5 * median.value) {
    add_trap("warm_up",
             "the mean, " + rounded(mean.value) + " s, is far above the median, " +
                 rounded(median.value) + " s: the median is taken",
             run);
  }
  run.notes.emplace_back(
      "one batch from prompt to last token; batch and lengths are those of the command line (8, 32 "
      "and 128 unless given)");
  if (!run.figures.empty()) add_run(std::move(run), file);
}

// "Throughput: R requests/s, T total tokens/s, O output tokens/s"; before 2024-09 without O.
struct ThroughputLine {
  double requests = 0, total = 0, output = 0;
  double prompt_tokens = 0, output_tokens = 0;  // of the lines after it
  int line = 0;
  std::string text;
};

// The number before `unit`; 0 = there is none.
double number_before(std::string_view text, std::string_view unit) {
  const std::size_t at = text.find(unit);
  if (at == std::string_view::npos) return 0;
  const std::string_view head = trim(text.substr(0, at));
  const std::size_t start = head.find_last_of(" ,:");
  return number_in(start == std::string_view::npos ? head : head.substr(start + 1));
}

void add_vllm_throughput(const ThroughputLine& t, std::string_view where, ResultFile& file) {
  ServingFacts f;
  f.about = {std::string(where), t.line, t.text};
  f.request_rate = told_at_line(t.requests, where, t.line, t.text);
  f.total_rate = told_at_line(t.total, where, t.line, t.text);
  if (t.output > 0) {
    f.output_rate = told_at_line(t.output, where, t.line, t.text);
    f.input_rate = told_at_line(t.total - t.output, where, t.line, t.text);
    if (t.requests > 0) {
      f.prompt = (t.total - t.output) / t.requests;
      f.output = t.output / t.requests;
    }
    const double count = std::round(t.requests * t.output_tokens / t.output);
    if (t.prompt_tokens > 0 && t.output_tokens > 0 && count > 0) {
      f.prompt = t.prompt_tokens / count;
      f.output = t.output_tokens / count;
    }
  } else {
    f.output = 0;
  }
  MeasuredRun run = vllm_run();
  if (t.output <= 0) {  // no rate of its own for either phase
    for (const auto& [figure, told] : {std::pair{Figure::tokens_per_s, f.total_rate},
                                       {Figure::requests_per_s, f.request_rate}}) {
      Observation o{.phase = MeasuredPhase::mixed,
                    .figure = figure,
                    .counting = Counting::aggregate,
                    .value = told.value};
      o.source = told.source;
      add_figure(o, run, file);
    }
    add_trap("total_tokens", "the rate counts prompt and output tokens together", run);
    if (!run.figures.empty()) add_run(std::move(run), file);
    return;
  }
  add_serving_run(f, std::move(run), file);
}

}  // namespace

bool is_vllm_throughput_json(const Json& object) {
  return has(object, {"elapsed_time", "requests_per_second", "tokens_per_second"});
}

void read_vllm_throughput_json(const JsonPart& part, ResultFile& file) {
  if (number(&part.json, "num_requests", -1) == 0) {
    const Source about = source_of(part, "num_requests");
    add_refusal({about.line, about.text, "0 requests were completed"}, file);
    return;
  }
  MeasuredRun run = vllm_run();
  const double count = number(&part.json, "num_requests");
  const double tokens = number(&part.json, "total_num_tokens");
  for (const auto& [figure, key] : {std::pair{Figure::tokens_per_s, "tokens_per_second"},
                                    {Figure::requests_per_s, "requests_per_second"}}) {
    const Told t = told(part, key);
    Observation o{.phase = MeasuredPhase::mixed,
                  .figure = figure,
                  .counting = Counting::aggregate,
                  .value = t.value};
    o.source = t.source;
    add_figure(o, run, file);
  }
  run.repetitions = count;
  add_trap("total_tokens", "the rate counts prompt and output tokens together", run);
  if (count > 0 && tokens > 0) {
    run.notes.push_back(rounded(tokens / count) +
                        " tokens a request, prompt and output; the file does not part them");
  }
  if (!run.figures.empty()) add_run(std::move(run), file);
}

bool is_vllm_latency_json(const Json& object) {
  return has(object, {"avg_latency", "percentiles"}) || has(object, {"avg_latency", "latencies"});
}

void read_vllm_latency_json(const JsonPart& part, ResultFile& file) {
  add_vllm_latency(told_in(part, part.json.get("percentiles"), "percentiles", "50"),
                   told(part, "avg_latency"), file);
}

void read_throughput_console(std::string_view text, std::string_view where, ResultFile& file) {
  ThroughputLine open;
  const auto close = [&] {
    if (open.line > 0) add_vllm_throughput(open, where, file);
    open = {};
  };
  for_each_line(text, [&](std::string_view line, int at) {
    const std::size_t start = line.find("Throughput: ");
    if (start != std::string_view::npos && contains(line, " requests/s, ") &&
        contains(line, " tokens/s")) {
      close();
      const std::string_view words = line.substr(start);
      open.line = at;
      open.text = words_of(words);
      open.requests = number_before(words, " requests/s");
      open.output = number_before(words, " output tokens/s");
      open.total = number_before(words, " total tokens/s");
      if (open.total == 0) open.total = number_before(words, " tokens/s");
    } else if (open.line > 0) {
      const std::size_t colon = line.find(':');
      if (contains(line, "Total num prompt tokens:")) {
        open.prompt_tokens = number_in(line.substr(colon + 1));
      } else if (contains(line, "Total num output tokens:")) {
        open.output_tokens = number_in(line.substr(colon + 1));
      } else if (at - open.line > kLinesAfter) {
        close();
      }
    }
  });
  close();
}

void read_latency_console(std::string_view text, std::string_view where, ResultFile& file) {
  Told mean, median;
  const auto close = [&] {
    if (mean.told) add_vllm_latency(median, mean, file);
    mean = median = {};
  };
  for_each_line(text, [&](std::string_view line, int at) {
    const std::string_view words = trim(line);
    if (words.substr(0, 13) == "Avg latency: " && contains(words, " seconds")) {
      close();
      mean = told_at_line(number_in(words.substr(13)), where, at, words);
    } else if (mean.told && words.substr(0, 24) == "50% percentile latency: ") {
      median = told_at_line(number_in(words.substr(24)), where, at, words);
    }
  });
  close();
}

}  // namespace rooflens
