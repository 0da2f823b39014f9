#include "rooflens/readers/results.h"

#include <string>

#include "rooflens/readers/result_formats.h"

namespace rooflens {
namespace {

// Every format there is, in the order they are tried.
template <class F>
bool for_each_format(F&& f) {
  for (const auto list : {local_formats, server_formats}) {
    std::size_t count = 0;
    const ResultFormat* formats = list(&count);
    for (std::size_t i = 0; i < count; ++i) {
      if (f(formats[i])) return true;
    }
  }
  return false;
}

}  // namespace

Result<ResultFile> read_results(std::string_view text, std::string_view where) {
  if (text.size() > kResultBytes) {
    return fail(ErrorCode::out_of_range,
                "a result file of more than " + std::to_string(kResultBytes >> 20) + " MiB",
                std::string(where), "cut out the part that holds the results");
  }
  Result<ResultFile> found = ResultFile{};
  std::string looked_for;
  const bool known = for_each_format([&](const ResultFormat& format) {
    looked_for += (looked_for.empty() ? "" : ", ") + std::string(format.looks_for);
    if (!format.recognises(text)) return false;
    found = format.read(text, where);
    // It had the words of the format and none of its figures: it may be another's.
    if (!found && found.error().code == ErrorCode::unsupported) return false;
    if (found && found->format.empty()) found->format = format.name;
    return true;
  });
  if (known) return found;
  return fail(ErrorCode::unsupported, "no measurements are found in the file", std::string(where),
              "looked for: " + (looked_for.empty() ? "nothing yet" : looked_for));
}

}  // namespace rooflens
