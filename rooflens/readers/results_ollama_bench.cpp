// Ollama's cmd/bench (lines for benchstat, CSV), and the tables of ollama-benchmark scripts.
#include <algorithm>
#include <cmath>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/results_local.h"
#include "rooflens/readers/words.h"

namespace rooflens::local {
namespace {

// "# Model: gemma3 | Params: 4.3B | Quant: Q4_K_M | Family: gemma3 | Size: 40802 | VRAM: 40802"
bool bench_header(Reading& r, std::string_view line) {
  if (line.substr(0, 9) != "# Model: " || !contains(line, " | Params: ")) return false;
  MeasuredRun& of = r.ollama_bench;
  of = {};
  std::string_view rest = line.substr(2);
  while (!rest.empty()) {
    std::string_view value = trim(take(rest, '|'));
    const std::string_view name = take(value, ':');
    value = trim(value);
    if (name == "Model") of.model = shown(value);
    if (name == "Params") of.model_parameters = count_of_parameters(value);
    if (name == "Quant") of.quantisation = shown(value);
    if (name == "Size") of.model_bytes = number_or_zero(value);
  }
  return true;
}

void keep_step(Reading& r, std::string_view name, std::string_view step, double rate,
               std::string_view line) {
  if (step != "prefill" && step != "generate") return;
  if (!is_rate(rate)) {
    r.refuse(line, "the rate is no positive number");
    return;
  }
  MeasuredRun run = r.ollama_bench;
  run.engine = "Ollama";
  run.model = shown(name);
  Observation o;
  o.phase = step == "prefill" ? MeasuredPhase::prefill : MeasuredPhase::decode;
  o.counting = Counting::aggregate;
  o.value = rate;
  o.batch = 1;
  o.source = r.here(line);
  run.figures.push_back(std::move(o));
  r.file.runs.push_back(std::move(run));
}

// The rate, unless the time a token says otherwise: documentation has invented ones.
double checked_rate(double rate, double nanoseconds) {
  const bool agree = nanoseconds <= 0 || std::fabs(rate * nanoseconds - 1e9) <= 0.02e9;
  return agree ? rate : 0;
}

// "BenchmarkModel/name=gemma3/step=prefill 1 78125.00 ns/token 12800.00 token/sec"
bool benchstat_line(Reading& r, std::string_view line) {
  const std::string_view rest = behind(line, "BenchmarkModel/name=");
  if (rest.empty()) return false;
  const std::string_view name = rest.substr(0, rest.find("/step="));
  std::string_view after = behind(rest, "/step=");
  const std::string_view step = take(after, ' ');
  if (step != "prefill" && step != "generate") return true;
  r.is_format("ollama bench");
  const auto before = [&](std::string_view unit) {
    const std::string_view head = trim(after.substr(0, after.find(unit)));
    const std::size_t blank = head.find_last_of(" \t");
    const bool there = contains(after, unit) && blank != std::string_view::npos;
    return there ? number_or_zero(head.substr(blank)) : 0;
  };
  keep_step(r, name, step, checked_rate(before(" token/sec"), before(" ns/token")), line);
  return true;
}

bool bench_csv(Reading& r, std::string_view line) {
  if (line == "NAME,STEP,COUNT,NS_PER_COUNT,TOKEN_PER_SEC") {
    r.columns.kind = Columns::Kind::ollama_csv;
    return true;
  }
  if (r.columns.kind != Columns::Kind::ollama_csv) return false;
  if (bench_header(r, line)) return true;
  const auto values = separated(line, '"');
  if (values.size() != 5) return false;
  r.is_format("ollama bench csv");
  keep_step(r, values[0], values[1],
            checked_rate(number_or_zero(values[4]), number_or_zero(values[3])), line);
  return true;
}

}  // namespace

bool read_ollama_bench_line(Reading& r, std::string_view line) {
  const std::string_view text = trim(line);
  if (bench_csv(r, text)) return true;
  if (bench_header(r, text) || benchstat_line(r, text)) return true;
  // "Running benchmark 3 times using model: `llama3.2:3b`" before a table of rates
  const std::string_view model = behind(text, "Running benchmark ");
  if (!contains(model, " times using model: ")) return false;
  std::string name(behind(model, " times using model: "));
  std::erase(name, '`');
  r.ollama_bench = {};
  r.ollama_bench.model = shown(name);
  return true;
}

// "| 1 | 17.17 tokens/s |" ... "|**Average Eval Rate**| 16.68 tokens/second |". The rows are the
// runs; their median is the figure.
bool read_ollama_table(Reading& r, const std::vector<std::string_view>& cells,
                       std::string_view line) {
  if (cells.size() != 2) return false;
  if (cells[1] == "Eval Rate (Tokens/Second)") {
    r.columns.kind = Columns::Kind::ollama_rates;
    r.ollama_rates.clear();
    return true;
  }
  if (r.columns.kind != Columns::Kind::ollama_rates) return false;
  const double rate = number_or_zero(cells[1]);
  if (!contains(cells[0], "Average Eval Rate")) {
    if (is_rate(rate) && r.ollama_rates.size() < 1000) r.ollama_rates.push_back(rate);
    return true;
  }
  r.is_format("ollama rates md");
  if (r.ollama_rates.empty()) {
    r.refuse(line, "no run of the table has a rate");
    return true;
  }
  std::sort(r.ollama_rates.begin(), r.ollama_rates.end());
  const std::size_t half = r.ollama_rates.size() / 2;
  const double median = r.ollama_rates.size() % 2 == 1
                            ? r.ollama_rates[half]
                            : (r.ollama_rates[half - 1] + r.ollama_rates[half]) / 2;
  r.ollama_bench.repetitions = static_cast<double>(r.ollama_rates.size());
  keep_step(r, r.ollama_bench.model, "generate", median, line);
  return true;
}

}  // namespace rooflens::local
