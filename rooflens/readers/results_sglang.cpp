// SGLang's bench_one_batch: a static batch without a scheduler, both phases timed apart; and
// bench_one_batch_server: the same batch sent to a server at once.
#include <algorithm>
#include <cmath>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/server_formats.h"
#include "rooflens/readers/words.h"

namespace rooflens {
namespace {

// Figures of one static batch; 0 = not told.
struct OneBatch {
  double batch = 0, prompt = 0, output = 0;
};

void add_one_batch(const OneBatch& b, MeasuredPhase phase, Figure figure, Counting counting,
                   const Told& t, MeasuredRun& run, ResultFile& file) {
  if (!t.told) return;
  Observation o{.phase = phase, .figure = figure, .counting = counting, .value = t.value};
  if (b.batch > 0) o.batch = b.batch;
  if (phase == MeasuredPhase::prefill) o.prompts_together = o.batch;
  if (b.prompt > 0) o.prompt = b.prompt;
  if (b.output > 0) o.output = b.output;
  if (phase == MeasuredPhase::decode && b.prompt > 0) o.context = b.prompt + b.output / 2;
  o.source = t.source;
  add_figure(std::move(o), run, file);
}

// "Prefill. latency: 0.46342 s, throughput: 9316.59 token/s": seconds and tokens/s of a line.
struct OneBatchLine {
  Told seconds, rate;
};

OneBatchLine one_batch_line(std::string_view line, std::string_view where, int at) {
  const auto after = [&](std::string_view mark) {
    const std::size_t found = line.find(mark);
    if (found == std::string_view::npos) return Told{};
    return Told{true,
                number_in(line.substr(found + mark.size())),
                {std::string(where), at, words_of(line)}};
  };
  return {after("latency:"), after("throughput:")};
}

double tokens_of(const OneBatchLine& l) {
  return l.seconds.told && l.rate.told ? l.seconds.value * l.rate.value : 0;
}

// A run of the console: its size follows from its own lines, which have three digits or more.
struct OneBatchConsole {
  OneBatchLine prefill, decode, total;
  bool open = false, warm_up = false;

  void close(ResultFile& file) {
    if (!open) return;
    if (warm_up) {
      add_refusal({prefill.rate.source.line, prefill.rate.source.text, "a warm-up"}, file);
    } else {
      add(file);
    }
    *this = {};
  }

 private:
  void add(ResultFile& file) const {
    OneBatch b;
    b.batch = std::round(tokens_of(decode));
    if (b.batch > 0) b.prompt = std::round(tokens_of(prefill) / b.batch);
    if (b.prompt > 0) b.output = std::max(1.0, std::round(tokens_of(total) / b.batch) - b.prompt);
    MeasuredRun run;
    run.engine = "SGLang";
    const auto rate = [&](MeasuredPhase phase, const Told& t) {
      add_one_batch(b, phase, Figure::tokens_per_s, Counting::aggregate, t, run, file);
    };
    rate(MeasuredPhase::prefill, prefill.rate);
    rate(MeasuredPhase::decode, decode.rate);
    add_one_batch(b, MeasuredPhase::mixed, Figure::request_s, Counting::per_stream, total.seconds,
                  run, file);
    if (b.batch == 0) run.notes.emplace_back("without a decode step the batch is not known");
    if (!run.figures.empty()) add_run(std::move(run), file);
  }
};

bool near_value(double a, double b) { return b > 0 && std::fabs(a - b) <= 0.03 * b; }

}  // namespace

bool is_one_batch_json(const Json& object) {
  return has(object, {"prefill_throughput", "batch_size", "input_len"});
}

void read_one_batch_json(const JsonPart& part, ResultFile& file) {
  const Json& json = part.json;
  const OneBatch b{number(&json, "batch_size"), number(&json, "input_len"),
                   number(&json, "output_len")};
  MeasuredRun run;
  run.engine = "SGLang";
  run.model = word(&json, "model_path");
  const auto rate = [&](MeasuredPhase phase, const char* key) {
    add_one_batch(b, phase, Figure::tokens_per_s, Counting::aggregate, told(part, key), run, file);
  };
  rate(MeasuredPhase::prefill, "prefill_throughput");
  if (b.output != 1) rate(MeasuredPhase::decode, "median_decode_throughput");
  add_one_batch(b, MeasuredPhase::mixed, Figure::request_s, Counting::per_stream,
                told(part, "total_latency"), run, file);
  if (!run.figures.empty()) add_run(std::move(run), file);
}

void read_one_batch_console(std::string_view text, std::string_view where, ResultFile& file) {
  OneBatchConsole run;
  bool warm_up = false;
  for_each_line(text, [&](std::string_view line, int at) {
    const std::string_view words = trim(line);
    if (words.substr(0, 10) == "Warmup ...") warm_up = true;
    if (words.substr(0, 13) == "Benchmark ...") warm_up = false;
    const std::size_t start = words.find("Prefill. latency:");
    if (start != std::string_view::npos) {
      run.close(file);
      run.open = true;
      run.warm_up = warm_up;
      run.prefill = one_batch_line(words.substr(start), where, at);
    } else if (run.open && contains(words, "Decode.  median latency:")) {
      run.decode = one_batch_line(words, where, at);
    } else if (run.open && contains(words, "Total. latency:")) {
      run.total = one_batch_line(words, where, at);
      run.close(file);
    }
  });
  run.close(file);
}

bool is_one_batch_server_json(const Json& object) {
  return has(object, {"batch_size", "input_len", "output_len", "latency", "output_throughput"});
}

void read_one_batch_server_json(const JsonPart& part, ResultFile& file) {
  const Json& json = part.json;
  const OneBatch b{number(&json, "batch_size"), number(&json, "input_len"),
                   number(&json, "output_len")};
  const double latency = number(&json, "latency");
  const double first = number(&json, "ttft", number(&json, "last_ttft"));
  const Told output = told(part, "output_throughput");
  MeasuredRun run;
  run.engine = "SGLang";
  run.model = word(&json, "model_path");
  run.tokens_per_pass = number(&json, "acc_length");
  const auto add = [&](MeasuredPhase phase, Figure figure, Counting counting, const Told& t) {
    add_one_batch(b, phase, figure, counting, t, run, file);
  };
  add(MeasuredPhase::prefill, Figure::tokens_per_s, Counting::aggregate,
      told(part, "input_throughput"));
  // Versions differ in what they divide the output by: the whole time, or that after the prompts.
  const double made = b.batch * b.output;
  const bool after_first = first > 0 && latency > first &&
                           near_value(output.value, made / (latency - first)) &&
                           !near_value(output.value, made / latency);
  add(MeasuredPhase::decode, Figure::tokens_per_s,
      after_first ? Counting::aggregate : Counting::same_wall, output);
  if (!after_first) {
    add_trap("same_wall", "the output rate is over the whole time, prompts included", run);
  }
  add(MeasuredPhase::decode, Figure::tokens_per_s, Counting::aggregate,
      told(part, "last_gen_throughput"));
  add(MeasuredPhase::mixed, Figure::request_s, Counting::per_stream, told(part, "latency"));
  if (run.tokens_per_pass > 1) {
    add_trap("speculative",
             "speculation: a pass yields " + rounded(run.tokens_per_pass) + " tokens on average",
             run);
  }
  if (!run.figures.empty()) add_run(std::move(run), file);
}

}  // namespace rooflens
