// SGLang's bench_one_batch: a static batch without a scheduler, both phases timed apart.
#include "rooflens/readers/server_formats.h"

namespace rooflens {

bool is_one_batch_json(const Json& object) {
  return has(object, {"prefill_throughput", "batch_size", "input_len"});
}

void read_one_batch_json(const JsonPart& part, ResultFile& file) {
  const Json& json = part.json;
  const double batch = number(&json, "batch_size"), input = number(&json, "input_len");
  const double output = number(&json, "output_len");
  MeasuredRun run;
  run.engine = "SGLang";
  run.model = word(&json, "model_path");
  const auto add = [&](MeasuredPhase phase, Figure figure, const char* key) {
    const Told t = told(part, key);
    if (!t.told) return;
    const bool whole = figure == Figure::request_s;
    Observation o{.phase = phase,
                  .figure = figure,
                  .counting = whole ? Counting::per_stream : Counting::aggregate,
                  .value = t.value};
    if (batch > 0) o.batch = batch;
    if (input > 0) o.prompt = input;
    if (output > 0) o.output = output;
    if (phase == MeasuredPhase::decode && input > 0) o.context = input + output / 2;
    o.source = t.source;
    add_figure(std::move(o), run, file);
  };
  add(MeasuredPhase::prefill, Figure::tokens_per_s, "prefill_throughput");
  if (output != 1) add(MeasuredPhase::decode, Figure::tokens_per_s, "median_decode_throughput");
  add(MeasuredPhase::mixed, Figure::request_s, "total_latency");
  if (!run.figures.empty()) add_run(std::move(run), file);
}

}  // namespace rooflens
