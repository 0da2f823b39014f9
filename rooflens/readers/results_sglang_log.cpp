// The lines SGLang's scheduler logs: one for each prefill batch, one for every 40 decode steps with
// the rate since the one before.
#include <array>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/engine_log.h"
#include "rooflens/readers/server_formats.h"
#include "rooflens/readers/words.h"

namespace rooflens {
namespace {

constexpr std::string_view kPrefill = "Prefill batch", kDecode = "Decode batch";
constexpr std::array kSglangMarks{kPrefill, kDecode};

// "DP1" of "[2025-01-02 03:04:05 DP1 TP0]"; other tensor ranks than the first say the same again.
bool sglang_rank(std::string_view text, std::string_view& name) {
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos) return true;
  std::string_view words = text.substr(open + 1);
  words = words.substr(0, words.find(']'));
  bool first = true;
  while (!words.empty()) {
    const std::string_view word = take(words, ' ');
    if (word.size() < 3 || !is_digit(word[2])) continue;
    if (word.substr(0, 2) == "DP") name = word;
    if (word.substr(0, 2) == "TP") first = word == "TP0";
  }
  return first || !name.empty();
}

class SglangLog final : public EngineLog {
 public:
  explicit SglangLog(std::string_view where) : where_(where) {}

  void line(std::string_view text, int at) override {
    EngineWindow w;
    const std::size_t decode = text.find(kDecode);
    if (decode == std::string_view::npos ? !contains(text, kPrefill) : false) return;
    if (!sglang_rank(text.substr(0, decode), w.engine)) return;
    Rank& rank = ranks_named(w.engine);
    if (decode == std::string_view::npos) {
      rank.prefilled = true;
      return;
    }
    const double rate = number_after(text, "gen throughput (token/s):");
    if (!(rate >= 0)) return;
    w.generation = rate;
    w.running = number_after(text, "#running-req:");
    double tokens = number_after(text, "#token:");
    if (!(tokens > 0)) tokens = number_after(text, "#full token:");
    if (tokens > 0 && w.running > 0) w.context = tokens / w.running;
    const double accepted = number_after(text, "accept len:");
    if (accepted > 0) w.accepted = accepted;
    // The first line counts from the start of the server.
    w.alone = rank.decoded && !rank.prefilled;
    rank.decoded = true;
    rank.prefilled = false;
    windows_.add(w, {std::string(where_), at, words_of(text.substr(decode))});
  }

  void finish(ResultFile& file) override { windows_.finish(file); }

 private:
  struct Rank {
    std::string name;
    bool decoded = false, prefilled = false;  // since its last decode line
  };
  Rank& ranks_named(std::string_view name) {
    for (Rank& r : ranks_) {
      if (r.name == name) return r;
    }
    if (ranks_.size() < 64) ranks_.push_back({std::string(name)});
    return ranks_.back();
  }

  std::string_view where_;
  std::vector<Rank> ranks_;
  EngineWindows windows_{"SGLang"};
};

}  // namespace

EngineLogFormat sglang_log_format() {
  return {"SGLang engine log", kSglangMarks,
          [](std::string_view where) -> std::unique_ptr<EngineLog> {
            return std::make_unique<SglangLog>(where);
          }};
}

void read_sglang_log(std::string_view text, std::string_view where, ResultFile& file) {
  read_engine_log(sglang_log_format(), text, where, file);
}

}  // namespace rooflens
