// What a verb works with: the world, the way of output the user chose, and a place for warnings.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/io.h"
#include "cli/options.h"
#include "rooflens/catalogue/catalogue.h"
#include "rooflens/render/json_writer.h"
#include "rooflens/render/report.h"

namespace rooflens::cli {

enum class Format { text, json, csv, markdown };

// An answer of its own that is printed before the one the command ends with: of a file that is both
// a start-up log and results.
struct Aside {
  Report report;
  std::function<void(JsonWriter&)> members;  // of "results" in JSON
};

struct Context {
  Io& io;
  Format format = Format::text;
  TextOptions text;  // width, colour, ascii of the output
  bool quiet = false;
  std::string output;  // a path; empty = standard output
  std::vector<std::string> warnings;
  std::unique_ptr<Catalogue> catalogue;  // with --devices
  std::optional<Aside> before;

  // A thing the reader should know; once each.
  void warn(std::string message);
};

// Reads the output options. Fails on an unknown format, a bad width, or a file that cannot be
// written.
[[nodiscard]] Result<Context> make_context(const Options& o, Io& io);

// Prints `error: what`, where and hint on standard error; returns kUsage.
int complain(Io& io, const Error& e);

// The result in the chosen form, behind what the context has before it (JSON: `results` writes its
// members; CSV: the answer's own table alone), to the chosen place, warnings to standard error.
// `inputs` and
// `results` write one JSON value each; `table` names the table that CSV shows (empty = every
// value).
struct Output {
  const Report* report = nullptr;
  std::string picture;  // shown under the report as text
  std::string table;
  std::function<void(JsonWriter&)> inputs, results;
};
[[nodiscard]] int print(const Output& output, Context& c, int code);

// Text as it is, to the chosen place.
[[nodiscard]] int print_text(std::string_view text, Context& c, int code);

// {"name", "version", "commit"}
void tool_json(JsonWriter& out);

// The built-in tables, or those with --devices added, which the context keeps.
[[nodiscard]] Result<const Catalogue*> catalogue_of(const Options& o, Context& c);

}  // namespace rooflens::cli
