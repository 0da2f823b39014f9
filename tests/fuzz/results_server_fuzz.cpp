// Any bytes as a server's results: figures are positive and have a source, refusals a reason. The
// text is a long log as well, and its halves are two scrapes.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "rooflens/readers/results.h"
#include "rooflens/readers/results_prometheus.h"

namespace {

void look_at(const rooflens::ResultFile& file) {
  for (const rooflens::MeasuredRun& run : file.runs) {
    for (const rooflens::Observation& o : run.figures) {
      if (!std::isfinite(o.value) || o.value <= 0 || o.source.file != "f") std::abort();
    }
  }
  for (const rooflens::Unmeasured& u : file.refused) {
    if (u.why.empty()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = rooflens::read_results(text, "f");
  if (!file && file.error().message.empty()) std::abort();
  if (file) look_at(*file);
  // The same as a log too long to be kept, fed in pieces.
  rooflens::ResultReader pieces("f", 0);
  for (std::size_t i = 0; i < size; i += 61) pieces.feed(text.substr(i, 61));
  const auto lines = pieces.finish();
  if (!lines && lines.error().message.empty()) std::abort();
  if (lines) look_at(*lines);
  const auto between =
      rooflens::read_scrapes({text.substr(0, size / 2), 1}, {text.substr(size / 2), 3}, "f");
  if (!between && between.error().message.empty()) std::abort();
  if (between) look_at(*between);
  return 0;
}
