// genai-perf and AIPerf: their exported JSON and the tables they print; genai-bench's JSON.
#include <vector>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/genai_rows.h"
#include "rooflens/readers/server_formats.h"
#include "rooflens/readers/words.h"

namespace rooflens {
namespace {

Told genai_metric(const JsonPart& part, std::string_view key, std::string_view statistic) {
  const Json* metric = part.json.get(key);
  const double scale = seconds_of_unit(word(metric, "unit"));
  return told_in(part, metric, key, statistic, scale);
}

std::string genai_model(const Json& json) {
  const Json* input = json.get("input_config");
  if (input == nullptr) return {};
  for (const char* key : {"model", "formatted_model_name", "model_name"}) {
    std::string name = word(input, key);
    if (!name.empty()) return name;
  }
  const Json* endpoint = input->get("endpoint");
  for (const Json* at : {input, endpoint}) {
    const Json* names = at != nullptr ? at->get("model_names") : nullptr;
    if (names != nullptr && !names->items.empty()) return names->items.front().string;
  }
  return {};
}

// The cells of a row of a table; boxes may be drawn with | or with lines of Unicode.
std::vector<std::string_view> genai_cells(std::string_view line) {
  std::vector<std::string_view> cells;
  cells.reserve(16);
  std::size_t start = std::string_view::npos;
  for (std::size_t i = 0; i < line.size() && cells.size() < 16; ++i) {
    const bool box = line.compare(i, 3, "\u2502") == 0 || line.compare(i, 3, "\u2503") == 0;
    if (!box && line[i] != '|') continue;
    if (start != std::string_view::npos) cells.push_back(trim(line.substr(start, i - start)));
    i += box ? 2 : 0;
    start = i + 1;
  }
  return cells;
}

}  // namespace

bool is_genai_json(const Json& object) {
  const Json* latency = object.get("request_latency");
  return latency != nullptr && has(*latency, {"unit", "avg"});
}

void read_genai_json(const JsonPart& part, ResultFile& file) {
  ServingFacts f;
  f.about = source_of(part, "request_count");
  for (const GenaiMetric& m : kGenaiMetrics) {
    f.*m.mean = genai_metric(part, m.key, "avg");
    if (m.median != nullptr) f.*m.median = genai_metric(part, m.key, "p50");
  }
  f.completed = number(part.json.get("request_count"), "avg", -1);
  f.prompt = number(part.json.get("input_sequence_length"), "avg");
  f.output = number(part.json.get("output_sequence_length"), "avg");
  f.failed = number(part.json.get("error_request_count"), "avg");
  MeasuredRun run;
  run.model = genai_model(part.json);
  add_genai_run(f, std::move(run), file);
}

void read_genai_table(std::string_view text, std::string_view where, ResultFile& file) {
  GenaiTable table;
  const auto close = [&] {
    if (table.open && table.mean > 0) add_genai_run(table.facts, {}, file);
    table = {};
  };
  for_each_line(text, [&](std::string_view line, int at) {
    if (line.size() > 4000) return;
    if (contains(line, "| LLM Metrics")) {
      close();
      table.open = true;
      table.facts.about = {std::string(where), at, words_of(line)};
      return;
    }
    if (!table.open) return;
    const std::vector<std::string_view> cells = genai_cells(line);
    if (cells.size() < 2) {
      if (table.mean > 0 && trim(line).empty()) close();
      return;
    }
    if (table.mean > 0) {
      read_genai_row(cells, {std::string(where), at, words_of(line)}, table);
      return;
    }
    find_genai_columns(cells, table);
  });
  close();
}

bool is_genai_bench_json(const Json& object) {
  const Json* metrics = object.get("aggregated_metrics");
  return metrics != nullptr && metrics->get("stats") != nullptr;
}

void read_genai_bench_json(const JsonPart& part, ResultFile& file) {
  const Json* metrics = part.json.get("aggregated_metrics");
  const Json* stats = metrics != nullptr ? metrics->get("stats") : nullptr;
  if (stats == nullptr) return;
  ServingFacts f;
  f.about = source_of(part, "num_completed_requests");
  f.completed = number(metrics, "num_completed_requests", -1);
  f.failed = number(metrics, "num_error_requests");
  f.ceiling = number(metrics, "num_concurrency");
  f.prompt = number(stats->get("num_input_tokens"), "mean");
  f.output = number(stats->get("num_output_tokens"), "mean");
  f.output_rate = told_in(part, metrics, "mean_output_throughput_tokens_per_s",
                          "mean_output_throughput_tokens_per_s");
  f.request_rate = told_in(part, metrics, "requests_per_minute", "requests_per_minute", 1.0 / 60);
  f.ttft_mean = told_in(part, stats->get("ttft"), "ttft", "mean");
  f.ttft_median = told_in(part, stats->get("ttft"), "ttft", "p50");
  f.tpot_mean = told_in(part, stats->get("tpot"), "tpot", "mean");
  f.tpot_median = told_in(part, stats->get("tpot"), "tpot", "p50");
  f.request_mean = told_in(part, stats->get("e2e_latency"), "e2e_latency", "mean");
  f.request_median = told_in(part, stats->get("e2e_latency"), "e2e_latency", "p50");
  MeasuredRun run;
  run.notes.emplace_back(
      "input throughput is the prompt over the time to the first token, and is not taken");
  add_serving_run(f, std::move(run), file);
}

}  // namespace rooflens
