#include "cli/check_files.h"

#include "cli/check_log.h"
#include "cli/check_results.h"
#include "cli/exit_code.h"
#include "cli/yaml_text.h"
#include "rooflens/core/ascii.h"
#include "rooflens/readers/results.h"

namespace rooflens::cli {
namespace {

struct Contents {
  std::vector<ReadLog> logs;
  std::vector<ReadResults> results;
};

// Reads one file as a start-up log, and keeps its text, as far as a result file may be long, for
// when it is none.
Result<void> read_file(const std::string& path, const Io& io, Contents& out) {
  StartupReader reader;
  std::string text;
  bool too_long = false;  // for results; logs may be of any length
  auto read = io.files->scan(path, [&](std::string_view piece) {
    reader.feed(piece);
    too_long = too_long || text.size() + piece.size() > kResultBytes;
    if (too_long) {
      std::string().swap(text);
    } else {
      text.append(piece);
    }
  });
  if (!read) return read;
  auto log = reader.finish(path);
  if (log) {
    out.logs.push_back({path, std::move(*log)});
    return {};
  }
  if (too_long) {
    return fail(ErrorCode::out_of_range,
                "no start-up log, and longer than the " + std::to_string(kResultBytes >> 20) +
                    " MiB that results may have",
                path, "cut out the part that holds the results");
  }
  if (is_yaml_report(text)) {
    auto json = json_of_yaml(text, path, io);
    if (!json) return Failure(std::move(json.error()));
    text = std::move(*json);
  }
  auto results = read_results(text, path);
  if (results) {
    out.results.push_back({path, std::move(*results)});
    return {};
  }
  if (results.error().code != ErrorCode::unsupported) return Failure(std::move(results.error()));
  return fail(ErrorCode::unsupported, "neither a start-up log nor results are found in the file",
              path, log.error().hint + "; as results, " + results.error().hint);
}

}  // namespace

bool names_files(const Options& o, const Io& io) {
  if (!o.claims.empty() || o.words.empty()) return false;
  const std::string& first = o.words[0];
  if (first.ends_with(".gguf") || first.ends_with(".safetensors") ||
      first.ends_with("config.json") || first.ends_with("params.json")) {
    return false;
  }
  const FileKind kind = io.files->kind(first);
  return o.words.size() > 1 || kind == FileKind::file || kind == FileKind::other ||
         lower(first).find(".log") != std::string::npos;
}

int check_files(const Options& o, Context& c) {
  Contents found;
  for (const std::string& path : o.words) {
    if (auto r = read_file(path, c.io, found); !r) return complain(c.io, r.error());
  }
  if (!found.logs.empty() && !found.results.empty()) {
    return complain(c.io, {ErrorCode::invalid,
                           found.logs[0].file + " is a start-up log, " + found.results[0].file +
                               " holds results",
                           {},
                           "check the two kinds one after the other"});
  }
  return found.results.empty() ? check_logs(o, std::move(found.logs), c)
                               : check_results(o, found.results, c);
}

}  // namespace rooflens::cli
