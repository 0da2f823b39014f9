// The lines vLLM's engine logs every 10 seconds: prompt and generation throughput over one clock.
#include <array>
#include <cmath>

#include "rooflens/readers/engine_log.h"
#include "rooflens/readers/server_formats.h"

namespace rooflens {
namespace {

constexpr std::string_view kWindow = "Avg prompt throughput:";
constexpr std::string_view kAccepted = "Mean acceptance length:";
constexpr std::array kVllmMarks{kWindow, kAccepted};

class VllmLog final : public EngineLog {
 public:
  explicit VllmLog(std::string_view where) : where_(where) {}

  void line(std::string_view text, int at) override {
    const std::size_t start = text.find(kWindow);
    if (start == std::string_view::npos) {
      windows_.speculates(number_after(text, kAccepted));
      return;
    }
    EngineWindow w;
    const std::size_t engine = text.find("Engine ");
    if (engine != std::string_view::npos) {
      const std::string_view rest = text.substr(engine + 7);
      w.engine = rest.substr(0, rest.find_first_not_of("0123456789"));
    }
    w.prompt = number_after(text, kWindow);
    w.generation = number_after(text, "Avg generation throughput:");
    if (std::isnan(w.prompt) || std::isnan(w.generation)) return;
    w.running = number_after(text, "Running:");
    w.alone = w.prompt == 0;
    const double hits = number_after(text, "refix cache hit rate:");
    if (hits > 0) w.hits = hits;
    const double used = number_after(text, "KV cache usage:");  // in percent
    if (used > 0) w.cache_share = used / 100;
    windows_.add(w, {std::string(where_), at, words_of(text.substr(start))});
  }

  void finish(ResultFile& file) override { windows_.finish(file); }

 private:
  std::string_view where_;
  EngineWindows windows_{"vLLM"};
};

}  // namespace

EngineLogFormat vllm_log_format() {
  return {"vLLM engine log", kVllmMarks, [](std::string_view where) -> std::unique_ptr<EngineLog> {
            return std::make_unique<VllmLog>(where);
          }};
}

void read_vllm_log(std::string_view text, std::string_view where, ResultFile& file) {
  read_engine_log(vllm_log_format(), text, where, file);
}

}  // namespace rooflens
