#include "cli/check_files.h"

#include <algorithm>

#include "cli/check_log.h"
#include "cli/check_results.h"
#include "cli/exit_code.h"
#include "cli/yaml_text.h"
#include "rooflens/core/ascii.h"
#include "rooflens/readers/results.h"
#include "rooflens/readers/startup_facts.h"

namespace rooflens::cli {
namespace {

struct Contents {
  std::vector<ReadLog> logs;
  std::vector<ReadResults> results;
};

// Reports in YAML are read as the JSON they could be.
Result<ResultFile> results_of(ResultReader& reader, const std::string& path, const Io& io) {
  auto found = reader.finish();
  const bool nothing = !found && found.error().code == ErrorCode::unsupported;
  if (!nothing || !is_yaml_report(reader.text())) return found;
  auto json = json_of_yaml(reader.text(), path, io);
  if (!json) return Failure(std::move(json.error()));
  return read_results(*json, path);
}

// Reads one file, once, as a start-up log and as results: a log may be both.
Result<void> read_file(const std::string& path, Context& c, Contents& out) {
  StartupReader startup;
  ResultReader figures(path);
  auto read = c.io.files->scan(path, [&](std::string_view piece) {
    startup.feed(piece);
    figures.feed(piece);
  });
  if (!read) return read;
  auto log = startup.finish(path);
  auto results = results_of(figures, path, c.io);
  const bool nothing = !results && results.error().code == ErrorCode::unsupported;
  if (!log && nothing) {
    return fail(ErrorCode::unsupported, "neither a start-up log nor results are found in the file",
                path, log.error().hint + "; as results, " + results.error().hint);
  }
  if (!log && !results) return Failure(std::move(results.error()));
  // A start-up log of any length may be without figures; other trouble with them is told.
  if (log && !results && !nothing && results.error().code != ErrorCode::out_of_range) {
    c.warn(path + ": its figures are not read: " + results.error().message);
  }
  if (log && results) tell_startup(*log, *results);
  if (log) out.logs.push_back({path, std::move(*log)});
  if (results) out.results.push_back({path, std::move(*results)});
  return {};
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
    if (auto r = read_file(path, c, found); !r) return complain(c.io, r.error());
  }
  if (found.results.empty()) return check_logs(o, std::move(found.logs), c);
  int code = kDone;
  if (!found.logs.empty()) {
    auto told = tell_logs(o, std::move(found.logs), false, c);
    if (!told) return complain(c.io, told.error());
    code = told->code;
    c.before = std::move(told->aside);
    if (c.format == Format::csv) {
      c.warn("the table is that of the figures; the start-up is in text, JSON and Markdown");
    }
  }
  return std::max(code, check_results(o, found.results, c));
}

}  // namespace rooflens::cli
