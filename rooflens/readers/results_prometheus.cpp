#include "rooflens/readers/results_prometheus.h"

#include <algorithm>
#include <vector>

#include "rooflens/readers/prometheus_text.h"
#include "rooflens/readers/server_formats.h"

namespace rooflens {
namespace {

// Differences of two scrapes as figures.
class BetweenScrapes {
 public:
  BetweenScrapes(const Metrics& before, const Metrics& after, std::string_view where,
                 ResultFile& file)
      : before_(before), after_(after), where_(where), file_(file) {
    seconds_ = before.at > 0 && after.at > 0 ? after.at - before.at : 0;
    run_.model = after.model;
    if (after.cache != "auto") run_.key_cache = run_.value_cache = after.cache;
  }

  [[nodiscard]] double of(std::string_view name) const { return after_[name] - before_[name]; }
  [[nodiscard]] double ratio(std::string_view a, std::string_view b) const {
    return of(b) > 0 ? of(a) / of(b) : 0;
  }
  [[nodiscard]] bool has(std::string_view name) const { return after_.has(name); }
  // The first of two names that is there.
  [[nodiscard]] std::string_view either(std::string_view a, std::string_view b) const {
    return has(a) || !has(b) ? a : b;
  }

  void add(Observation o, std::string_view name) {
    if (!(o.value > 0)) return;
    const auto found = after_.sums.find(name);
    o.source.file = where_;
    if (found != after_.sums.end()) {
      o.source.line = found->second.line;
      o.source.text = words_of(found->second.text);
    }
    if (prompt_ > 0) o.prompt = prompt_;
    if (output_ > 0) o.output = output_;
    o.preemptions = std::max(of("num_preemptions_total"), 0.0);
    add_figure(std::move(o), run_, file_);
  }

  void server();
  void llama();
  void finish() {
    if (!run_.figures.empty()) add_run(std::move(run_), file_);
  }

 private:
  void rates();
  void times();
  void hardware();
  void speculation();
  [[nodiscard]] double computed() const;

