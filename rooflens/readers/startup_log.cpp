#include "rooflens/readers/startup_log.h"

#include <algorithm>
#include <array>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/startup_lines.h"

namespace rooflens {
namespace {

constexpr std::size_t kMostProblems = 8;

struct Mark {
  std::string_view text;
  Engine engine;  // none: any of them
};
// A line that holds none of these is not looked at.
constexpr std::array kMarks{
    Mark{"llama_", Engine::llama_cpp},
    Mark{"llm_load_", Engine::llama_cpp},
    Mark{"print_info:", Engine::llama_cpp},
    Mark{"load_tensors:", Engine::llama_cpp},
    Mark{"KV self size", Engine::llama_cpp},
    Mark{"LLM engine (v", Engine::vllm},
    Mark{"odel loading took ", Engine::vllm},
    Mark{"oading model weights took ", Engine::vllm},
    Mark{"model weights take ", Engine::vllm},
    Mark{"vailable KV cache memory", Engine::vllm},
    Mark{"reserved for KV Cache is", Engine::vllm},
    Mark{"GPU KV cache size: ", Engine::vllm},
    Mark{"aximum concurrency for ", Engine::vllm},
    Mark{"GPU blocks: ", Engine::vllm},
    Mark{"ttention block size to ", Engine::vllm},
    Mark{"adding mamba page size by ", Engine::vllm},
    Mark{"o serve at least one request", Engine::vllm},
    Mark{"server_args=", Engine::sglang},
    Mark{"Load weight end", Engine::sglang},
    Mark{"KV Cache is allocated", Engine::sglang},
    Mark{"max_total_num_tokens=", Engine::sglang},
    Mark{"out of memory", Engine::none},
    Mark{"failed to allocate", Engine::none},
    Mark{"larger than the available KV cache memory", Engine::none},
};

const Mark* mark_in(std::string_view line) {
  static const auto words = [] {
    std::array<std::string_view, kMarks.size()> all;
    std::transform(kMarks.begin(), kMarks.end(), all.begin(), [](const Mark& m) { return m.text; });
    return all;
  }();
  static const LineMarks marks(words);
  const std::size_t first = marks.first_in(line);
  return first == LineMarks::kNone ? nullptr : &kMarks[first];
}

// Without the escape sequences of colours.
std::string plain_text(std::string_view s) {
  std::string out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '\x1b' && i + 1 < s.size() && s[i + 1] == '[') {
      i += 2;
      while (i < s.size() && (s[i] < '@' || s[i] > '~')) ++i;
    } else {
      out += s[i] == '\0' ? ' ' : s[i];
    }
  }
  return out;
}

void note_problem(std::string_view text, std::uint64_t line, Startup& s) {
  if (s.problems.size() >= kMostProblems) return;
  Printed p;
  p.name = "problem";
  p.text = trim(text).substr(0, 300);
  p.line = line;
  s.problems.push_back(std::move(p));
}

bool names_problem(std::string_view text) {
  for (const Mark& m : kMarks) {
    if (m.engine == Engine::none && text.find(m.text) != std::string_view::npos) return true;
  }
  return false;
}

// The file of a "loaded meta data" line; "" = another line.
std::string_view loaded_file(std::string_view text) {
  if (text.find("loaded meta data with") == std::string_view::npos) return {};
  std::string_view path = after(text, "tensors from ");
  return path.substr(0, path.find(" (version"));
}

bool told_much(const Startup& s) { return s.find("params") != nullptr || !s.caches.empty(); }

}  // namespace

void StartupReader::line(std::string_view text) {
  ++lines_;
  const Mark* mark = mark_in(text);
  if (mark == nullptr) return;
  std::string clean;
  if (text.find('\x1b') != std::string_view::npos || text.find('\0') != std::string_view::npos) {
    clean = plain_text(text);
    text = clean;
  }
  Startup& s = log_.startup;
  const std::string_view file = loaded_file(text);
  if (!file.empty() && s.loads > 0) {
    s.loads += 1;
    if (s.model != file) {
      ignoring_ = true;  // a draft model, or the next of a series
      s.others = true;
    } else {
      const double loads = s.loads;
      const bool others = s.others;
      if (told_much(s)) before_ = std::move(log_);
      log_ = StartupLog();
      log_.startup.loads = loads;
      log_.startup.others = others;
      log_.startup.engine = Engine::llama_cpp;
      ignoring_ = false;
    }
  } else if (!file.empty()) {
    s.loads = 1;
  }
  if (mark->engine == Engine::none || names_problem(text)) note_problem(text, lines_, log_.startup);
  bool said = false;
  if (mark->engine == Engine::llama_cpp) {
    if (!ignoring_) said = LlamaLine{log_, next_cache_, lines_}.read(text);
  } else if (mark->engine == Engine::sglang) {
    said = read_sglang_line(text, log_.startup, lines_);
  } else {
    said = read_vllm_line(text, log_.startup, lines_);
  }
  const Engine engine = mark->engine == Engine::none ? Engine::vllm : mark->engine;
  if (said && log_.startup.engine == Engine::none) log_.startup.engine = engine;
}

void StartupReader::feed(std::string_view piece) {
  lines_in_.feed(piece, [this](std::string_view text) { line(text); });
}

Result<StartupLog> StartupReader::finish(std::string_view where) {
  lines_in_.finish([this](std::string_view text) { line(text); });
  StartupLog out = told_much(log_.startup) || before_.startup.engine == Engine::none
                       ? std::move(log_)
                       : std::move(before_);
  out.startup.lines = lines_;
  *this = StartupReader();
  if (out.startup.engine != Engine::none) return out;
  return fail(ErrorCode::unsupported,
              "no start-up log: none of its " + std::to_string(out.startup.lines) +
                  " lines is one of an engine's start",
              std::string(where),
              "looked for llama.cpp (\"llama_model_loader: - kv\", \"print_info:\", \"KV self "
              "size\"), vLLM (\"Initializing a V1 LLM engine\", \"GPU KV cache size:\") and SGLang "
              "(\"server_args=\", \"KV Cache is allocated\")");
}

Result<StartupLog> read_startup_log(std::string_view text, std::string_view where) {
  StartupReader reader;
  reader.feed(text);
  return reader.finish(where);
}

}  // namespace rooflens
