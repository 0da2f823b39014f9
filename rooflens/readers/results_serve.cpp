// The JSON of serving benchmarks: `vllm bench serve` and its sweeps, its kin that tells seconds,
// and the lines SGLang's bench_serving appends.
#include <algorithm>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/server_formats.h"

namespace rooflens {
namespace {

// <stat>_<name>_ms in milliseconds, or <stat>_<name> in seconds.
Told serve_time(const JsonPart& part, const char* stat, const char* name) {
  std::string key = stat;
  key += '_';
  key += name;
  std::string in_ms = key;
  in_ms += "_ms";
  const Told t = told(part, in_ms, kMilliseconds);
  return t.told ? t : told(part, key);
}

// The first of two names there is.
Told serve_time(const JsonPart& part, const char* stat, const char* name, const char* other) {
  const Told t = serve_time(part, stat, name);
  return t.told ? t : serve_time(part, stat, other);
}

std::string serve_engine(const Json& json) {
  const std::string backend = word(&json, "backend"), kind = word(&json, "endpoint_type");
  if (backend.substr(0, 4) == "vllm" || kind.substr(0, 4) == "vllm") return "vLLM";
  if (backend.substr(0, 6) == "sglang" || json.find("sharegpt_output_len") != nullptr) {
    return "SGLang";
  }
  return backend.substr(0, 6) == "openai" || backend.empty() ? "" : backend;
}

// Tokens a request of SGLang's random data is meant to make: uniform from ratio x length to length.
double sglang_asked(const Json& json) {
  const double length = number(&json, "random_output_len");
  if (word(&json, "dataset_name") != "random" || length <= 0) return 0;
  return length * (1 + std::clamp(number(&json, "random_range_ratio", 1), 0.0, 1.0)) / 2;
}

// What newer lines of SGLang tell of the server's arguments.
void read_server_info(const Json* info, MeasuredRun& run) {
  if (info == nullptr) return;
  run.build = word(info, "version");
  if (run.model.empty()) run.model = word(info, "model_path");
  run.quantisation = word(info, "quantization");
  const std::string cache = word(info, "kv_cache_dtype");
  if (cache != "auto") run.key_cache = run.value_cache = cache;
  run.tensor = number(info, "tp_size");
  run.pipeline = number(info, "pp_size");
  run.expert = number(info, "ep_size");
  run.data = number(info, "dp_size");
}

void note_lengths(const Json& json, MeasuredRun& run) {
  const double ratio = number(&json, "random_range_ratio", 1);
  if (word(&json, "dataset_name") != "random" || ratio >= 1) return;
  run.notes.push_back("lengths are spread from " + rounded(ratio) +
                      " of the requested to all of it: the actual averages are taken");
}

}  // namespace

bool is_serve_json(const Json& object) {
  return has(object, {"completed", "duration", "output_throughput"}) ||
         has(object, {"completed", "duration", "total_input_tokens"});
}

void read_serve_json(const JsonPart& part, ResultFile& file) {
  const Json& json = part.json;
  ServingFacts f;
  f.about = source_of(part, "completed");
  f.completed = number(&json, "completed");
  f.failed = number(&json, "failed");
  f.duration = number(&json, "duration");
  f.input_tokens = number(&json, "total_input_tokens");
  f.output_tokens = number(&json, "total_output_tokens");
  f.ceiling = number(&json, "max_concurrency");
  f.concurrency = number(&json, "concurrency");
  f.asked_output = sglang_asked(json);
  f.request_rate = told(part, "request_throughput");
  f.output_rate = told(part, "output_throughput");
  f.input_rate = told(part, "input_throughput");
  f.total_rate = told_any(part, {"total_token_throughput", "total_throughput"});
  f.ttft_mean = serve_time(part, "mean", "ttft");
  f.ttft_median = serve_time(part, "median", "ttft");
  f.tpot_mean = serve_time(part, "mean", "tpot");
  f.tpot_median = serve_time(part, "median", "tpot");
  f.itl_mean = serve_time(part, "mean", "itl");
  f.itl_median = serve_time(part, "median", "itl");
  f.request_mean = serve_time(part, "mean", "e2el", "e2e_latency");
  f.request_median = serve_time(part, "median", "e2el", "e2e_latency");
  MeasuredRun run;
  run.engine = serve_engine(json);
  run.model = word(&json, "model_id");
  run.tokens_per_pass =
      number(&json, "accept_length", number(&json, "spec_decode_acceptance_length"));
  run.drafts = number(&json, "spec_decode_num_drafts");
  read_server_info(json.get("server_info"), run);
  note_lengths(json, run);
  add_serving_run(f, std::move(run), file);
}

bool is_inferencex_json(const Json& object) {
  return has(object, {"tput_per_gpu", "conc"}) && !has(object, {"completed"});
}

void read_inferencex_json(const JsonPart& part, ResultFile& file) {
  const Json& json = part.json;
  MeasuredRun run;
  run.engine = word(&json, "framework");
  run.build = word(&json, "image");
  run.model = word(&json, "model");
  run.quantisation = word(&json, "precision");
  run.device = word(&json, "hw");
  run.tensor = number(&json, "tp");
  run.pipeline = number(&json, "pp");
  run.expert = number(&json, "ep");
  const Json* disagg = json.get("disagg");
  const Json* nodes = json.get("is_multinode");
  const bool apart = disagg != nullptr && (disagg->boolean || same_letters(disagg->string, "true"));
  const bool many = nodes != nullptr && (nodes->boolean || same_letters(nodes->string, "true"));
  if (!apart && !many) run.devices = run.tensor * std::max(run.pipeline, 1.0);
  ServingFacts f;
  f.about = source_of(part, "conc");
  f.prompt = number(&json, "isl");
  f.output = number(&json, "osl");
  f.ceiling = number(&json, "conc");
  f.ttft_mean = serve_time(part, "mean", "ttft");
  f.ttft_median = serve_time(part, "median", "ttft");
  f.tpot_mean = serve_time(part, "mean", "tpot");
  f.tpot_median = serve_time(part, "median", "tpot");
  f.itl_median = serve_time(part, "median", "itl");
  f.request_mean = serve_time(part, "mean", "e2el");
  f.request_median = serve_time(part, "median", "e2el");
  const double scale = run.devices > 0 ? run.devices : 1;
  f.total_rate = told(part, "tput_per_gpu", scale);
  f.output_rate = told(part, "output_tput_per_gpu", scale);
  f.input_rate = told(part, "input_tput_per_gpu", scale);
  f.per_device = run.devices == 0;
  if (f.per_device) {
    run.notes.emplace_back("rates are per device: how many there were the file does not say");
  } else {
    run.notes.push_back("rates per device are taken times " + rounded(run.devices) + " devices");
    if (f.output_rate.told && f.output > 0) f.requests_per_s = f.output_rate.value / f.output;
  }
  const std::string speculation = word(&json, "spec_decoding");
  if (!speculation.empty() && !same_letters(speculation, "none")) {
    add_trap("speculative", "speculation: " + speculation, run);
  }
  add_serving_run(f, std::move(run), file);
}

}  // namespace rooflens
