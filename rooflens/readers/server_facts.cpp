#include "rooflens/readers/server_facts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "rooflens/core/ascii.h"
#include "rooflens/core/quantity.h"

namespace rooflens {
namespace {

constexpr std::size_t kMostRefused = 1000, kSourceWords = 200;
constexpr double kAlmostOne = 1.05;  // requests in flight: nobody waits for another
constexpr double kNoPrompt = 50;     // output tokens for one of the prompt: it counts for nothing
constexpr double kShort = 0.9;       // of the tokens asked for

bool good_told(const Told& t) { return t.told && std::isfinite(t.value) && t.value > 0; }
const Told& first_good(const Told& a, const Told& b) { return good_told(a) || !b.told ? a : b; }
double told_value(const Told& a, const Told& b) {
  const Told& t = first_good(a, b);
  return good_told(t) ? t.value : 0;
}

// The averages that every figure of a run shares.
struct Averages {
  double requests_per_s = 0, prompt = 0, output = 0;
  double in_flight = 0, decoding = 0;
  double most = 0;  // requests at a time that were allowed
};

Averages serving_averages(const ServingFacts& f) {
  Averages a;
  a.requests_per_s = f.requests_per_s;
  if (good_told(f.request_rate)) a.requests_per_s = f.request_rate.value;
  if (f.completed > 0 && f.duration > 0) a.requests_per_s = f.completed / f.duration;
  const bool counted = f.completed > 0;
  a.prompt = f.prompt > 0 || !counted ? f.prompt : f.input_tokens / f.completed;
  a.output = f.output > 0 || !counted ? f.output : f.output_tokens / f.completed;
  const double first = told_value(f.ttft_mean, f.ttft_median);
  const double steps = std::max(a.output - 1, 0.0);
  const double decode = told_value(f.tpot_mean, f.tpot_median) * steps;
  double whole = told_value(f.request_mean, f.request_median);
  if (whole == 0 && decode > 0) whole = first + decode;
  a.in_flight = f.concurrency > 0 ? f.concurrency : a.requests_per_s * whole;
  a.decoding = a.requests_per_s * (decode > 0 ? decode : std::max(whole - first, 0.0));
  if (f.ceiling > 0) {
    if (a.in_flight > 0) a.in_flight = std::min(a.in_flight, f.ceiling);
    a.decoding = std::min(a.decoding, f.ceiling);
  }
  a.most = f.ceiling;
  if (f.ceiling == 1) a.in_flight = a.decoding = 1;
  if (a.in_flight > 0) a.in_flight = std::max(a.in_flight, 1.0);
  if (a.decoding > 0) a.decoding = std::max(a.decoding, 1.0);
  return a;
}

Observation serving_figure(MeasuredPhase phase, Figure figure, Counting counting, const Told& t,
                           const Averages& a) {
  Observation o{.phase = phase, .figure = figure, .counting = counting, .value = t.value};
  const double batch = phase == MeasuredPhase::decode && a.decoding > 0 ? a.decoding : a.in_flight;
  if (batch > 0) {
    o.batch = batch;
  } else if (a.most > 1) {
    o.batch = a.most;  // a bound, as the roof is one
  }
  if (a.prompt > 0) o.prompt = a.prompt;
  if (a.output > 0) o.output = a.output;
  o.source = t.source;
  return o;
}

// Prompt tokens over the clock of the run, as the file has it or from its counts.
Told serving_input_rate(const ServingFacts& f, const Averages& a) {
  Told t = f.input_rate;
  const bool counted = f.input_tokens > 0 && f.duration > 0;
  if (t.told || (!counted && a.prompt * a.requests_per_s <= 0)) return t;
  t = {true, counted ? f.input_tokens / f.duration : a.prompt * a.requests_per_s, f.about};
  if (t.source.line == 0)
    t.source = f.request_rate.told ? f.request_rate.source : f.output_rate.source;
  t.source.text = counted ? rounded(f.input_tokens) : rounded(a.prompt);
  t.source.text += counted ? " prompt tokens in " : " prompt tokens a request, ";
  t.source.text += counted ? rounded(f.duration) + " s" : rounded(a.requests_per_s) + " requests/s";
  return t;
}

void add_serving_rates(const ServingFacts& f, const Averages& a, MeasuredRun& run,
                       ResultFile& file) {
  const Counting whole = f.per_device ? Counting::per_device : Counting::aggregate;
  const bool no_output =
      f.input_tokens > 0 && f.output_tokens == 0 && a.output == 0 && !f.output_rate.told;
  const bool only_prompt = no_output || (a.output > 0 && a.output <= 1);
  const bool only_output = a.prompt > 0 && a.prompt * kNoPrompt <= a.output;
  if (f.output_rate.told && !only_prompt) {
    const Counting counting = only_output || f.per_device ? whole : Counting::same_wall;
    add_figure(
        serving_figure(MeasuredPhase::decode, Figure::tokens_per_s, counting, f.output_rate, a),
        run, file);
    if (only_output) {
      run.notes.push_back("prompts of " + rounded(a.prompt) + " tokens for " + rounded(a.output) +
                          " of output: the output rate is one of decoding");
    } else {
      add_trap("same_wall",
               "prompt and output tokens are counted over one clock: neither rate is the speed of "
               "its phase",
               run);
    }
  }
  const Told input = no_output && f.total_rate.told ? f.total_rate : serving_input_rate(f, a);
  if (input.told && !only_output) {
    const Counting counting = only_prompt || f.per_device ? whole : Counting::same_wall;
    add_figure(serving_figure(MeasuredPhase::prefill, Figure::tokens_per_s, counting, input, a),
               run, file);
  }
  if (f.total_rate.told && !no_output) {
    add_figure(serving_figure(MeasuredPhase::mixed, Figure::tokens_per_s, whole, f.total_rate, a),
               run, file);
    add_trap("total_tokens", "the total rate counts prompt and output tokens together", run);
  }
  if (no_output) run.notes.emplace_back("no token is generated: the run is prefill alone");
  if (f.request_rate.told) {
    add_figure(serving_figure(MeasuredPhase::mixed, Figure::requests_per_s, Counting::aggregate,
                              f.request_rate, a),
               run, file);
  }
}

void add_first_token(const ServingFacts& f, const Averages& a, MeasuredRun& run, ResultFile& file) {
  const Told& first = first_good(f.ttft_median, f.ttft_mean);
  if (!first.told) return;
  const bool alone = f.ceiling == 1 || (a.in_flight > 0 && a.in_flight <= kAlmostOne);
  Observation wait = serving_figure(MeasuredPhase::prefill, Figure::time_to_first_token_s,
                                    Counting::per_stream, first, a);
  wait.waits = !alone;
  add_figure(std::move(wait), run, file);
  if (!alone) {
    add_trap("queueing",
             "the time to the first token holds the wait for other requests: no prefill rate "
             "follows from it",
             run);
  }
  if (good_told(f.ttft_mean) && good_told(f.ttft_median) &&
      f.ttft_mean.value > (alone ? 1.5 : 2.0) * f.ttft_median.value) {
    add_trap("warm_up",
             "the mean time to the first token, " + rounded(f.ttft_mean.value) +
                 " s, is far above the median, " + rounded(f.ttft_median.value) +
                 " s: first requests warmed up, the median is taken",
             run);
  }
}

void add_serving_times(const ServingFacts& f, const Averages& a, MeasuredRun& run,
                       ResultFile& file) {
  add_first_token(f, a, run, file);
  const Told& step =
      first_good(first_good(f.tpot_median, f.tpot_mean), first_good(f.itl_median, f.itl_mean));
  if (step.told && (a.output == 0 || a.output > 1)) {
    Observation o = serving_figure(MeasuredPhase::decode, Figure::time_per_token_s,
                                   Counting::per_stream, step, a);
    if (a.prompt > 0 && a.output > 0) o.context = a.prompt + a.output / 2;
    add_figure(std::move(o), run, file);
    if (!f.tpot_median.told && !f.tpot_mean.told) {
      run.notes.emplace_back(
          "the inter-token latency stands for a step: low where a chunk holds several tokens");
    }
  } else if (f.tpot_with_ttft.told) {
    add_figure(serving_figure(MeasuredPhase::mixed, Figure::time_per_token_s, Counting::per_stream,
                              f.tpot_with_ttft, a),
               run, file);
    add_trap("tpot_includes_ttft",
             "the time per output token is the whole latency over the tokens: it holds the time to "
             "the first one",
             run);
  }
  const Told& whole = first_good(f.request_median, f.request_mean);
  if (whole.told) {
    add_figure(
        serving_figure(MeasuredPhase::mixed, Figure::request_s, Counting::per_stream, whole, a),
        run, file);
  }
}

void add_serving_remarks(const ServingFacts& f, const Averages& a, MeasuredRun& run) {
  if (f.failed > 0) run.notes.push_back(rounded(f.failed) + " requests failed");
  if (a.in_flight > 0 && a.decoding > 0 && a.decoding < 0.9 * a.in_flight) {
    run.notes.push_back("of " + rounded(a.in_flight) + " requests in flight on average " +
                        rounded(a.decoding) + " were decoding");
  }
  if (a.in_flight == 0 && f.ceiling > 1) {
    run.notes.push_back("without latencies the average batch is not known; at most " +
                        rounded(f.ceiling) + " requests ran at a time, which is taken");
  }
  if (f.asked_output > 0 && a.output > 0 && a.output < kShort * f.asked_output) {
    add_trap("early_stop",
             rounded(f.asked_output) + " output tokens a request were asked for, " +
                 rounded(a.output) + " were made",
             run);
  }
  if (run.tokens_per_pass > 1) {
    add_trap("speculative",
             "speculation: a pass yields " + rounded(run.tokens_per_pass) + " tokens on average",
             run);
  }
}

}  // namespace

void add_figure(Observation figure, MeasuredRun& run, ResultFile& file) {
  if (std::isfinite(figure.value) && figure.value > 0) {
    if (run.figures.size() < kMostFigures) run.figures.push_back(std::move(figure));
    return;
  }
  const char* why =
      std::isfinite(figure.value) ? "zero or less is no measurement" : "no finite number";
  add_refusal({figure.source.line, std::move(figure.source.text), why}, file);
}

void add_refusal(Unmeasured refusal, ResultFile& file) {
  if (file.refused.size() < kMostRefused) file.refused.push_back(std::move(refusal));
}

void add_trap(std::string_view tag, std::string_view sentence, MeasuredRun& run) {
  if (std::find(run.traps.begin(), run.traps.end(), tag) != run.traps.end()) return;
  run.traps.emplace_back(tag);
  run.notes.emplace_back(sentence);
}

void add_run(MeasuredRun run, ResultFile& file) {
  if (file.runs.size() < kMostRuns) {
    file.runs.push_back(std::move(run));
    return;
  }
  std::string note = "only the first " + std::to_string(kMostRuns) + " runs are read";
  if (file.notes.empty() || file.notes.back() != note) file.notes.push_back(std::move(note));
}

void add_serving_run(const ServingFacts& f, MeasuredRun run, ResultFile& file) {
  if (f.completed == 0) {
    add_refusal({f.about.line, f.about.text, "0 requests were completed"}, file);
    return;
  }
  const Averages a = serving_averages(f);
  if (f.completed > 0 && run.repetitions == 0) run.repetitions = f.completed;
  add_serving_rates(f, a, run, file);
  add_serving_times(f, a, run, file);
  add_serving_remarks(f, a, run);
  if (!run.figures.empty()) add_run(std::move(run), file);
}

double number_in(std::string_view text) {
  std::string plain;
  for (const char c : trim(text).substr(0, 64)) {
    if (is_blank(c)) break;
    if (c != ',') plain += c;
  }
  return parse_number(plain).value_or(std::numeric_limits<double>::quiet_NaN());
}

std::string rounded(double value) {
  char text[32];
  const double size = std::fabs(value);
  const bool whole = size < 1e15 && (size >= 1000 || value == std::floor(value));
  std::snprintf(text, sizeof text, whole ? "%.0f" : "%.3g", value);
  return text;
}

std::string words_of(std::string_view text) {
  text = trim(text);
  std::size_t size = std::min(text.size(), kSourceWords);
  // Not within a letter of several bytes.
  while (size > 0 && size < text.size() &&
         (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) {
    --size;
  }
  std::string out(text.substr(0, size));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return out;
}

}  // namespace rooflens