  const Metrics& before_;
  const Metrics& after_;
  std::string_view where_;
  ResultFile& file_;
  MeasuredRun run_;
  double seconds_ = 0, prompt_ = 0, output_ = 0;
};

// Prompt tokens that were not taken from a cache.
double BetweenScrapes::computed() const {
  if (has("prompt_tokens_by_source_total/local_compute")) {
    return of("prompt_tokens_by_source_total/local_compute");
  }
  const double all = of("prompt_tokens_total");
  for (const char* name :
       {"prompt_tokens_cached_total", "cached_tokens_total", "prefix_cache_hits_total"}) {
    if (has(name)) return std::max(all - of(name), 0.0);
  }
  return all;
}

void BetweenScrapes::rates() {
  const double made = of("generation_tokens_total"), prompts = computed();
  const double cached = of("prompt_tokens_total") - prompts;
  if (cached > 0.01 * of("prompt_tokens_total")) {
    add_trap("prefix_cache",
             rounded(cached) + " of " + rounded(of("prompt_tokens_total")) +
                 " prompt tokens came from a cache; only the computed ones are counted",
             run_);
  }
  if (seconds_ <= 0) {
    run_.notes.emplace_back("without the time between the scrapes there are no rates");
    return;
  }
  const bool alone = of("prompt_tokens_total") == 0;
  Observation o{.phase = MeasuredPhase::decode,
                .figure = Figure::tokens_per_s,
                .counting = alone ? Counting::aggregate : Counting::same_wall,
                .value = made / seconds_};
  const std::string_view step =
      either("inter_token_latency_seconds_sum", "time_per_output_token_seconds_sum");
  if (of(step) > 0) o.batch = std::max(of(step) / seconds_, 1.0);
  add(o, "generation_tokens_total");
  if (alone) return;
  o.phase = MeasuredPhase::prefill;
  o.value = prompts / seconds_;
  o.batch.reset();
  add(o, "prompt_tokens_total");
  if (made > 0) {
    add_trap("same_wall",
             "prompt and output tokens are counted over one clock: neither rate is the speed of "
             "its phase",
             run_);
  }
}

void BetweenScrapes::times() {
  const std::string_view sum =
      either("inter_token_latency_seconds_sum", "time_per_output_token_seconds_sum");
  const std::string_view count =
      either("inter_token_latency_seconds_count", "time_per_output_token_seconds_count");
  Observation step{.phase = MeasuredPhase::decode,
                   .figure = Figure::time_per_token_s,
                   .counting = Counting::per_stream,
                   .value = ratio(sum, count)};
  if (seconds_ > 0 && of(sum) > 0) step.batch = std::max(of(sum) / seconds_, 1.0);
  if (prompt_ > 0 && output_ > 0) step.context = prompt_ + output_ / 2;
  add(step, sum);
  add({.phase = MeasuredPhase::prefill,
       .figure = Figure::tokens_per_s,
       .counting = Counting::per_stream,
       .value =
           ratio("request_prefill_kv_computed_tokens_sum", "request_prefill_time_seconds_sum")},
      "request_prefill_time_seconds_sum");
  const double first =
      ratio("time_to_first_token_seconds_sum", "time_to_first_token_seconds_count");
  add({.phase = MeasuredPhase::prefill,
       .figure = Figure::time_to_first_token_s,
       .counting = Counting::per_stream,
       .value = first,
       .waits = true},
      "time_to_first_token_seconds_sum");
  if (first > 0) {
    add_trap("queueing",
             "the time to the first token holds the wait for other requests: no prefill rate "
             "follows from it",
             run_);
  }
}

void BetweenScrapes::hardware() {
  if (seconds_ <= 0) return;
  const double bytes =
      of("estimated_read_bytes_per_gpu_total") + of("estimated_write_bytes_per_gpu_total");
  add({.phase = MeasuredPhase::mixed,
       .figure = Figure::flops_per_s,
       .counting = Counting::per_device,
       .value = of("estimated_flops_per_gpu_total") / seconds_},
      "estimated_flops_per_gpu_total");
  add({.phase = MeasuredPhase::mixed,
       .figure = Figure::bytes_per_s,
       .counting = Counting::per_device,
       .value = bytes / seconds_},
      "estimated_read_bytes_per_gpu_total");
}

void BetweenScrapes::speculation() {
  const double drafts = of("spec_decode_num_drafts_total");
  if (drafts <= 0) return;
  run_.tokens_per_pass = 1 + of("spec_decode_num_accepted_tokens_total") / drafts;
  run_.drafts = of("spec_decode_num_draft_tokens_total") / drafts;
  add_trap("speculative",
           "speculation: a pass yields " + rounded(run_.tokens_per_pass) + " tokens on average",
           run_);
}

void BetweenScrapes::server() {
  run_.engine = has("num_requests_running") ? "vLLM" : "SGLang";
  prompt_ = ratio("request_prompt_tokens_sum", "request_prompt_tokens_count");
  output_ = ratio("request_generation_tokens_sum", "request_generation_tokens_count");
  rates();
  times();
  hardware();
  speculation();
  if (of("num_preemptions_total") > 0) {
    add_trap("preempted",
             rounded(of("num_preemptions_total")) +
                 " times a sequence was put out of the cache and read again",
             run_);
  }
}

void BetweenScrapes::llama() {
  run_.engine = "llama.cpp";
  add({.phase = MeasuredPhase::prefill,
       .figure = Figure::tokens_per_s,
       .counting = Counting::per_stream,
       .value = ratio("prompt_tokens_total", "prompt_seconds_total")},
      "prompt_tokens_total");
  add({.phase = MeasuredPhase::decode,
       .figure = Figure::tokens_per_s,
       .counting = Counting::per_stream,
       .value = ratio("tokens_predicted_total", "tokens_predicted_seconds_total")},
      "tokens_predicted_total");
}

// Whether a counter fell: the server was started anew, or the scrapes are swapped.
std::string_view fallen_counter(const Metrics& before, const Metrics& after) {
  for (const char* name : {"prompt_tokens_total", "generation_tokens_total",
                           "tokens_predicted_total", "inter_token_latency_seconds_sum"}) {
    if (after[name] < before[name]) return name;
  }
  return {};
}

void compare_scrapes(const Metrics& before, const Metrics& after, std::string_view where,
                     ResultFile& file) {
  const auto refuse = [&](std::string_view name, const char* why) {
    const auto found = after.sums.find(name);
    const bool there = found != after.sums.end();
    add_refusal({there ? found->second.line : 0, words_of(there ? found->second.text : name), why},
                file);
  };
  const std::string_view down = fallen_counter(before, after);
  if (!down.empty()) {
    return refuse(down, "counters fell between the scrapes: the server was started anew");
  }
  if (before.at > 0 && after.at > 0 && after.at <= before.at) {
    return refuse("generation_tokens_total", "the scrapes are of one time, or in the wrong order");
  }
  BetweenScrapes between(before, after, where, file);
  const bool llama = after.has("tokens_predicted_total");
  if (llama) {
    between.llama();
  } else {
    between.server();
  }
  const std::size_t runs = file.runs.size();
  between.finish();
  if (file.runs.size() == runs) {
    refuse(llama ? "tokens_predicted_total" : "generation_tokens_total",
           "nothing was counted between the scrapes");
  }
}

}  // namespace

void read_prometheus(std::string_view text, std::string_view where, ResultFile& file) {
  const std::vector<Metrics> all = scrapes_of(text);
  if (all.empty()) return;
  if (all.size() == 1) {
    const bool llama = all.front().has("tokens_predicted_total");
    const auto found = all.front().sums.find(
        std::string_view(llama ? "tokens_predicted_total" : "generation_tokens_total"));
    if (found == all.front().sums.end()) return;
    add_refusal({found->second.line, words_of(found->second.text),
                 "one scrape: counters since the start are no rate. Take two while the "
                 "server is busy, with "
                 "their times, into one file: for i in 1 2; do date +%s.%N; curl -s "
                 "localhost:8000/metrics; "
                 "sleep 30; done > scrapes.txt"},
                file);
    return;
  }
  for (std::size_t i = 1; i < all.size(); ++i) compare_scrapes(all[i - 1], all[i], where, file);
}

Result<ResultFile> read_scrapes(const Scrape& before, const Scrape& after, std::string_view where) {
  std::vector<Metrics> first = scrapes_of(before.text), second = scrapes_of(after.text);
  if (first.empty() || second.empty()) {
    return fail(ErrorCode::malformed, "a scrape has no counter of vLLM, SGLang or llama-server",
                std::string(where), "save what the server's /metrics answers");
  }
  if (before.at > 0) first.back().at = before.at;
  if (after.at > 0) second.front().at = after.at;
  ResultFile file;
  file.format = "Prometheus metrics, two scrapes";
  compare_scrapes(first.back(), second.front(), where, file);
  if (file.runs.empty() && !file.refused.empty()) {
    return fail(ErrorCode::invalid, file.refused.front().why, std::string(where));
  }
  return file;
}

}  // namespace rooflens
