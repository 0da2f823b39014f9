// Result files of benchmarks, engines and servers. Start here for their readers: every format is
// one file results_<format>.cpp and a line in the table of results_local.cpp, results_server.cpp
// or, for the lines of engines' logs, results_reader.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rooflens/core/measured_run.h"
#include "rooflens/core/result.h"
#include "rooflens/readers/engine_log.h"
#include "rooflens/readers/line_feed.h"

namespace rooflens {

inline constexpr std::size_t kResultBytes = std::size_t{32} << 20;  // largest text that is read

// Finds out the format by content, wherever in the text it begins (banners, prompts and other logs
// around it are passed over). Unknown keys are ignored. Errors: unsupported with what was looked
// for; malformed with line and column; out_of_range above the limits. Pure. O(size).
[[nodiscard]] Result<ResultFile> read_results(std::string_view text, std::string_view where);

// Reads a result file in pieces of any size. A text up to `keep` bytes is kept and read by
// read_results(); a longer one is a log, of which the lines of engines are read as they come and no
// text is kept. feed() of those costs about 1 ns a byte where nothing is found.
class ResultReader {
 public:
  explicit ResultReader(std::string where, std::size_t keep = kResultBytes);
  ResultReader(const ResultReader&) = delete;
  ResultReader& operator=(const ResultReader&) = delete;
  ~ResultReader() = default;

  void feed(std::string_view piece);

  // What was fed, as long as it is kept; empty for a longer text.
  [[nodiscard]] std::string_view text() const { return text_; }

  // What was found, once. Errors as of read_results(); out_of_range for a long text without lines
  // of engines.
  [[nodiscard]] Result<ResultFile> finish();

 private:
  struct Open {
    const char* name;
    std::unique_ptr<EngineLog> log;
  };
  void line(std::string_view text);
  void begin_lines();

  std::string where_, text_;
  std::size_t keep_;
  std::vector<Open> logs_;  // of a long text; empty before
  LineFeed lines_in_;
  int lines_ = 0;
};

}  // namespace rooflens
