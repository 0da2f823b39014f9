// Lines by which engines tell, while they serve, how fast they are. A log may be of any length: its
// readers see one line at a time and keep figures, not text.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflens/core/measured_run.h"
#include "rooflens/readers/server_facts.h"

namespace rooflens {

class EngineLog {
 public:
  EngineLog() = default;
  EngineLog(const EngineLog&) = delete;
  EngineLog& operator=(const EngineLog&) = delete;
  virtual ~EngineLog() = default;
  virtual void line(std::string_view text, int at) = 0;
  virtual void finish(ResultFile& file) = 0;  // adds what was found
};

// `where` is the name of the file; it and the marks outlive the log. A line without any of the
// marks says nothing to it.
struct EngineLogFormat {
  const char* name;
  std::span<const std::string_view> marks;
  std::unique_ptr<EngineLog> (*open)(std::string_view where);
};
[[nodiscard]] EngineLogFormat vllm_log_format();
[[nodiscard]] EngineLogFormat sglang_log_format();
[[nodiscard]] EngineLogFormat llama_log_format();

// The same of a text that is there as a whole.
void read_engine_log(const EngineLogFormat& format, std::string_view text, std::string_view where,
                     ResultFile& file);

// What an engine did between two of its lines.
struct EngineWindow {
  std::string_view engine;            // which of several; "" = it is alone
  double prompt = 0, generation = 0;  // tokens/s
  double running = -1, context = 0;   // requests; cached tokens of one, 0 = not told
  double cache_share = -1;            // of the cache in use, 0..1
  double hits = 0;                    // of the prefix cache, in percent
  double accepted = 0;                // tokens a pass, 0 = not told
  bool alone = false;                 // no prompt was computed within it
};

// The windows of all engines of a log, as one run each.
class EngineWindows {
 public:
  explicit EngineWindows(const char* engine) : engine_(engine) {}
  void add(const EngineWindow& w, Source source);
  void speculates(double tokens_per_pass);  // of the engine that told last
  void finish(ResultFile& file);

 private:
  struct Engine {
    std::string name;
    MeasuredRun run;
    double running = -1;  // at the end of the window before
    std::size_t left_out = 0;
  };
  Engine& named(std::string_view name);
  void add_decode(const EngineWindow& w, double before, Observation o, Engine& e);
  void keep(Observation o, Engine& e);

  const char* engine_;
  std::vector<Engine> engines_;
  std::size_t idle_ = 0, last_ = 0;
  Source idle_source_;
};

// The number after `mark`; NaN = there is none.
[[nodiscard]] double number_after(std::string_view line, std::string_view mark);

}  // namespace rooflens
