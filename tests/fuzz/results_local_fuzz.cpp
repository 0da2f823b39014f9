// Any bytes as a result file: what is read is positive, finite and says where it stood, or the text
// is refused with a reason.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "rooflens/readers/result_formats.h"

namespace {

void must(bool holds) {
  if (!holds) std::abort();
}

void look_at(const rooflens::ResultFile& file) {
  must(file.runs.empty() || !file.format.empty());
  for (const rooflens::MeasuredRun& run : file.runs) {
    must(!run.figures.empty() && run.notes.size() >= run.traps.size());
    for (const rooflens::Observation& o : run.figures) {
      must(std::isfinite(o.value) && o.value > 0 && o.source.line >= 1);
      must(!o.prompt || !o.cached_prefix || *o.cached_prefix <= *o.prompt);
    }
  }
  for (const rooflens::Unmeasured& u : file.refused) must(!u.why.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::size_t count = 0;
  const rooflens::ResultFormat* formats = rooflens::local_formats(&count);
  for (std::size_t i = 0; i < count; ++i) (void)formats[i].recognises(text);
  if (count == 0) return 0;
  const auto file = formats->read(text, "file");  // whether it is recognised or not
  if (file) {
    look_at(*file);
  } else {
    must(!file.error().message.empty());
  }
  return 0;
}
