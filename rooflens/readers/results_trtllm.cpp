// TensorRT-LLM: the console and the report of trtllm-bench, and the line of the old benchmark.
#include <array>
#include <cmath>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/server_formats.h"
#include "rooflens/readers/words.h"

namespace rooflens {
namespace {

MeasuredRun trtllm_run() {
  MeasuredRun run;
  run.engine = "TensorRT-LLM";
  return run;
}

// Tokens of a request, from rates of tokens and of requests.
void lengths_from_rates(ServingFacts& f) {
  if (!f.request_rate.told || f.request_rate.value <= 0) return;
  if (f.output == 0 && f.output_rate.told) f.output = f.output_rate.value / f.request_rate.value;
  if (f.prompt == 0 && f.output_rate.told && f.total_rate.told &&
      f.total_rate.value > f.output_rate.value) {
    f.prompt = (f.total_rate.value - f.output_rate.value) / f.request_rate.value;
  }
}

struct OverviewRow {
  std::string_view label;
  Told ServingFacts::*told;
  double scale;
};
// Labels up to the first bracket: what follows it changed between versions.
constexpr std::array kOverviewRows{
    OverviewRow{"request throughput", &ServingFacts::request_rate, 1},
    OverviewRow{"total output throughput", &ServingFacts::output_rate, 1},
    OverviewRow{"total token throughput", &ServingFacts::total_rate, 1},
    OverviewRow{"average request latency", &ServingFacts::request_mean, kMilliseconds},
    OverviewRow{"average time-to-first-token", &ServingFacts::ttft_mean, kMilliseconds},
    OverviewRow{"average inter-token latency", &ServingFacts::tpot_mean, kMilliseconds},
    OverviewRow{"average time-per-output-token", &ServingFacts::tpot_mean, kMilliseconds},
};

// The last colon with a blank or a tab behind it.
std::size_t last_colon(std::string_view row) {
  std::size_t at = row.rfind(':');
  while (at != std::string_view::npos && at > 0 &&
         (at + 1 == row.size() || !is_blank(row[at + 1]))) {
    at = row.rfind(':', at - 1);
  }
  return at == 0 ? std::string_view::npos : at;
}

class Overview {
 public:
  Overview(std::string_view where, ResultFile& file) : where_(where), file_(file) {}

  void line(std::string_view text, int at) {
    const std::string_view row = trim(text);
    // `trtllm-bench latency` sends one request after the other, and parts its overview.
    const bool latency = contains(row, "GENERAL OVERVIEW");
    if (latency || contains(row, "PERFORMANCE OVERVIEW")) {
      close();
      open_ = true;
      if (latency) facts_.ceiling = 1;
      facts_.about = source(row, at);
      return;
    }
    const std::size_t colon = last_colon(row);
    if (colon == std::string_view::npos) return;
    const std::string label = lower(trim(row.substr(0, colon)));
    const double value = number_in(row.substr(colon + 1));
    if (!open_) {
      read_setting(label, row.substr(colon + 1), value);
      return;
    }
    const std::string_view name =
        trim(std::string_view(label).substr(0, label.find_first_of("([")));
    for (const OverviewRow& r : kOverviewRows) {
      if (r.label == name) facts_.*r.told = {true, value * r.scale, source(row, at)};
    }
    if (name == "per gpu output throughput") per_device_ = value;
    if (name == "average input length" && value > 0) facts_.prompt = value;
    if (name == "average output length" && value > 0) facts_.output = value;
    if (name == "number of requests") facts_.completed = value;
    if (name == "acceptance rate" && value > 1) run_.tokens_per_pass = value;
    if (label == "[tpot] p50") facts_.tpot_median = {true, value * kMilliseconds, source(row, at)};
    if (label == "[ttft] p50") facts_.ttft_median = {true, value * kMilliseconds, source(row, at)};
    if (label == "[latency] p50")
      facts_.request_median = {true, value * kMilliseconds, source(row, at)};
  }

