#include "rooflens/readers/results.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "rooflens/readers/result_formats.h"

namespace rooflens {
namespace {

// Every format there is, in the order they are tried.
template <class F>
void for_each_format(F&& f) {
  for (const auto list : {local_formats, server_formats}) {
    std::size_t count = 0;
    const ResultFormat* formats = list(&count);
    for (std::size_t i = 0; i < count; ++i) f(formats[i]);
  }
}

// Adds what one family of formats found: a page may show results of several tools.
void append(ResultFile&& found, const char* name, ResultFile& all) {
  const std::string format = found.format.empty() ? name : std::move(found.format);
  if (!all.format.empty()) all.format += ", ";
  all.format += format;
  std::move(found.runs.begin(), found.runs.end(), std::back_inserter(all.runs));
  std::move(found.refused.begin(), found.refused.end(), std::back_inserter(all.refused));
  std::move(found.notes.begin(), found.notes.end(), std::back_inserter(all.notes));
}

}  // namespace

Result<ResultFile> read_results(std::string_view text, std::string_view where) {
  if (text.size() > kResultBytes) {
    return fail(ErrorCode::out_of_range,
                "a result file of more than " + std::to_string(kResultBytes >> 20) + " MiB",
                std::string(where), "cut out the part that holds the results");
  }
  ResultFile all;
  Error trouble;  // the first that is more than a format's words without its figures
  std::string looked_for;
  bool known = false;
  for_each_format([&](const ResultFormat& format) {
    if (!looked_for.empty()) looked_for += ", ";
    looked_for += format.looks_for;
    if (!format.recognises(text)) return;
    Result<ResultFile> found = format.read(text, where);
    if (found) {
      append(std::move(*found), format.name, all);
      known = true;
    } else if (found.error().code != ErrorCode::unsupported && trouble.message.empty()) {
      trouble = std::move(found.error());
    }
  });
  if (known) return all;
  if (!trouble.message.empty()) return Failure(std::move(trouble));
  return fail(ErrorCode::unsupported, "no measurements are found in the file", std::string(where),
              "looked for: " + (looked_for.empty() ? "nothing yet" : looked_for));
}

}  // namespace rooflens
