// Ollama: what --verbose prints, and the reply of its API.
#include <algorithm>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/results_local.h"
#include "rooflens/readers/words.h"

namespace rooflens::local {
namespace {

// What both forms tell, in seconds.
struct OllamaTimes {
  double total = 0, load = 0, prompt_count = 0, prompt_seconds = 0, count = 0, seconds = 0;
  double prompt_rate = 0, rate = 0;
  bool prompt_told = false;
};

// Time that is in no phase although the request took it: older runners timed the last batch of a
// long prompt alone.
void tell_ollama_gap(MeasuredRun& run, const OllamaTimes& t) {
  if (t.total <= 0 || t.prompt_seconds <= 0 || t.seconds <= 0) return;
  const double gap = t.total - t.load - t.prompt_seconds - t.seconds;
  if (gap < 0.05 * t.total || gap < 2 * t.prompt_seconds) return;
  trap(run, "timing_gap",
       number_text(gap) + " s of the request's " + number_text(t.total) +
           " s are in no phase: the prompt's time may be that of its last batch alone.");
}

void keep_ollama(Reading& r, MeasuredRun run, const OllamaTimes& t, const Source& prompt_source,
                 const Source& source) {
  run.engine = "Ollama";
  const auto figure = [&](MeasuredPhase phase, double value, const Source& from) {
    Observation o;
    o.phase = phase;
    o.counting = Counting::aggregate;
    o.value = value;
    o.batch = 1;
    o.source = from;
    o.source.file = r.where;
    return o;
  };
  if (t.prompt_told && is_rate(t.prompt_rate) && t.prompt_count >= 1) {
    Observation o = figure(MeasuredPhase::prefill, t.prompt_rate, prompt_source);
    o.prompt = t.prompt_count;
    run.figures.push_back(std::move(o));
    tell_ollama_gap(run, t);
  } else if (t.prompt_told) {
    r.refuse(prompt_source, "no token of the prompt was computed, or its time is zero");
  }
  if (is_rate(t.rate) && t.count >= 1) {
    Observation o = figure(MeasuredPhase::decode, t.rate, source);
    o.output = t.count;
    if (t.prompt_count > 0) {
      o.prompt = t.prompt_count;
      o.context = t.prompt_count + t.count / 2;
    }
    run.figures.push_back(std::move(o));
    note_short(run, t.count);
  } else {
    r.refuse(source, "nothing was generated, or its time is zero");
  }
  if (!run.figures.empty()) r.file.runs.push_back(std::move(run));
}

}  // namespace

bool read_ollama_line(Reading& r, std::string_view line) {
  if (read_ollama_bench_line(r, line)) return true;
  std::string_view value = trim(line);
  if (value.find(':') == std::string_view::npos) return false;
  const std::string_view name = take(value, ':');
  value = trim(value);
  OllamaLines& o = r.ollama;
  if (name == "total duration") {
    close_ollama(r);
    o.total = go_seconds(value).value_or(0);
  } else if (name == "load duration") {
    o.load = go_seconds(value).value_or(0);
  } else if (name == "prompt eval count") {
    o.prompt_count = number_or_zero(value);
  } else if (name == "prompt eval duration") {
    o.prompt_seconds = go_seconds(value).value_or(0);
  } else if (name == "prompt eval rate") {
    o.prompt_value = number_or_zero(value);
    o.prompt_rate = r.here(line);
  } else if (name == "eval count") {
    o.count = number_or_zero(value);
  } else if (name == "eval duration") {
    o.seconds = go_seconds(value).value_or(0);
  } else if (name == "eval rate") {
    o.value = number_or_zero(value);
    o.rate = r.here(line);
    o.any = true;
    close_ollama(r);
  } else {
    return false;
  }
  return true;
}

void close_ollama(Reading& r) {
  const OllamaLines o = r.ollama;
  r.ollama = {};
  if (!o.any && o.prompt_rate.line == 0) return;
  r.is_format("ollama --verbose");
  OllamaTimes t{o.total,   o.load,         o.prompt_count, o.prompt_seconds,      o.count,
                o.seconds, o.prompt_value, o.value,        o.prompt_rate.line > 0};
  keep_ollama(r, {}, t, o.prompt_rate, o.any ? o.rate : o.prompt_rate);
}

bool read_ollama_json(Reading& r, const Json& row, const Outer& outer, JsonPlace& place) {
  if (row.get("eval_duration") == nullptr) return false;
  r.is_format("Ollama reply");
  constexpr double ns = 1e-9;
  OllamaTimes t;
  t.total = number_of(row, "total_duration") * ns;
  t.load = number_of(row, "load_duration") * ns;
  t.prompt_count = number_of(row, "prompt_eval_count");
  t.prompt_seconds = number_of(row, "prompt_eval_duration") * ns;
  t.count = number_of(row, "eval_count");
  t.seconds = number_of(row, "eval_duration") * ns;
  t.prompt_told = row.get("prompt_eval_duration") != nullptr;
  if (t.prompt_seconds > 0) t.prompt_rate = t.prompt_count / t.prompt_seconds;
  if (t.seconds > 0) t.rate = t.count / t.seconds;
  MeasuredRun run;
  run.model = nearest_text(row, outer, "model");
  keep_ollama(r, std::move(run), t, t.prompt_told ? place.source("prompt_eval_duration") : Source{},
              place.source("eval_duration"));
  return true;
}

}  // namespace rooflens::local
