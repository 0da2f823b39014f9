// The readers of servers and their benchmarks that results_server.cpp joins: objects of JSON, and
// consoles line by line.
#pragma once

#include <string_view>

#include "rooflens/readers/server_json.h"

namespace rooflens {

// One object of JSON. `mark` is a key in quotes that its text cannot lack; `matches` looks at the
// object; `read` adds runs and refusals to the file.
struct ServerJson {
  const char* name;
  const char* mark;
  bool (*matches)(const Json& object);
  void (*read)(const JsonPart& part, ResultFile& file);
};
void read_serve_json(const JsonPart& part, ResultFile& file);  // vLLM, InferenceX, SGLang
[[nodiscard]] bool is_serve_json(const Json& object);
void read_inferencex_json(const JsonPart& part, ResultFile& file);
[[nodiscard]] bool is_inferencex_json(const Json& object);
void read_vllm_throughput_json(const JsonPart& part, ResultFile& file);
[[nodiscard]] bool is_vllm_throughput_json(const Json& object);
void read_vllm_latency_json(const JsonPart& part, ResultFile& file);
[[nodiscard]] bool is_vllm_latency_json(const Json& object);
void read_one_batch_json(const JsonPart& part, ResultFile& file);
[[nodiscard]] bool is_one_batch_json(const Json& object);
void read_one_batch_server_json(const JsonPart& part, ResultFile& file);
[[nodiscard]] bool is_one_batch_server_json(const Json& object);
void read_trtllm_json(const JsonPart& part, ResultFile& file);
[[nodiscard]] bool is_trtllm_json(const Json& object);
void read_genai_json(const JsonPart& part, ResultFile& file);  // genai-perf, AIPerf
[[nodiscard]] bool is_genai_json(const Json& object);
void read_profile_export_json(const JsonPart& part, ResultFile& file);  // genai-perf, raw
[[nodiscard]] bool is_profile_export_json(const Json& object);
void read_genai_bench_json(const JsonPart& part, ResultFile& file);
[[nodiscard]] bool is_genai_bench_json(const Json& object);
void read_guidellm_json(const JsonPart& part, ResultFile& file);
[[nodiscard]] bool is_guidellm_json(const Json& object);
void read_inference_perf_json(const JsonPart& part, ResultFile& file);
[[nodiscard]] bool is_inference_perf_json(const Json& object);
void read_llmd_json(const JsonPart& part, ResultFile& file);
[[nodiscard]] bool is_llmd_json(const Json& object);
void read_mlperf_system_json(const JsonPart& part, ResultFile& file);
[[nodiscard]] bool is_mlperf_system_json(const Json& object);

// What a console prints. `mark` is words that it cannot lack; `read` looks at every line of a text
// that may hold other things too.
struct ServerConsole {
  const char* name;
  const char* mark;
  void (*read)(std::string_view text, std::string_view where, ResultFile& file);
};
void read_serve_console(std::string_view text, std::string_view where, ResultFile& file);
void read_throughput_console(std::string_view text, std::string_view where, ResultFile& file);
void read_latency_console(std::string_view text, std::string_view where, ResultFile& file);
void read_vllm_log(std::string_view text, std::string_view where, ResultFile& file);
void read_sglang_log(std::string_view text, std::string_view where, ResultFile& file);
void read_trtllm_console(std::string_view text, std::string_view where, ResultFile& file);
void read_trtllm_legacy(std::string_view text, std::string_view where, ResultFile& file);
void read_genai_table(std::string_view text, std::string_view where, ResultFile& file);
void read_one_batch_console(std::string_view text, std::string_view where, ResultFile& file);
void read_genai_csv(std::string_view text, std::string_view where, ResultFile& file);
void read_guidellm_console(std::string_view text, std::string_view where, ResultFile& file);
void read_guidellm_csv(std::string_view text, std::string_view where, ResultFile& file);
void read_mlperf_summary(std::string_view text, std::string_view where, ResultFile& file);
void read_prometheus(std::string_view text, std::string_view where, ResultFile& file);

}  // namespace rooflens
