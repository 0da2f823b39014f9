#include <array>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/request_records.h"
#include "rooflens/readers/result_formats.h"
#include "rooflens/readers/server_formats.h"
#include "rooflens/readers/words.h"

namespace rooflens {
namespace {

constexpr std::array kServerJson{
    ServerJson{"serving benchmark JSON", "\"output_throughput\"", is_serve_json, read_serve_json},
    ServerJson{"InferenceX JSON", "\"tput_per_gpu\"", is_inferencex_json, read_inferencex_json},
    ServerJson{"vLLM bench throughput JSON", "\"tokens_per_second\"", is_vllm_throughput_json,
               read_vllm_throughput_json},
    ServerJson{"vLLM bench latency JSON", "\"avg_latency\"", is_vllm_latency_json,
               read_vllm_latency_json},
    ServerJson{"SGLang bench_one_batch jsonl", "\"prefill_throughput\"", is_one_batch_json,
               read_one_batch_json},
    ServerJson{"SGLang bench_one_batch_server jsonl", "\"output_len\"", is_one_batch_server_json,
               read_one_batch_server_json},
    ServerJson{"trtllm-bench report JSON", "\"performance\"", is_trtllm_json, read_trtllm_json},
    ServerJson{"genai-perf profile export", "\"response_timestamps\"", is_profile_export_json,
               read_profile_export_json},
    ServerJson{"genai-perf JSON", "\"request_latency\"", is_genai_json, read_genai_json},
    ServerJson{"genai-bench JSON", "\"aggregated_metrics\"", is_genai_bench_json,
               read_genai_bench_json},
    ServerJson{"guidellm JSON", "\"output_tokens_per_second\"", is_guidellm_json,
               read_guidellm_json},
    ServerJson{"inference-perf report", "\"successes\"", is_inference_perf_json,
               read_inference_perf_json},
    ServerJson{"llm-d benchmark report", "\"request_performance\"", is_llmd_json, read_llmd_json},
    ServerJson{"MLPerf system JSON", "\"accelerator_model_name\"", is_mlperf_system_json,
               read_mlperf_system_json},
};
constexpr std::array kServerConsoles{
    ServerConsole{"serving benchmark console", "Serving Benchmark Result", read_serve_console},
    ServerConsole{"vLLM bench throughput console", " requests/s, ", read_throughput_console},
    ServerConsole{"vLLM bench latency console", "Avg latency: ", read_latency_console},
    ServerConsole{"vLLM engine log", "Avg prompt throughput:", read_vllm_log},
    ServerConsole{"SGLang engine log", "gen throughput (token/s):", read_sglang_log},
    ServerConsole{"trtllm-bench console", " OVERVIEW", read_trtllm_console},
    ServerConsole{"TensorRT-LLM benchmark line", "[BENCHMARK] ", read_trtllm_legacy},
    ServerConsole{"MLPerf summary", "MLPerf Results Summary", read_mlperf_summary},
    ServerConsole{"genai-perf table", "| LLM Metrics", read_genai_table},
    ServerConsole{"genai-perf CSV", "Metric,avg,", read_genai_csv},
    ServerConsole{"SGLang bench_one_batch console", "Prefill. latency:", read_one_batch_console},
    ServerConsole{"guidellm console", "| ITL", read_guidellm_console},
    ServerConsole{"guidellm CSV", "Successful Requests per second mean", read_guidellm_csv},
    ServerConsole{"Prometheus metrics", ":prompt_tokens_total", read_prometheus},
};

// Names in the order they are met, each once.
void add_format_name(std::string_view name, std::string& names) {
  if (contains(names, name)) return;
  if (!names.empty()) names += ", ";
  names += name;
}

bool adds_results(const ResultFile& file, std::size_t runs, std::size_t refused) {
  return file.runs.size() + file.refused.size() > runs + refused;
}

// Begins with an object, or an array of objects: "[INFO]" does not.
bool opens_json(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  text = trim(text);
  while (!text.empty() && text.front() == '[') text = trim(text.substr(1));
  return !text.empty() && text.front() == '{';
}

bool has_json(std::string_view text) {
  if (!opens_json(text) && !contains(text, "\n{") && !contains(text, "\n[")) return false;
  if (contains(text, RequestRecords::kMark)) return true;
  for (const ServerJson& format : kServerJson) {
    if (contains(text, format.mark)) return true;
  }
  return false;
}

bool has_console(std::string_view text) {
  if (opens_json(text)) return false;  // texts that models wrote may hold anything
  for (const ServerConsole& console : kServerConsoles) {
    if (contains(text, console.mark)) return true;
  }
  return false;
}

bool recognises_server(std::string_view text) { return has_json(text) || has_console(text); }

Failure nothing_in(std::string_view where, const ResultFile& file) {
  return fail(ErrorCode::unsupported, "it looks like a server's results, but no figure is in it",
              std::string(where), file.notes.empty() ? "" : file.notes.front());
}

Result<ResultFile> read_server(std::string_view text, std::string_view where) {
  ResultFile file;
  if (has_json(text)) {
    RequestRecords records;
    for_each_object(text, where, file, [&](const JsonPart& part) {
      if (records.take(part)) return;
      for (const ServerJson& format : kServerJson) {
        if (!format.matches(part.json)) continue;
        format.read(part, file);
        add_format_name(format.name, file.format);
        return;
      }
    });
    if (records.finish(file)) add_format_name("AIPerf records", file.format);
  }
  if (has_console(text)) {
    for (const ServerConsole& console : kServerConsoles) {
      if (!contains(text, console.mark)) continue;
      const std::size_t runs = file.runs.size(), refused = file.refused.size();
      console.read(text, where, file);
      if (adds_results(file, runs, refused)) add_format_name(console.name, file.format);
    }
  }
  if (file.runs.empty() && file.refused.empty()) return nothing_in(where, file);
  return file;
}

constexpr std::array kServerFormats{
    ResultFormat{"server", "results of serving benchmarks", recognises_server, read_server},
};

}  // namespace

const ResultFormat* server_formats(std::size_t* count) {
  *count = kServerFormats.size();
  return kServerFormats.data();
}

}  // namespace rooflens
