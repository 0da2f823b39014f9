// llama-benchy: the tests of llama-bench, timed by a client over HTTP.
#include <algorithm>
#include <cmath>

#include "rooflens/readers/results_local.h"
#include "rooflens/readers/words.h"

namespace rooflens::local {
namespace {

struct BenchyTest {
  double prompt = 0, output = 0, depth = 0, concurrency = 1;
  double rate = 0, prompt_seconds = 0;  // the client's estimate of the prompt's time, 0 = none
  bool decode = false;
  bool cached = false;  // the depth comes from the prefix cache
};

// Whether the prompt's rate counts the depth too: rate x time tells.
bool benchy_counts_depth(const BenchyTest& t) {
  if (t.depth <= 0) return false;
  if (t.prompt_seconds <= 0) return !t.cached;
  const double read = t.rate * t.prompt_seconds / t.concurrency;
  return std::fabs(read - t.prompt - t.depth) < std::fabs(read - t.prompt);
}

void tell_benchy(MeasuredRun& run) {
  trap(run, "client_side",
       "A client timed it over HTTP: the prompt's time has the server's queue and the network in "
       "it.");
}

bool benchy_figure(Reading& r, MeasuredRun& run, const BenchyTest& t, Source source) {
  source.file = r.where;
  if (!is_rate(t.rate)) {
    r.refuse(source, "the rate is no positive number");
    return false;
  }
  Observation o;
  o.counting = Counting::aggregate;
  o.value = t.rate;
  o.batch = t.concurrency;
  o.source = std::move(source);
  if (t.decode) {
    o.phase = MeasuredPhase::decode;
    o.output = t.output;
    if (t.prompt + t.depth > 0) o.prompt = t.prompt + t.depth;
    o.context = t.prompt + t.depth + t.output / 2;
    note_short(run, t.output);
  } else {
    o.phase = MeasuredPhase::prefill;
    o.prompt = t.prompt + t.depth;
    const bool counted = benchy_counts_depth(t);
    o.cached_prefix = counted ? 0 : t.depth;
    if (!counted && t.depth > 0) {
      run.cached_prompt = t.depth;
      trap(run, "prefix_cache",
           number_text(t.depth) +
               " tokens of the prompt were in the cache: the rate counts those computed.");
    }
  }
  run.figures.push_back(std::move(o));
  return true;
}

bool benchy_rate_column(std::string_view name) { return name == "t/s" || name == "t/s (total)"; }

Source benchy_source(JsonPlace& place, std::string_view key, double mean) {
  Source s = place.source(key);
  s.text = key;
  s.text += " mean " + number_text(mean);
  return s;
}

double benchy_mean(const Json& row, std::string_view key) {
  const Json* values = row.get(key);
  return values != nullptr ? number_of(*values, "mean") : 0;
}

}  // namespace

bool read_benchy_table(Reading& r, const std::vector<std::string_view>& cells,
                       std::string_view line) {
  const auto has = [&](std::string_view name) {
    return std::find(cells.begin(), cells.end(), name) != cells.end();
  };
  if (has("model") && has("test") && (has("ttfr (ms)") || has("est_ppt (ms)"))) {
    r.columns.kind = Columns::Kind::benchy;
    r.columns.names.assign(cells.begin(), cells.end());
    r.benchy_prompt = 0;
    return true;
  }
  if (r.columns.kind != Columns::Kind::benchy || r.columns.names.size() != cells.size()) {
    return false;
  }
  Fields f;
  f.all.reserve(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string& name = r.columns.names[i];
    f.all.emplace_back(benchy_rate_column(name) ? "t/s" : name, cells[i]);
  }
  const auto test = test_name(f.get("test"));
  if (!test) return true;
  r.is_format("llama-benchy md");
  MeasuredRun run;
  run.model = shown(f.get("model"));
  tell_benchy(run);
  BenchyTest t;
  t.decode = test->output > 0 || test->context_output;
  if (test->context_output) {
    r.refuse(line, "how many tokens were generated is not told");
    return true;
  }
  if (test->context) {
    t.prompt = test->depth;
  } else {
    if (test->prompt > 0) r.benchy_prompt = test->prompt;
    t.prompt = t.decode ? r.benchy_prompt : test->prompt;  // of the row above
    t.depth = test->depth;
  }
  t.output = test->output;
  t.concurrency = test->concurrency;
  t.rate = f.number("t/s");
  t.prompt_seconds = f.number("est_ppt (ms)") * 1e-3;
  if (benchy_figure(r, run, t, r.here(line))) r.file.runs.push_back(std::move(run));
  return true;
}

bool read_benchy_json(Reading& r, const Json& row, const Outer& outer, JsonPlace& place) {
  if (row.find("pp_throughput") == nullptr || row.get("prompt_size") == nullptr) return false;
  r.is_format("llama-benchy json");
  MeasuredRun run;
  run.model = nearest_text(row, outer, "model");
  tell_benchy(run);
  BenchyTest t;
  const Json* context = row.get("is_context_prefill_phase");
  t.prompt = number_of(row, "prompt_size");
  t.depth = number_of(row, "context_size");
  if (context != nullptr && context->boolean) {
    t.prompt = t.depth;
    t.depth = 0;
  }
  t.concurrency = std::max(1.0, number_of(row, "concurrency"));
  for (const Json* o : outer) {
    const Json* caching = o->get("prefix_caching_enabled");
    if (caching != nullptr) t.cached = caching->boolean;
  }
  t.rate = benchy_mean(row, "pp_throughput");
  t.prompt_seconds = benchy_mean(row, "est_ppt") * 1e-3;
  const Json* values = row.get("pp_throughput");
  const Json* each = values != nullptr ? values->get("values") : nullptr;
  if (each != nullptr) run.repetitions = static_cast<double>(each->items.size());
  if (values != nullptr) benchy_figure(r, run, t, benchy_source(place, "pp_throughput", t.rate));
  t.decode = true;
  t.output = number_of(row, "response_size");
  t.rate = benchy_mean(row, "tg_throughput");
  if (row.get("tg_throughput") != nullptr && t.output > 0) {
    benchy_figure(r, run, t, benchy_source(place, "tg_throughput", t.rate));
  }
  if (!run.figures.empty()) r.file.runs.push_back(std::move(run));
  return true;
}

}  // namespace rooflens::local
