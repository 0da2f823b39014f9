// What the readers of llama.cpp and its kin share while a text is gone through (internal).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rooflens/core/measured_run.h"
#include "rooflens/readers/json_value.h"
#include "rooflens/readers/results_local_text.h"

namespace rooflens::local {


// Names and texts of one record, whatever it was written in.
struct Fields {
  std::vector<std::pair<std::string, std::string>> all;
  [[nodiscard]] std::string_view get(std::string_view key) const;
  [[nodiscard]] double number(std::string_view key) const;  // 0 = none
};

// The columns of the table that is being read.
struct Columns {
  enum class Kind : std::uint8_t {
    none,
    bench,
    benchy,
    batched,
    bench_csv,
    server_csv,
    ollama_csv,
    ollama_rates,
  };
  Kind kind = Kind::none;
  std::vector<std::string> names;
};

// The request or the run whose lines are being read.
struct Pending {
  MeasuredRun run;
  std::string format;
  double prompt = 0, output = 0;
};

struct OllamaLines {
  bool any = false;
  double total = 0, load = 0, prompt_count = 0, prompt_seconds = 0, count = 0, seconds = 0;
  Source prompt_rate, rate;
  double prompt_value = 0, value = 0;
};

struct MlxLines {
  double prompt = 0, output = 0, batch = 1, trials = 0;
};

// The state of one reading.
struct Reading {
  ResultFile file;
  std::string_view where;
  int line = 0;

  Columns columns;
  std::vector<std::string> devices;  // of the banners since the last found
  std::size_t first_unbuilt = 0;     // runs from here on have no build yet
  std::string build;                 // of the server whose log this is
  double offloaded = -1, layers = 0;
  Pending perf;
  std::vector<std::pair<double, double>> cached_of_slot;
  double slot = -1;
  OllamaLines ollama;
  MeasuredRun ollama_bench;  // what the header of its benchmark tells of the runs that follow
  std::vector<double> ollama_rates;
  MlxLines mlx;
  double benchy_prompt = 0;             // of the rows of the table so far
  bool heading = false, usage = false;  // a page that explains a tool
  bool json_lines = false;              // the object being read is one line

  [[nodiscard]] Source here(std::string_view text) const;
  void is_format(std::string_view name);
  void refuse(std::string_view text, std::string why);
  void refuse(const Source& source, std::string why);
};

// What was read, when the text is at its end.
[[nodiscard]] ResultFile take_results(Reading& r);

// One line of each kind; true when it was of that kind.
bool read_bench_table(Reading& r, const std::vector<std::string_view>& cells,
                      std::string_view line);
bool read_bench_record(Reading& r, std::string_view line);  // csv, sql
bool read_bench_banner(Reading& r, std::string_view line);
bool read_batched_table(Reading& r, const std::vector<std::string_view>& cells,
                        std::string_view line);
bool read_benchy_table(Reading& r, const std::vector<std::string_view>& cells,
                       std::string_view line);
bool read_perf_line(Reading& r, std::string_view line);
void close_perf(Reading& r);
bool read_server_record(Reading& r, std::string_view line);
bool read_ollama_line(Reading& r, std::string_view line);
void close_ollama(Reading& r);
bool read_ollama_bench_line(Reading& r, std::string_view line);
bool read_ollama_table(Reading& r, const std::vector<std::string_view>& cells,
                       std::string_view line);
bool read_mlx_line(Reading& r, std::string_view line);

// One JSON object; `outer` are those it lies in, from the outside. True when it was of that kind.
using Outer = std::vector<const Json*>;
bool read_bench_json(Reading& r, const Json& row, const Outer& outer, JsonPlace& place);
bool read_batched_json(Reading& r, const Json& row, const Outer& outer, JsonPlace& place);
bool read_benchy_json(Reading& r, const Json& row, const Outer& outer, JsonPlace& place);
bool read_server_json(Reading& r, const Json& row, const Outer& outer, JsonPlace& place);
bool read_ollama_json(Reading& r, const Json& row, const Outer& outer, JsonPlace& place);

// The nearest text under `key` in an object or those around it.
[[nodiscard]] std::string nearest_text(const Json& row, const Outer& outer, std::string_view key);
[[nodiscard]] double number_of(const Json& row, std::string_view key);  // 0 = none, or below
[[nodiscard]] bool is_rate(double value);                               // positive, and no nonsense

}  // namespace rooflens::local