  void close() {
    if (!open_) return;
    open_ = false;
    if (facts_.ceiling == 1) {  // its "total" counts output tokens alone
      facts_.output_rate = facts_.total_rate;
      facts_.total_rate = {};
    }
    lengths_from_rates(facts_);
    if (per_device_ > 0 && facts_.output_rate.told) {
      run_.devices = std::round(facts_.output_rate.value / per_device_);
    }
    if (!facts_.tpot_mean.told) {
      run_.notes.emplace_back("without streaming the phases cannot be told apart");
    }
    add_serving_run(facts_, std::move(run_), file_);
    facts_ = {};
    run_ = trtllm_run();
    per_device_ = 0;
  }

 private:
  // What stands above the overview: the engine's and the world's settings.
  void read_setting(std::string_view label, std::string_view words, double value) {
    if (label == "model") run_.model = words_of(words);
    if (label == "tensorrt-llm version" || label == "tensorrt llm version") {
      run_.build = words_of(words);
    }
    if (label == "kv cache dtype") run_.key_cache = run_.value_cache = words_of(words);
    if (label == "quantization") run_.quantisation = words_of(words);
    if (label == "tp size" && value > 0) run_.tensor = value;
    if (label == "pp size" && value > 0) run_.pipeline = value;
    if (label == "ep size" && value > 0) run_.expert = value;
  }

  [[nodiscard]] Source source(std::string_view row, int at) const {
    return {std::string(where_), at, words_of(row)};
  }

