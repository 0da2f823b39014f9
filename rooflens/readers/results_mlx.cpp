// mlx_lm: the lines of generate and of benchmark.
#include "rooflens/core/ascii.h"
#include "rooflens/readers/results_local.h"
#include "rooflens/readers/words.h"

namespace rooflens::local {
namespace {

// Prompt and generation of one request, or of a batch of them.
void keep_mlx(Reading& r, bool prompt, double tokens, double rate, double batch,
              const Source& source) {
  if (!is_rate(rate) || tokens < (prompt ? 1 : 2)) {
    r.refuse(source,
             tokens < (prompt ? 1 : 2) ? "no step was timed" : "the rate is no positive number");
    return;
  }
  MeasuredRun& run = r.perf.run;
  run.engine = "mlx_lm";
  Observation o;
  o.phase = prompt ? MeasuredPhase::prefill : MeasuredPhase::decode;
  o.counting = Counting::aggregate;
  o.batch = batch;
  o.value = prompt || batch > 1 ? rate : corrected(run, rate, tokens, "mlx_lm");
  o.source = source;
  if (prompt) {
    r.perf.prompt = tokens;
    o.prompt = tokens;
    o.prompts_together = batch;
  } else {
    o.output = tokens;
    if (r.perf.prompt > 0) {
      o.prompt = r.perf.prompt;
      o.context = r.perf.prompt + tokens / 2;
    }
    note_short(run, tokens);
  }
  run.figures.push_back(std::move(o));
}

bool mlx_benchmark_line(Reading& r, std::string_view text) {
  MlxLines& m = r.mlx;
  if (contains(text, "Timing with prompt_tokens=")) {
    m = {};
    m.prompt = number_or_zero(behind(text, "prompt_tokens="));
    m.output = number_or_zero(behind(text, "generation_tokens="));
    const auto batch = number_at(behind(text, "batch_size="));
    if (batch && *batch >= 1) m.batch = *batch;
    return true;
  }
  if (!contains(text, "generation_tps=")) return false;
  if (text.substr(0, 6) == "Trial ") {
    ++m.trials;
    return true;
  }
  if (text.substr(0, 9) != "Averages:") return false;
  r.is_format("mlx_lm benchmark");
  close_perf(r);
  const Source source = r.here(text);
  keep_mlx(r, true, m.prompt, number_or_zero(behind(text, "prompt_tps=")), m.batch, source);
  keep_mlx(r, false, m.output, number_or_zero(behind(text, "generation_tps=")), m.batch, source);
  r.perf.run.repetitions = m.trials;
  close_perf(r);
  return true;
}

}  // namespace

bool read_mlx_line(Reading& r, std::string_view line) {
  const std::string_view text = trim(line);
  if (mlx_benchmark_line(r, text)) return true;
  const bool prompt = text.substr(0, 8) == "Prompt: ";
  if (!prompt && text.substr(0, 12) != "Generation: ") return false;
  if (!contains(text, "tokens-per-sec")) return false;
  const std::string_view values = behind(text, ": ");
  r.is_format("mlx_lm");
  if (prompt) close_perf(r);
  keep_mlx(r, prompt, number_or_zero(values), number_or_zero(behind(values, ", ")), 1,
           r.here(line));
  if (!prompt) close_perf(r);
  return true;
}

}  // namespace rooflens::local
