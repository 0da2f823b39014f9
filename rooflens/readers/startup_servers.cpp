// What vLLM and SGLang print when they start.
#include "rooflens/core/ascii.h"
#include "rooflens/readers/startup_lines.h"

namespace rooflens {
namespace {

bool has(std::string_view s, std::string_view mark) {
  return s.find(mark) != std::string_view::npos;
}

// "Loading took X GiB": the number behind `mark`.
bool amount(std::string_view text, std::string_view mark, const char* name, Startup& s,
            std::uint64_t line) {
  const std::string_view rest = after(text, mark);
  if (!found(rest)) return false;
  Printed p = printed_number(rest, name, line);
  if (!p.is_number()) return false;
  keep(s, std::move(p));
  return true;
}

void words_of(std::string_view text, std::initializer_list<const char*> names, Startup& s,
              std::uint64_t line) {
  for (const char* name : names) keep_word(s, name, setting_of(text, name), line);
}

}  // namespace

bool read_vllm_line(std::string_view text, Startup& s, std::uint64_t line) {
  if (has(text, "LLM engine (v") && has(text, "config:")) {
    std::string_view version = after(text, "LLM engine (v");
    s.version = version.substr(0, std::min(version.find(')'), std::size_t{40}));
    const std::string_view config = after(text, "config:");
    if (s.model.empty()) s.model = setting_of(config, "model").substr(0, 400);
    words_of(config,
             {"dtype", "max_seq_len", "tensor_parallel_size", "pipeline_parallel_size",
              "data_parallel_size", "quantization", "kv_cache_dtype", "block_size"},
             s, line);
    return true;
  }
  for (const char* mark :
       {"odel loading took ", "oading model weights took ", "model weights take "}) {
    if (amount(text, mark, "weights", s, line)) {
      amount(text, "reserved for KV Cache is ", "available", s, line);
      return true;
    }
  }
  if (amount(text, "reserved for KV Cache is ", "available", s, line)) return true;
  if (amount(text, "vailable KV cache memory: ", "available", s, line)) return true;
  if (amount(text, "GPU KV cache size: ", "tokens", s, line)) return true;
  if (const std::string_view rest = after(text, "aximum concurrency for "); found(rest)) {
    keep(s, printed_number(rest, "concurrency_tokens", line));
    amount(rest, "per request: ", "concurrency", s, line);
    return true;
  }
  if (amount(text, "GPU blocks: ", "gpu_blocks", s, line)) return true;
  if (amount(text, "ttention block size to ", "attention_block", s, line)) return true;
  if (amount(text, "adding mamba page size by ", "padding", s, line)) return true;
  if (const std::string_view rest = after(text, "max seq len ("); found(rest)) {
    keep(s, printed_number(rest, "needed_tokens", line));
    if (const std::string_view need = after(rest, "("); found(need)) {
      keep(s, printed_number(need, "needed", line));
    }
    amount(rest, "available KV cache memory (", "available", s, line);
    return true;
  }
  return false;
}

bool read_sglang_line(std::string_view text, Startup& s, std::uint64_t line) {
  if (has(text, "server_args=")) {
    std::string_view model = setting_of(text, "model_path");
    if (s.model.empty()) s.model = model.substr(0, 400);
    words_of(text,
             {"dtype", "tp_size", "pp_size", "dp_size", "quantization", "kv_cache_dtype",
              "context_length", "page_size", "enable_dp_attention"},
             s, line);
    return true;
  }
  if (has(text, "Load weight end")) {
    keep_word(s, "architecture", setting_of(text, "type"), line);
    words_of(text, {"dtype"}, s, line);
    return amount(text, "mem usage=", "weights", s, line);
  }
  if (has(text, "KV Cache is allocated")) {
    amount(text, "#tokens: ", "cache_tokens", s, line);
    if (!amount(text, "K size: ", "key_bytes", s, line))
      amount(text, "KV size: ", "cache_bytes", s, line);
    amount(text, "V size: ", "value_bytes", s, line);
    return true;
  }
  if (has(text, "max_total_num_tokens=")) {
    words_of(text, {"max_total_num_tokens", "max_running_requests", "context_len"}, s, line);
    return true;
  }
  return false;
}

}  // namespace rooflens