  std::string_view where_;
  ResultFile& file_;
  ServingFacts facts_;
  MeasuredRun run_ = trtllm_run();
  double per_device_ = 0;
  bool open_ = false;
};

// The value after a name in a line of names and values; "" = not there.
std::string_view legacy_value(std::string_view line, std::string_view name) {
  std::size_t at = line.find(name);
  if (at == std::string_view::npos) return {};
  line = trim(line.substr(at + name.size()));
  return line.substr(0, line.find(' '));
}

void add_legacy_line(std::string_view line, Source source, ResultFile& file) {
  const auto count = [&](std::string_view name) {
    const double value = number_in(legacy_value(line, name));
    return value > 0 ? value : 0;
  };
  MeasuredRun run = trtllm_run();
  run.model = legacy_value(line, " model_name ");
  run.quantisation = legacy_value(line, " precision ");
  run.devices = count(" world_size ");
  run.tensor = run.devices;
  Observation o;
  o.source = std::move(source);
  const double batch = count(" batch_size "), input = count(" input_length ");
  const double output = count(" output_length ");
  if (batch > 0) o.batch = batch;
  if (input > 0) o.prompt = input;
  if (output > 0) o.output = output;
  const auto add = [&](MeasuredPhase phase, Figure figure, Counting counting, double value) {
    Observation one = o;
    one.phase = phase;
    one.figure = figure;
    one.counting = counting;
    one.value = value;
    if (phase == MeasuredPhase::decode && counting == Counting::aggregate && input > 0) {
      one.context = input + output / 2;
    }
    add_figure(std::move(one), run, file);
  };
  const std::string_view decode = legacy_value(line, " generation_tokens_per_second ");
  if (!decode.empty()) {
    add(MeasuredPhase::decode, Figure::tokens_per_s, Counting::aggregate, number_in(decode));
  }
  add(MeasuredPhase::decode, Figure::tokens_per_s, Counting::same_wall, count(" tokens_per_sec "));
  add(MeasuredPhase::mixed, Figure::request_s, Counting::per_stream,
      count(" latency(ms) ") * kMilliseconds);
  add_trap("same_wall",
           "tokens_per_sec counts output tokens over prompt and output time: "
           "generation_tokens_per_second is the decode rate",
           run);
  if (!run.figures.empty()) add_run(std::move(run), file);
}

Told report_number(const JsonPart& part, const Json* section, std::string_view key,
                   double scale = 1) {
  return told_in(part, section, key, key, scale);
}

}  // namespace

void read_trtllm_console(std::string_view text, std::string_view where, ResultFile& file) {
  Overview overview(where, file);
  for_each_line(text, [&](std::string_view line, int at) {
    if (line.size() < 2000) overview.line(line, at);
  });
  overview.close();
}

void read_trtllm_legacy(std::string_view text, std::string_view where, ResultFile& file) {
  for_each_line(text, [&](std::string_view line, int at) {
    const std::size_t start = line.find("[BENCHMARK] ");
    if (start == std::string_view::npos || !contains(line, " tokens_per_sec ")) return;
    line = line.substr(start, 4000);
    add_legacy_line(line, {std::string(where), at, words_of(line)}, file);
  });
}

bool is_trtllm_json(const Json& object) {
  return has(object, {"performance", "request_info"}) || has(object, {"performance", "world_info"});
}

void read_trtllm_json(const JsonPart& part, ResultFile& file) {
  const Json* engine = part.json.get("engine");
  const Json* machine = part.json.get("machine");
  const Json* world = part.json.get("world_info");
  const Json* requests = part.json.get("request_info");
  const Json* performance = part.json.get("performance");
  const Json* streaming = part.json.get("streaming_metrics");
  const Json* decoding = part.json.get("decoding_stats");
  MeasuredRun run = trtllm_run();
  run.model = word(engine, "model");
  run.build = word(engine, "version");
  run.quantisation = word(engine, "quantization");
  if (run.quantisation.empty()) run.quantisation = word(engine, "dtype");
  run.key_cache = run.value_cache = word(engine, "kv_cache_dtype");
  run.device = word(machine, "name");
  run.tensor = number(world, "tp_size");
  run.pipeline = number(world, "pp_size");
  run.expert = number(world, "ep_size");
  run.devices = number(world, "world_size");
  ServingFacts f;
  f.about = source_of(part, "num_requests");
  f.completed = number(requests, "num_requests", -1);
  f.prompt = number(requests, "avg_input_length");
  f.output = number(requests, "avg_output_length");
  f.concurrency = number(requests, "avg_num_concurrent_requests");
  f.duration = number(performance, "total_latency_ms") * kMilliseconds;
  f.request_rate = report_number(part, performance, "request_throughput_req_s");
  f.output_rate = report_number(part, performance, "system_output_throughput_tok_s");
  f.total_rate = report_number(part, performance, "system_total_throughput_tok_s");
  f.request_mean = report_number(part, performance, "avg_request_latency_ms", kMilliseconds);
  f.request_median = told_in(
      part, performance != nullptr ? performance->get("request_latency_percentiles_ms") : nullptr,
      "request_latency_percentiles_ms", "p50", kMilliseconds);
  f.ttft_mean = report_number(part, streaming, "avg_ttft_ms", kMilliseconds);
  f.tpot_mean = report_number(part, streaming, "avg_tpot_ms", kMilliseconds);
  if (streaming != nullptr) {
    f.ttft_median =
        told_in(part, streaming->get("ttft_percentiles"), "ttft_percentiles", "p50", kMilliseconds);
    f.tpot_median =
        told_in(part, streaming->get("tpot_percentiles"), "tpot_percentiles", "p50", kMilliseconds);
  }
  const Json* dataset = part.json.get("dataset");
  if (dataset != nullptr) {
    const Json* asked = dataset->get("osl_stats");
    f.asked_output = number(asked, "average", number(dataset, "avg_osl"));
  }
  if (decoding != nullptr) {
    run.tokens_per_pass = number(decoding->get("acceptance_length_percentiles"), "average");
    run.drafts = number(decoding->get("num_draft_tokens_percentiles"), "average");
  }
  add_serving_run(f, std::move(run), file);
}

}  // namespace rooflens
