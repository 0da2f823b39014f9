// llama-batched-bench and sweep-bench: totals over B sequences, prompt and generation apart.
#include <algorithm>

#include "rooflens/readers/results_local.h"
#include "rooflens/readers/words.h"

namespace rooflens::local {
namespace {

struct BatchedRow {
  double prompt = 0, output = 0, batch = 1, cached = 0, prompt_rate = 0, rate = 0;
  bool shared = false;  // one prompt for all sequences
  bool sweep = false;   // after `cached` tokens
};

void keep_batched(Reading& r, MeasuredRun run, const BatchedRow& row, Source prompt_source,
                  Source source) {
  run.engine = "llama.cpp";
  if (run.build.empty()) run.build = r.build;
  if (row.prompt > 0 && is_rate(row.prompt_rate)) {
    Observation o;
    o.phase = MeasuredPhase::prefill;
    o.counting = Counting::aggregate;
    o.value = row.prompt_rate;
    o.batch = row.shared ? 1 : row.batch;
    o.prompts_together = o.batch;
    o.prompt = row.cached + row.prompt;
    o.cached_prefix = row.cached;
    o.source = std::move(prompt_source);
    run.figures.push_back(std::move(o));
  } else if (row.prompt > 0) {
    r.refuse(prompt_source, "the prompt's rate is no positive number");
  }
  if (row.output > 0 && is_rate(row.rate)) {
    Observation o;
    o.phase = MeasuredPhase::decode;
    o.counting = Counting::aggregate;
    o.value = row.rate;
    o.batch = row.batch;
    o.output = row.output;
    // sweep-bench generates at the depth, before the prompt of the same size is read there
    o.context = (row.sweep ? row.cached : row.prompt) + row.output / 2;
    o.source = std::move(source);
    run.figures.push_back(std::move(o));
    note_short(run, row.output);
  } else if (row.output > 0) {
    r.refuse(source, "the generation's rate is no positive number");
  }
  if (row.shared) {
    trap(run, "shared_prompt", "One prompt is read for all sequences: its rate is of one.");
  }
  if (!run.figures.empty()) r.file.runs.push_back(std::move(run));
}

bool batched_shared(double prompt, double output, double batch, double cache) {
  return batch > 1 && prompt > 0 && cache == prompt + batch * output;
}

}  // namespace

bool read_batched_table(Reading& r, const std::vector<std::string_view>& cells,
                        std::string_view line) {
  const auto has = [&](std::string_view name) {
    return std::find(cells.begin(), cells.end(), name) != cells.end();
  };
  if (has("PP") && has("TG") && has("S_PP t/s") && has("S_TG t/s")) {
    r.columns.kind = Columns::Kind::batched;
    r.columns.names.assign(cells.begin(), cells.end());
    return true;
  }
  if (r.columns.kind != Columns::Kind::batched || r.columns.names.size() != cells.size()) {
    return false;
  }
  Fields f;
  f.all.reserve(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) f.all.emplace_back(r.columns.names[i], cells[i]);
  BatchedRow row;
  row.prompt = f.number("PP");
  row.output = f.number("TG");
  row.sweep = f.get("B").empty();
  row.prompt_rate = f.number("S_PP t/s");
  row.rate = f.number("S_TG t/s");
  if (row.sweep) {
    row.cached = f.number("N_KV");
  } else {
    row.batch = std::max(1.0, f.number("B"));
    row.shared = batched_shared(row.prompt, row.output, row.batch, f.number("N_KV"));
  }
  r.is_format(row.sweep ? "sweep-bench md" : "llama-batched-bench md");
  keep_batched(r, {}, row, r.here(line), r.here(line));
  return true;
}

bool read_batched_json(Reading& r, const Json& row, const Outer& /*outer*/, JsonPlace& place) {
  if (row.get("pp") == nullptr || row.get("tg") == nullptr || row.find("speed_tg") == nullptr) {
    return false;
  }
  BatchedRow b;
  b.prompt = number_of(row, "pp");
  b.output = number_of(row, "tg");
  b.sweep = row.get("pl") == nullptr;
  b.prompt_rate = number_of(row, "speed_pp");
  b.rate = number_of(row, "speed_tg");
  if (b.sweep) {
    b.cached = number_of(row, "n_kv");
  } else {
    b.batch = std::max(1.0, number_of(row, "pl"));
    b.shared = batched_shared(b.prompt, b.output, b.batch, number_of(row, "n_kv"));
  }
  r.is_format(b.sweep ? "sweep-bench jsonl" : "llama-batched-bench jsonl");
  MeasuredRun run;
  const Json* layers = row.get("n_gpu_layers");
  if (layers != nullptr && layers->is(Json::Kind::number) && layers->number >= 0) {
    run.offloaded_layers = layers->number;
  }
  Source prompt_source = place.source("speed_pp"), source = place.source("speed_tg");
  prompt_source.file = source.file = r.where;
  keep_batched(r, std::move(run), b, std::move(prompt_source), std::move(source));
  return true;
}

}  // namespace rooflens::local
