// A server's log of 200 MB with its start-up at the top and throughput windows among the lines of
// requests, read once for both.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <string>

#include "rooflens/readers/results.h"
#include "rooflens/readers/startup_log.h"

namespace {

using namespace rooflens;

constexpr std::size_t kBytes = 200000000, kPiece = std::size_t{1} << 18;  // as the disk is read

std::string start() {
  return "INFO Initializing a V1 LLM engine (v0.10.2) with config: model='Qwen/Qwen3-8B', dtype="
         "torch.bfloat16, max_seq_len=40960, tensor_parallel_size=1\n"
         "INFO Model loading took 15.2683 GiB and 4.2 seconds\n"
         "INFO Available KV cache memory: 55.10 GiB\nINFO GPU KV cache size: 401,232 tokens\n";
}

// About 256 kB: 1,500 lines of requests and one window.
std::string block() {
  std::string text;
  for (int i = 0; i < 1500; ++i) {
    text += "INFO:     10.0.0." + std::to_string(i % 250) + ":" + std::to_string(40000 + i) +
            " - \"POST /v1/chat/completions HTTP/1.1\" 200 OK request id=chatcmpl-" +
            std::to_string(i * 7919) +
            " prompt: 'tell me of rooflines and of memory' params: ...\n";
  }
  return text +
         "INFO Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: 160.0 "
         "tokens/s, Running: 8 reqs, Waiting: 0 reqs, GPU KV cache usage: 3.9%, Prefix cache hit "
         "rate: 0.0%\n";
}

void read_log(benchmark::State& state) {
  static const std::string first = start(), rest = block();
  std::size_t bytes = 0;
  for (auto _ : state) {
    StartupReader startup;
    ResultReader figures("log");
    bytes = 0;
    const auto feed = [&](std::string_view text) {
      for (std::size_t at = 0; at < text.size(); at += kPiece) {
        startup.feed(text.substr(at, kPiece));
        figures.feed(text.substr(at, kPiece));
      }
      bytes += text.size();
    };
    feed(first);
    while (bytes < kBytes) feed(rest);
    const auto log = startup.finish("log");
    const auto results = figures.finish();
    if (!log || !results || results->runs.empty()) state.SkipWithError("the log is not read");
    benchmark::DoNotOptimize(results);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(bytes));
  state.counters["log_MB"] = static_cast<double>(bytes) / 1e6;
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  state.counters["peak_MB"] = static_cast<double>(used.ru_maxrss) * 1024 / 1e6;
}
BENCHMARK(read_log)->Unit(benchmark::kMillisecond);

}  // namespace
