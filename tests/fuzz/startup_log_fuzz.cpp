// Any bytes as a start-up log, whole and in pieces: the same is read, and whatever model it gives
// is held against it or refused.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "rooflens/check/startup.h"
#include "rooflens/readers/startup_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto log = rooflens::read_startup_log(text, "log");
  rooflens::StartupReader pieces;
  for (std::size_t i = 0; i < size; i += 61) pieces.feed(text.substr(i, 61));
  const auto again = pieces.finish("log");
  if (log.has_value() != again.has_value()) std::abort();
  if (!log) {
    if (log.error().message.empty()) std::abort();
    return 0;
  }
  if (log->startup.lines != again->startup.lines ||
      log->startup.fields.size() != again->startup.fields.size()) {
    std::abort();
  }
  const auto model = rooflens::startup_model(*log, "log");
  if (!model && model.error().message.empty()) std::abort();
  for (const rooflens::StartupRow& r :
       rooflens::check_startup(log->startup, model ? &*model : nullptr)) {
    if (r.what.empty() || rooflens::written_like(r.log, r.predicted).empty()) std::abort();
  }
  return 0;
}
