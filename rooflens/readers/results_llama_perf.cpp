// The timing lines of llama.cpp: of its console tools and of llama-server's log.
#include <algorithm>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/results_local.h"
#include "rooflens/readers/words.h"

namespace rooflens::local {
namespace {

constexpr std::size_t kMostSlots = 256;

struct PerfLine {
  bool prompt = false;
  double milliseconds = 0, tokens = 0, rate = 0;
};

// "prompt eval time =  293.06 ms /  14 tokens (  20.93 ms per token,  47.77 tokens per second)"
bool perf_line(std::string_view line, PerfLine& p) {
  const std::size_t at = line.find("eval time");
  if (at == std::string_view::npos) return false;
  const std::string_view before = trim(line.substr(0, at));
  constexpr std::string_view prompt = "prompt";
  p.prompt =
      before.size() >= prompt.size() && before.substr(before.size() - prompt.size()) == prompt;
  std::string_view rest = trim(line.substr(at + 9));
  if (rest.empty() || rest.front() != '=') return false;
  rest.remove_prefix(1);
  const auto time = number_at(rest);
  const std::string_view count = behind(rest, "ms /");
  const auto tokens = number_at(count);
  if (!time || !tokens) return false;
  p.milliseconds = *time;
  p.tokens = *tokens;
  const std::string_view brackets = behind(count, "(");
  if (contains(brackets, "tokens per second")) {
    p.rate = number_or_zero(behind(brackets, ","));
  } else if (p.milliseconds > 0) {
    p.rate = p.tokens / p.milliseconds * 1e3;
  }
  return true;
}

// The one whose log this is counts its first token; the console tools count the steps.
bool perf_console(std::string_view line) {
  return contains(line, "llama_print_timings:") || contains(line, "_perf_context_print:") ||
         contains(line, "common_perf_print:");
}

double* slot_cache(Reading& r, double slot) {
  for (auto& [id, cached] : r.cached_of_slot) {
    if (id == slot) return &cached;
  }
  if (r.cached_of_slot.size() >= kMostSlots) return nullptr;
  r.cached_of_slot.emplace_back(slot, -1);
  return &r.cached_of_slot.back().second;
}

double slot_number(std::string_view line) { return number_at(behind(line, " id ")).value_or(-1); }

// Where a slot's new prompt begins behind what its cache has.
bool perf_slot(Reading& r, std::string_view line) {
  const bool of_slot = contains(line, "slot ") && contains(line, " id ");
  if (of_slot && contains(line, "print_timing")) {
    r.slot = slot_number(line);
    return false;  // the timings may stand on the same line
  }
  std::string_view from = behind(line, "memory_seq_rm [");
  if (from.empty()) from = behind(line, "kv cache rm [");
  const auto kept = number_at(from);
  if (!of_slot || !kept) return false;
  double* cached = slot_cache(r, slot_number(line));
  if (cached != nullptr && *cached < 0) *cached = *kept;
  return true;
}

void begin_perf(Reading& r, bool console) {
  close_perf(r);
  r.perf.format = console ? "llama.cpp timings" : "llama-server log";
  MeasuredRun& run = r.perf.run;
  run.engine = "llama.cpp";
  run.build = r.build;
  run.offloaded_layers = r.offloaded;
  if (r.offloaded >= 0 && r.offloaded < r.layers) {
    trap(run, "partial_offload",
         number_text(r.offloaded) + " of " + number_text(r.layers) +
             " layers are on the GPU: the others are left to the CPU.");
  }
}

void keep_perf(Reading& r, const PerfLine& p, bool console, std::string_view line) {
  if (p.prompt || r.perf.output > 0 || r.perf.prompt <= 0) begin_perf(r, console);
  r.is_format(r.perf.format);
  if (!is_rate(p.rate) || p.milliseconds <= 0 || p.tokens < 1) {
    r.refuse(line, "the time is zero or the rate infinite: nothing was timed");
    return;
  }
  MeasuredRun& run = r.perf.run;
  Observation o;
  o.counting = console ? Counting::aggregate : Counting::per_stream;
  if (console) o.batch = 1;
  o.value = p.rate;
  o.source = r.here(line);
  if (p.prompt) {
    double* cached = console ? nullptr : slot_cache(r, r.slot);
    run.cached_prompt = cached != nullptr ? std::max(0.0, *cached) : 0;
    if (cached != nullptr) *cached = -1;
    if (run.cached_prompt > 0) {
      trap(run, "prefix_cache",
           number_text(run.cached_prompt) +
               " tokens of the prompt were in the cache: the rate counts those computed.");
    }
    r.perf.prompt = run.cached_prompt + p.tokens;
    o.phase = MeasuredPhase::prefill;
    o.prompt = r.perf.prompt;
    o.cached_prefix = run.cached_prompt;
  } else {
    if (!console && p.tokens < 2) {
      r.refuse(line, "one token, which the prompt's pass yields: no step was timed");
      return;
    }
    r.perf.output = p.tokens;
    o.phase = MeasuredPhase::decode;
    if (!console) o.value = corrected(run, p.rate, p.tokens, "llama-server");
    if (r.perf.prompt > 0) {
      o.prompt = r.perf.prompt;
      o.context = r.perf.prompt + p.tokens / 2;
    }
    o.output = p.tokens;
    note_short(run, p.tokens);
  }
  run.figures.push_back(std::move(o));
}

// "draft acceptance rate = 0.57576 (  171 accepted /   297 generated)"
bool perf_drafts(Reading& r, std::string_view line) {
  const std::string_view rest = behind(behind(line, "draft acceptance"), "(");
  const auto accepted = number_at(rest), drafted = number_at(behind(rest, "/"));
  if (!accepted || !drafted || !contains(rest, "generated")) return false;
  if (*drafted <= 0 || r.perf.output <= *accepted) return true;
  MeasuredRun& run = r.perf.run;
  run.drafts = *drafted;
  run.tokens_per_pass = r.perf.output / (r.perf.output - *accepted);
  trap(run, "speculative",
       "Drafts were accepted: one pass over the weights yields more than one token.");
  return true;
}

}  // namespace

bool read_perf_line(Reading& r, std::string_view line) {
  const std::string_view offloaded = behind(line, ": offloaded ");
  if (!offloaded.empty() && contains(offloaded, " layers to GPU")) {
    r.offloaded = number_at(offloaded).value_or(-1);
    r.layers = number_or_zero(behind(offloaded, "/"));
    return true;
  }
  if (perf_slot(r, line)) return true;
  if (contains(line, "draft acceptance")) return perf_drafts(r, line);
  PerfLine p;
  if (!perf_line(line, p)) return false;
  keep_perf(r, p, perf_console(line), line);
  return true;
}

void close_perf(Reading& r) {
  if (!r.perf.run.figures.empty()) r.file.runs.push_back(std::move(r.perf.run));
  r.perf = {};
}

}  // namespace rooflens::local
