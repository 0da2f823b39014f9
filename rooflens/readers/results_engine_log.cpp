// The lines vLLM's engine logs every 10 seconds: prompt and generation throughput over one clock.
#include <cmath>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/server_formats.h"
#include "rooflens/readers/words.h"

namespace rooflens {
namespace {

constexpr double kSteadyChange = 0.1;  // change of the running requests over a clean window

struct EngineWindow {
  std::string_view engine;
  double prompt = 0, generation = 0, running = -1, hits = 0;
};

// The number after `mark`; NaN = there is none.
double number_after(std::string_view line, std::string_view mark) {
  const std::size_t at = line.find(mark);
  if (at == std::string_view::npos) return std::nan("");
  std::string_view rest = trim(line.substr(at + mark.size()));
  return number_in(rest.substr(0, rest.find_first_not_of("0123456789.e+-")));
}

EngineWindow engine_window(std::string_view line) {
  EngineWindow w;
  const std::size_t engine = line.find("Engine ");
  if (engine != std::string_view::npos) {
    const std::string_view rest = line.substr(engine + 7);
    w.engine = rest.substr(0, rest.find_first_not_of("0123456789"));
  }
  w.prompt = number_after(line, "Avg prompt throughput:");
  w.generation = number_after(line, "Avg generation throughput:");
  w.running = number_after(line, "Running:");
  const double hits = number_after(line, "refix cache hit rate:");
  if (hits > 0) w.hits = hits;
  return w;
}

// The windows of one engine.
struct EngineRun {
  std::string engine;
  MeasuredRun run;
  double running = -1;  // at the end of the window before
};

void add_engine_window(const EngineWindow& w, Source source, EngineRun& engine, ResultFile& file) {
  MeasuredRun& run = engine.run;
  const double before = engine.running;
  engine.running = w.running;
  Observation o{.figure = Figure::tokens_per_s, .counting = Counting::same_wall};
  if (w.running > 0) o.batch = w.running;
  o.source = std::move(source);
  if (w.prompt == 0 && w.generation > 0) {
    o.phase = MeasuredPhase::decode;
    o.counting = Counting::aggregate;
    o.value = w.generation;
    if (before > 0 && std::fabs(w.running - before) > kSteadyChange * before) {
      o.batch = (w.running + before) / 2;
      add_trap("unsteady",
               "the running requests changed over a window without prompts: their mean is taken "
               "for its batch",
               run);
    }
    add_figure(std::move(o), run, file);
    return;
  }
  if (w.generation > 0) {
    o.phase = MeasuredPhase::decode;
    o.value = w.generation;
    add_figure(o, run, file);
  }
  if (w.prompt > 0) {
    o.phase = MeasuredPhase::prefill;
    o.value = w.prompt;
    add_figure(std::move(o), run, file);
  }
  add_trap("same_wall",
           "prompt and generation throughput share one clock: only windows without prompt tokens "
           "show a phase's speed",
           run);
  if (w.hits >= 1) {
    add_trap("prefix_cache",
             "prefix cache hit rate of " + rounded(w.hits) +
                 "%: prompt tokens are counted that were not computed",
             run);
  }
}

EngineRun& engine_named(std::string_view name, std::vector<EngineRun>& engines) {
  for (EngineRun& e : engines) {
    if (e.engine == name) return e;
  }
  if (engines.size() < 64) {
    engines.push_back({std::string(name), {}, -1});
    engines.back().run.engine = "vLLM";
  }
  return engines.back();
}

}  // namespace

void read_engine_log(std::string_view text, std::string_view where, ResultFile& file) {
  std::vector<EngineRun> engines;
  std::size_t idle = 0;
  for_each_line(text, [&](std::string_view line, int at) {
    const std::size_t start = line.find("Avg prompt throughput:");
    if (start == std::string_view::npos) {
      const double accepted = number_after(line.substr(0, 2000), "Mean acceptance length:");
      if (accepted > 1 && !engines.empty()) {
        MeasuredRun& run = engines.back().run;
        run.tokens_per_pass = accepted;
        add_trap("speculative",
                 "speculation: a pass yields " + rounded(accepted) + " tokens on average", run);
      }
      return;
    }
    const EngineWindow w = engine_window(line);
    if (std::isnan(w.prompt) || std::isnan(w.generation)) return;
    EngineRun& engine = engine_named(w.engine, engines);
    if (w.prompt == 0 && w.generation == 0) {
      ++idle;
      engine.running = w.running;
      return;
    }
    add_engine_window(w, {std::string(where), at, words_of(line.substr(start))}, engine, file);
  });
  for (EngineRun& engine : engines) {
    if (engines.size() > 1) engine.run.notes.push_back("engine " + engine.engine);
    if (!engine.run.figures.empty()) add_run(std::move(engine.run), file);
  }
  if (idle > 0 && file.runs.empty()) {
    add_refusal({0, "Avg prompt throughput: 0.0", "every window of the log is idle"}, file);
  }
}

}  // namespace rooflens
