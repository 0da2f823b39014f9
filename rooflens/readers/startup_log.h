// Start-up logs of inference engines: llama.cpp and ik_llama.cpp, vLLM, SGLang. Fed piece by piece,
// lines may stand anywhere between others and behind any prefix. docs/cli.md, check.
#pragma once

#include <string>
#include <string_view>

#include "rooflens/core/result.h"
#include "rooflens/core/startup.h"
#include "rooflens/readers/gguf_header.h"
#include "rooflens/readers/line_feed.h"

namespace rooflens {

struct StartupLog {
  Startup startup;
  GgufHeader keys;              // of the file that llama.cpp loaded: keys alone, and no tensors
  bool tensors_listed = false;  // the log lists every tensor ...
  bool head_listed = false;     // ... and an output.weight is among them
};

// Reads a log in pieces of any size. Of a line its first LineFeed::kLongestLine bytes are looked
// at. What is kept is bounded whatever is fed. feed() costs about 1 ns a byte where nothing is
// found.
class StartupReader {
 public:
  void feed(std::string_view piece);

  // What was found. Error: unsupported when no line of any engine was, naming what was looked for.
  // The reader is empty afterwards.
  [[nodiscard]] Result<StartupLog> finish(std::string_view where);

 private:
  void line(std::string_view text);

  StartupLog log_, before_;  // before_: the same file was loaded again
  LineFeed lines_in_;
  bool ignoring_ = false;  // another model was loaded after the first
  CacheKind next_cache_ = CacheKind::all;
  std::uint64_t lines_ = 0;
};

// A whole log at once.
[[nodiscard]] Result<StartupLog> read_startup_log(std::string_view text, std::string_view where);

}  // namespace rooflens
