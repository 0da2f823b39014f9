#include "rooflens/readers/engine_log.h"

#include <cmath>

#include "rooflens/core/ascii.h"

namespace rooflens {
namespace {

constexpr double kSteadyChange = 0.1;  // change of the running requests over a clean window
constexpr std::size_t kMostEngines = 64;

void add_speculation(double accepted, MeasuredRun& run) {
  run.tokens_per_pass = accepted;
  add_trap("speculative", "speculation: a pass yields " + rounded(accepted) + " tokens on average",
           run);
}

}  // namespace

double number_after(std::string_view line, std::string_view mark) {
  const std::size_t at = line.find(mark);
  if (at == std::string_view::npos) return std::nan("");
  const std::string_view rest = trim(line.substr(at + mark.size()));
  return number_in(rest.substr(0, rest.find_first_not_of("0123456789.e+-")));
}

void read_engine_log(const EngineLogFormat& format, std::string_view text, std::string_view where,
                     ResultFile& file) {
  const std::unique_ptr<EngineLog> log = format.open(where);
  for_each_line(text, [&](std::string_view line, int at) { log->line(line, at); });
  log->finish(file);
}

EngineWindows::Engine& EngineWindows::named(std::string_view name) {
  for (last_ = 0; last_ < engines_.size(); ++last_) {
    if (engines_[last_].name == name) return engines_[last_];
  }
  if (engines_.size() < kMostEngines) {
    engines_.push_back({std::string(name), {}, -1, 0});
    engines_.back().run.engine = engine_;
  }
  last_ = engines_.size() - 1;
  return engines_[last_];
}

// As many figures as a run may have; the rest is counted, and told at the end.
void EngineWindows::keep(Observation o, Engine& e) {
  if (!std::isfinite(o.value) || o.value <= 0) return;
  if (e.run.figures.size() < kMostFigures) {
    e.run.figures.push_back(std::move(o));
  } else {
    ++e.left_out;
  }
}

void EngineWindows::add_decode(const EngineWindow& w, double before, Observation o, Engine& e) {
  o.phase = MeasuredPhase::decode;
  o.value = w.generation;
  if (w.alone) {
    o.counting = Counting::aggregate;
    if (before > 0 && w.running > 0 && std::fabs(w.running - before) > kSteadyChange * before) {
      o.batch = (w.running + before) / 2;
      add_trap("unsteady",
               "the running requests changed over a window without prompts: their mean is taken "
               "for its batch",
               e.run);
    }
  }
  keep(std::move(o), e);
}

void EngineWindows::add(const EngineWindow& w, Source source) {
  Engine& e = named(w.engine);
  const double before = e.running;
  e.running = w.running;
  if (w.prompt == 0 && w.generation == 0) {
    if (idle_++ == 0) idle_source_ = std::move(source);
    return;
  }
  if (w.accepted > 1) add_speculation(w.accepted, e.run);
  Observation o{.figure = Figure::tokens_per_s, .counting = Counting::same_wall};
  if (w.running > 0) o.batch = w.running;
  if (w.context > 0) o.context = w.context;
  if (w.cache_share > 0) o.cache_share = w.cache_share;
  if (w.prompt > 0 && w.generation > 0) o.output_per_prompt = w.generation / w.prompt;
  o.source = std::move(source);
  if (w.generation > 0) add_decode(w, before, o, e);
  if (w.alone) return;
  if (w.prompt > 0) {
    o.phase = MeasuredPhase::prefill;
    o.value = w.prompt;
    keep(std::move(o), e);
  }
  add_trap("same_wall",
           "prompt and generation throughput share one clock: only windows without prompt tokens "
           "show a phase's speed",
           e.run);
  if (w.hits >= 1) {
    add_trap("prefix_cache",
             "prefix cache hit rate of " + rounded(w.hits) +
                 "%: prompt tokens are counted that were not computed",
             e.run);
  }
}

void EngineWindows::speculates(double tokens_per_pass) {
  if (tokens_per_pass > 1 && last_ < engines_.size()) {
    add_speculation(tokens_per_pass, engines_[last_].run);
  }
}

void EngineWindows::finish(ResultFile& file) {
  const std::size_t runs = file.runs.size();
  for (Engine& e : engines_) {
    if (engines_.size() > 1) e.run.notes.push_back("engine " + e.name);
    if (e.left_out > 0) {
      e.run.notes.push_back("the first " + std::to_string(kMostFigures) +
                            " figures are kept of the log, " + std::to_string(e.left_out) +
                            " are left out: cut out the part that matters");
    }
    if (!e.run.figures.empty()) add_run(std::move(e.run), file);
  }
  if (idle_ > 0 && file.runs.size() == runs) {
    add_refusal({idle_source_.line, idle_source_.text, "every window of the log is idle"}, file);
  }
}

}  // namespace rooflens
