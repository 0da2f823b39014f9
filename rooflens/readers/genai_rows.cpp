#include "rooflens/readers/genai_rows.h"

#include "rooflens/core/ascii.h"

namespace rooflens {

double seconds_of_unit(std::string_view unit) {
  if (unit == "ms" || unit == "milliseconds") return 1e-3;
  if (unit == "us" || unit == "microseconds") return 1e-6;
  return unit == "ns" || unit == "nanoseconds" ? 1e-9 : 1;
}

void find_genai_columns(const std::vector<std::string_view>& cells, GenaiTable& table) {
  for (std::size_t i = 1; i < cells.size(); ++i) {
    if (cells[i] == "avg") table.mean = i;
    if (cells[i] == "p50") table.median = i;
  }
}

void read_genai_row(const std::vector<std::string_view>& cells, const Source& source,
                    GenaiTable& table) {
  const std::string label = lower(cells.front());
  const std::string_view name = trim(std::string_view(label).substr(0, label.find('(')));
  const std::size_t bracket = label.find('(');
  const std::string_view unit =
      bracket == std::string::npos
          ? std::string_view()
          : std::string_view(label).substr(bracket + 1, label.find(')') - bracket - 1);
  const auto value = [&](std::size_t column) {
    return Told{true, number_in(cells[column]) * seconds_of_unit(unit), source};
  };
  if (table.mean >= cells.size()) return;
  const Told mean = value(table.mean);
  for (const GenaiMetric& m : kGenaiMetrics) {
    if (m.label != name) continue;
    table.facts.*m.mean = mean;
    if (m.median != nullptr && table.median > 0 && table.median < cells.size()) {
      table.facts.*m.median = value(table.median);
    }
  }
  if ((name == "output sequence length" || name == "num output token") && mean.value > 0)
    table.facts.output = mean.value;
  if ((name == "input sequence length" || name == "num input token") && mean.value > 0)
    table.facts.prompt = mean.value;
  if (name == "request count" && mean.value >= 0) table.facts.completed = mean.value;
}

void add_genai_run(const ServingFacts& facts, MeasuredRun run, ResultFile& file) {
  if (!facts.ttft_mean.told && !facts.tpot_mean.told) {
    run.notes.emplace_back("without streaming the phases cannot be told apart");
  }
  add_serving_run(facts, std::move(run), file);
}

}  // namespace rooflens
