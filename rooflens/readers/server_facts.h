// What the reports of serving benchmarks have in common, whatever their format: told once as facts,
// turned into figures and traps in one place.
#pragma once

#include <string>
#include <string_view>

#include "rooflens/core/measured_run.h"
#include "rooflens/readers/result_formats.h"

namespace rooflens {

inline constexpr double kMilliseconds = 1e-3;
inline constexpr std::size_t kMostFigures = 10000;  // kept of one run

// A number as the file has it, in SI units, and where.
struct Told {
  bool told = false;
  double value = 0;  // NaN = the file has null, NaN or no number there
  Source source;
};

// Of one run; 0 = not told (-1 for `completed`, where 0 is an answer).
struct ServingFacts {
  Told output_rate, input_rate, total_rate, request_rate;  // over the wall clock of the run
  Told ttft_mean, ttft_median;
  Told tpot_mean, tpot_median;  // (latency - TTFT) / (tokens - 1)
  Told itl_mean, itl_median;
  Told request_mean, request_median;  // end to end
  Told tpot_with_ttft;                // latency / tokens, for want of a better one
  double duration = 0, completed = -1, failed = 0;
  double requests_per_s = 0;  // where no row of the file says it, but its other figures do
  bool per_device = false;    // the rates are, and the devices are not told
  double input_tokens = 0, output_tokens = 0;  // of all requests
  double prompt = 0, output = 0;               // of one request, on average
  double asked_output = 0;                     // tokens a request was meant to make
  double ceiling = 0;                          // most requests at a time
  double concurrency = 0;                      // their average, where the file has it
  Source about;                                // of the run as a whole
};

// Adds the figures of a run to the file, or refuses it when no request was completed. Batches are
// averages by Little's law: for a whole request the requests in flight (rate x latency), for a
// decode step those that decode (rate x time after the first token); the ceiling is taken only for
// 1. A median is preferred to a mean. docs/model.md, serving.
void add_serving_run(const ServingFacts& facts, MeasuredRun run, ResultFile& file);

// Adds a figure, or refuses it when its value is no positive number. Source is the observation's.
void add_figure(Observation figure, MeasuredRun& run, ResultFile& file);

// Adds a refusal while there is room.
void add_refusal(Unmeasured refusal, ResultFile& file);

// Tags a run with a trap once, with the sentence that explains it.
void add_trap(std::string_view tag, std::string_view sentence, MeasuredRun& run);

// Adds a run while there is room; says so once when there is none.
void add_run(MeasuredRun run, ResultFile& file);

// A number that may have commas between thousands and a unit or blanks around; NaN = none.
[[nodiscard]] double number_in(std::string_view text);

// Three significant digits or the whole part, for sentences.
[[nodiscard]] std::string rounded(double value);

// Calls f(line, number) for every line of the text, without its end.
template <class F>
void for_each_line(std::string_view text, F&& f) {
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    f(line, ++number);
  }
}

// The words of a source, cut to what a message can hold.
[[nodiscard]] std::string words_of(std::string_view text);

}  // namespace rooflens
