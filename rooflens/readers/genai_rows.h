// The rows of genai-perf and AIPerf, whatever they are drawn with: a metric with its unit in
// brackets, and statistics of it.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "rooflens/readers/server_facts.h"

namespace rooflens {

struct GenaiMetric {
  std::string_view key;    // of the JSON
  std::string_view label;  // of the table, up to its unit
  Told ServingFacts::*mean;
  Told ServingFacts::*median;  // nullptr = the metric has none
};
inline constexpr std::array kGenaiMetrics{
    GenaiMetric{"time_to_first_token", "time to first token", &ServingFacts::ttft_mean,
                &ServingFacts::ttft_median},
    GenaiMetric{"inter_token_latency", "inter token latency", &ServingFacts::tpot_mean,
                &ServingFacts::tpot_median},
    GenaiMetric{"request_latency", "request latency", &ServingFacts::request_mean,
                &ServingFacts::request_median},
    GenaiMetric{"output_token_throughput", "output token throughput", &ServingFacts::output_rate,
                nullptr},
    GenaiMetric{"total_token_throughput", "total token throughput", &ServingFacts::total_rate,
                nullptr},
    GenaiMetric{"request_throughput", "request throughput", &ServingFacts::request_rate, nullptr},
};

// Seconds of one unit; 1 for anything that is no time.
[[nodiscard]] double seconds_of_unit(std::string_view unit);

struct GenaiTable {
  std::size_t mean = 0, median = 0;  // columns; 0 = none
  bool open = false;
  ServingFacts facts;
};

// Finds "avg" and "p50" among the cells of a heading.
void find_genai_columns(const std::vector<std::string_view>& cells, GenaiTable& table);

// Takes a row into the facts; a metric that is not known is passed over.
void read_genai_row(const std::vector<std::string_view>& cells, const Source& source,
                    GenaiTable& table);

// The run of these facts; says so when nothing tells the phases apart.
void add_genai_run(const ServingFacts& facts, MeasuredRun run, ResultFile& file);

}  // namespace rooflens
