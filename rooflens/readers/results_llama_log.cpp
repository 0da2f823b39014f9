// The log of llama-server, or of llama.cpp's console tools, line by line.
#include <array>

#include "rooflens/readers/engine_log.h"
#include "rooflens/readers/results_local.h"

namespace rooflens {
namespace {

constexpr std::array<std::string_view, 7> kLlamaMarks{
    "eval time",     "print_timing",     ": offloaded ", "memory_seq_rm [",
    "kv cache rm [", "draft acceptance", "build: "};

class LlamaLog final : public EngineLog {
 public:
  explicit LlamaLog(std::string_view where) { reading_.where = where; }

  void line(std::string_view text, int at) override {
    reading_.line = at;
    if (reading_.file.runs.size() >= kMostRuns) return;
    if (!local::read_perf_line(reading_, text)) local::read_bench_banner(reading_, text);
  }

  void finish(ResultFile& file) override { file = local::take_results(reading_); }

 private:
  local::Reading reading_;
};

}  // namespace

EngineLogFormat llama_log_format() {
  return {"llama.cpp log", kLlamaMarks, [](std::string_view where) -> std::unique_ptr<EngineLog> {
            return std::make_unique<LlamaLog>(where);
          }};
}

}  // namespace rooflens
