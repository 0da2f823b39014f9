// The block "Serving Benchmark Result" that the serving benchmarks of vLLM and SGLang print.
#include <array>
#include <cmath>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/server_formats.h"
#include "rooflens/readers/words.h"

namespace rooflens {
namespace {

struct BlockRow {
  std::string_view label;
  Told ServingFacts::*told;
  double scale;
};
constexpr std::array kBlockRows{
    BlockRow{"request throughput (req/s)", &ServingFacts::request_rate, 1},
    BlockRow{"input token throughput (tok/s)", &ServingFacts::input_rate, 1},
    BlockRow{"output token throughput (tok/s)", &ServingFacts::output_rate, 1},
    BlockRow{"total token throughput (tok/s)", &ServingFacts::total_rate, 1},
    BlockRow{"mean ttft (ms)", &ServingFacts::ttft_mean, kMilliseconds},
    BlockRow{"median ttft (ms)", &ServingFacts::ttft_median, kMilliseconds},
    BlockRow{"mean tpot (ms)", &ServingFacts::tpot_mean, kMilliseconds},
    BlockRow{"median tpot (ms)", &ServingFacts::tpot_median, kMilliseconds},
    BlockRow{"mean itl (ms)", &ServingFacts::itl_mean, kMilliseconds},
    BlockRow{"median itl (ms)", &ServingFacts::itl_median, kMilliseconds},
    BlockRow{"mean e2el (ms)", &ServingFacts::request_mean, kMilliseconds},
    BlockRow{"median e2el (ms)", &ServingFacts::request_median, kMilliseconds},
    BlockRow{"mean e2e latency (ms)", &ServingFacts::request_mean, kMilliseconds},
    BlockRow{"median e2e latency (ms)", &ServingFacts::request_median, kMilliseconds},
};

struct BlockCount {
  std::string_view label;
  double ServingFacts::*count;
};
constexpr std::array kBlockCounts{
    BlockCount{"successful requests", &ServingFacts::completed},
    BlockCount{"failed requests", &ServingFacts::failed},
    BlockCount{"benchmark duration (s)", &ServingFacts::duration},
    BlockCount{"total input tokens", &ServingFacts::input_tokens},
    BlockCount{"total generated tokens", &ServingFacts::output_tokens},
    BlockCount{"maximum request concurrency", &ServingFacts::ceiling},
    BlockCount{"max request concurrency", &ServingFacts::ceiling},
    BlockCount{"concurrency", &ServingFacts::concurrency},
};

// What a command line or the printed arguments say of the next block.
struct ServeCommand {
  std::string model;
  double output = 0;
};

std::string_view command_word(std::string_view line, std::string_view mark) {
  const std::size_t at = line.find(mark);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + mark.size());
  return rest.substr(0, rest.find_first_of(" '\",)\\\t"));
}

void read_serve_command(std::string_view line, ServeCommand& command) {
  for (const char* mark :
       {"vllm serve ", "--model-path ", "--model ", "--model=", " model='", "(model='"}) {
    const std::string_view model = command_word(line, mark);
    if (!model.empty() && model.front() != '-') command.model = model;
  }
  if (!contains(line, "Namespace(")) return;
  command.output = 0;
  if (contains(line, "dataset_name='random'") && contains(line, "random_range_ratio=0.0,")) {
    const double asked = number_in(command_word(line, "random_output_len="));
    if (asked > 0) command.output = asked;
  }
}

class ServeBlock {
 public:
  ServeBlock(std::string_view where, ResultFile& file) : where_(where), file_(file) {}

  void line(std::string_view text, int at, ServeCommand& command) {
    if (contains(text, "Serving Benchmark Result")) {
      close(command);
      open_ = true;
      facts_.about = {std::string(where_), at, words_of(text)};
      facts_.completed = -2;
    } else if (!open_) {
      read_serve_command(text, command);
    } else if (const std::string_view row = trim(text);
               row.size() > 20 && row.find_first_not_of('=') == std::string_view::npos) {
      close(command);
    } else {
      read_row(row, at);
    }
  }

  void close(ServeCommand& command) {
    if (!open_) return;
    open_ = false;
    const bool blank = std::isnan(facts_.completed) || facts_.completed == -2;
    if (blank) {
      add_refusal({facts_.about.line, facts_.about.text, "a block without numbers: no run"}, file_);
    } else {
      run_.model = command.model;
      if (run_.engine.empty()) run_.engine = sglang_ ? "SGLang" : "vLLM";
      facts_.asked_output = command.output;
      add_serving_run(facts_, std::move(run_), file_);
    }
    facts_ = {};
    run_ = {};
    sglang_ = false;
  }

 private:
  void read_row(std::string_view row, int at) {
    const std::size_t colon = row.find(':');
    if (colon == std::string_view::npos) return;
    const std::string label = lower(row.substr(0, colon));
    const std::string_view words = trim(row.substr(colon + 1));
    const double value = number_in(words);
    for (const BlockCount& r : kBlockCounts) {
      if (r.label != label) continue;
      if (r.count == &ServingFacts::completed) facts_.about = source(row, at);
      // Of the others a word for a number ("not set") says nothing.
      if (!std::isnan(value) || r.count == &ServingFacts::completed) facts_.*r.count = value;
    }
    for (const BlockRow& r : kBlockRows) {
      if (r.label == label) facts_.*r.told = {true, value * r.scale, source(row, at)};
    }
    if (label == "backend" && words.substr(0, 6) == "sglang") sglang_ = true;
    if (label == "total generated tokens (retokenized)") sglang_ = true;
    if ((label == "accept length" || label == "acceptance length") && value > 1) {
      run_.tokens_per_pass = value;
    }
  }

  [[nodiscard]] Source source(std::string_view row, int at) const {
    return {std::string(where_), at, words_of(row)};
  }

  std::string_view where_;
  ResultFile& file_;
  ServingFacts facts_;
  MeasuredRun run_;
  bool open_ = false, sglang_ = false;
};

}  // namespace

void read_serve_console(std::string_view text, std::string_view where, ResultFile& file) {
  ServeBlock block(where, file);
  ServeCommand command;
  for_each_line(text, [&](std::string_view line, int at) {
    if (line.size() < 20000) block.line(line, at, command);
  });
  block.close(command);
}

}  // namespace rooflens
