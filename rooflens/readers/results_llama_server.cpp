// llama-server's replies: timings{}, and what people keep of them in JSON and csv.
#include <algorithm>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/results_local.h"
#include "rooflens/readers/words.h"

namespace rooflens::local {
namespace {

struct ServerTimings {
  double computed = 0, cached = 0, prompt_rate = 0, predicted = 0, rate = 0;
  double drafted = 0, accepted = -1;  // -1 = not told
  bool prompt_told = false, output_told = false;
};

void server_prompt(Reading& r, MeasuredRun& run, const ServerTimings& t, const Source& source) {
  if (!is_rate(t.prompt_rate) || t.computed < 1) {
    r.refuse(source, "no token of the prompt was computed, or its time is zero");
    return;
  }
  Observation o;
  o.phase = MeasuredPhase::prefill;
  o.counting = Counting::per_stream;
  o.value = t.prompt_rate;
  o.prompt = t.cached + t.computed;
  o.cached_prefix = t.cached;
  o.source = source;
  run.figures.push_back(std::move(o));
}

void server_output(Reading& r, MeasuredRun& run, const ServerTimings& t, const Source& source) {
  if (!is_rate(t.rate) || t.predicted < 1) {
    r.refuse(source, "nothing was generated, or its time is zero");
    return;
  }
  if (t.predicted < 2) {
    r.refuse(source, "one token, which the prompt's pass yields: no step was timed");
    return;
  }
  Observation o;
  o.phase = MeasuredPhase::decode;
  o.counting = Counting::per_stream;
  o.value = corrected(run, t.rate, t.predicted, "llama-server");
  o.output = t.predicted;
  if (t.computed > 0) {
    o.prompt = t.cached + t.computed;
    o.context = t.cached + t.computed + t.predicted / 2;
  }
  o.source = source;
  run.figures.push_back(std::move(o));
  note_short(run, t.predicted);
}

void keep_server(Reading& r, MeasuredRun run, const ServerTimings& t, Source prompt_source,
                 Source source) {
  run.engine = "llama.cpp";
  prompt_source.file = source.file = r.where;
  run.cached_prompt = t.cached;
  if (t.cached > 0) {
    trap(run, "prefix_cache",
         number_text(t.cached) +
             " tokens of the prompt were in the cache: the rate counts those computed.");
  }
  if (t.prompt_told) server_prompt(r, run, t, prompt_source);
  if (t.output_told) server_output(r, run, t, source);
  if (t.drafted > 0) {
    run.drafts = t.drafted;
    if (t.accepted >= 0 && t.accepted < t.predicted) {
      run.tokens_per_pass = t.predicted / (t.predicted - t.accepted);
    }
    trap(run, "speculative",
         "Drafts were proposed: one pass over the weights may yield more than one token.");
  }
  if (!run.figures.empty()) r.file.runs.push_back(std::move(run));
}

// One of the many replies of a stream, before its end.
bool server_partial(const Json& row, const Outer& outer) {
  const Json* reply = outer.empty() ? &row : outer.back();
  const Json* stop = reply->get("stop");
  if (stop != nullptr && stop->is(Json::Kind::boolean)) return !stop->boolean;
  const Json* choices = reply->get("choices");
  if (choices == nullptr || choices->items.empty()) return false;
  const Json* reason = choices->items.front().find("finish_reason");
  return reason != nullptr && reason->is(Json::Kind::null);
}

std::string server_build(std::string_view fingerprint) {  // "b6865-1c1409e1"
  if (fingerprint.size() < 2 || fingerprint[0] != 'b' || !is_digit(fingerprint[1])) return {};
  return std::string(fingerprint.substr(0, fingerprint.find('-')));
}

}  // namespace

bool read_server_json(Reading& r, const Json& row, const Outer& outer, JsonPlace& place) {
  const Json* prompt_rate = row.find("prompt_per_second");
  const Json* rate = row.find("predicted_per_second");
  if (prompt_rate == nullptr && rate == nullptr) return false;
  r.is_format("llama-server timings");
  if (server_partial(row, outer)) return true;
  ServerTimings t;
  t.prompt_told = prompt_rate != nullptr;
  t.output_told = rate != nullptr;
  t.computed = number_of(row, "prompt_n");
  t.cached = std::max(0.0, number_of(row, "cache_n"));
  t.prompt_rate = number_of(row, "prompt_per_second");
  t.predicted = number_of(row, "predicted_n");
  t.rate = number_of(row, "predicted_per_second");
  t.drafted = number_of(row, "draft_n");
  if (row.get("draft_n_accepted") != nullptr) t.accepted = number_of(row, "draft_n_accepted");
  if (row.get("cache_n") == nullptr && !outer.empty()) {
    const double whole = number_of(*outer.back(), "tokens_evaluated");
    if (t.computed > 0) t.cached = std::max(0.0, whole - t.computed);
  }
  MeasuredRun run;
  run.model = nearest_text(row, outer, "model");
  run.build = server_build(nearest_text(row, outer, "system_fingerprint"));
  keep_server(r, std::move(run), t, t.prompt_told ? place.source("prompt_per_second") : Source{},
              t.output_told ? place.source("predicted_per_second") : Source{});
  return true;
}

// Replies flattened by hand: prompt_n, prompt_tps, predicted_n, predicted_tps among the columns.
bool read_server_record(Reading& r, std::string_view line) {
  const std::string_view text = trim(line);
  if (contains(text, "predicted_n,") && contains(text, "predicted_tps")) {
    r.columns.kind = Columns::Kind::server_csv;
    r.columns.names = separated(text, '"');
    return true;
  }
  if (r.columns.kind != Columns::Kind::server_csv || text.find(',') == std::string_view::npos) {
    return false;
  }
  r.is_format("llama-server csv");
  const auto values = separated(text, '"');
  if (values.size() != r.columns.names.size()) {
    r.refuse(line, "the row has not as many values as the table has columns");
    return true;
  }
  Fields f;
  f.all.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) f.all.emplace_back(r.columns.names[i], values[i]);
  if (f.get("phase") == "warmup") {
    r.refuse(line, "a warm-up");
    return true;
  }
  ServerTimings t;
  t.computed = f.number("prompt_n");
  t.cached = std::max(0.0, f.number("cache_n"));
  t.prompt_rate = f.number("prompt_tps");
  t.predicted = f.number("predicted_n");
  t.rate = f.number("predicted_tps");
  t.prompt_told = !f.get("prompt_tps").empty();
  t.output_told = true;
  keep_server(r, {}, t, r.here("prompt_tps " + std::string(f.get("prompt_tps"))),
              r.here("predicted_tps " + std::string(f.get("predicted_tps"))));
  return true;
}

}  // namespace rooflens::local
