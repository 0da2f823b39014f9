#include "cli/context.h"

#include <algorithm>
#include <cerrno>

#include "cli/exit_code.h"
#include "cli/plot_options.h"
#include "cli/version.h"
#include "rooflens/core/ascii.h"
#include "rooflens/core/quantity.h"
#include "rooflens/render/text.h"

namespace rooflens::cli {
namespace {

constexpr std::size_t kMostTable = std::size_t{16} << 20;

bool wants_color(const Io& io, bool to_terminal, std::string_view when) {
  if (when == "always") return true;
  if (when == "never") return false;
  if (!variable(io, "NO_COLOR").empty()) return false;
  const std::string force = variable(io, "CLICOLOR_FORCE");
  if (!force.empty() && force != "0") return true;
  return to_terminal && variable(io, "TERM") != "dumb";
}

// The locale in force for characters, as POSIX finds it.
bool speaks_utf8(const Io& io) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = lower(variable(io, name));
    if (value.empty()) continue;
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

Result<Format> format_of(const Options& o) {
  if (o.format) {
    const std::string& f = o.format->text;
    if (o.json && f != "json") {
      return fail(ErrorCode::invalid, "--json and --format " + f + " contradict each other",
                  "--format", "give one of them");
    }
    if (f == "text") return Format::text;
    if (f == "json") return Format::json;
    if (f == "csv") return Format::csv;
    if (f == "md" || f == "markdown") return Format::markdown;
    return fail(ErrorCode::invalid, rooflens::quoted(f) + " is no output format", "--format",
                "text, json, csv or md");
  }
  if (o.json) return Format::json;
  const std::string_view path = o.output ? std::string_view(o.output->text) : "";
  if (path.ends_with(".json")) return Format::json;
  if (path.ends_with(".csv")) return Format::csv;
  return path.ends_with(".md") ? Format::markdown : Format::text;
}

Result<void> writable(Io& io, const Given& path) {
  auto r = io.files->can_write(path.text);
  if (!r && r.error().hint.empty()) r.error().hint = "give another file with " + path.option;
  return r;
}

void say_warnings(Context& c) {
  if (c.quiet) return;
  for (const std::string& w : c.warnings) {
    c.io.err << "rooflens: note: " << clean(w, c.text.ascii) << '\n';
  }
}

}  // namespace

void Context::warn(std::string message) {
  if (std::find(warnings.begin(), warnings.end(), message) == warnings.end()) {
    warnings.push_back(std::move(message));
  }
}

Result<Context> make_context(const Options& o, Io& io) {
  Context c{.io = io};
  auto format = format_of(o);
  if (!format) return Failure(std::move(format.error()));
  c.format = *format;
  c.quiet = o.quiet;
  const Given output = o.output.value_or(Given{"-", ""});
  if (output.text != "-") {
    c.output = output.text;
    if (c.output.ends_with(".svg") || c.output.ends_with(".png") || c.output.ends_with(".pdf")) {
      return fail(ErrorCode::invalid, "a picture is asked for with --plot", output.option,
                  "write --plot " + c.output);
    }
    if (auto r = writable(io, output); !r) return Failure(std::move(r.error()));
  }
  if (o.plot) {
    if (auto p = plot_options(o); !p) return Failure(std::move(p.error()));
    if (auto r = writable(io, *o.plot); !r) return Failure(std::move(r.error()));
  } else if (const Maybe& g = o.plot_size ? o.plot_size : o.plot_scale ? o.plot_scale : o.theme) {
    return fail(ErrorCode::invalid, g->option + " is for a picture in a file", g->option,
                "say which: --plot FILE.svg, .png or .pdf");
  }
  const bool to_file = !c.output.empty();
  c.text.width = to_file ? 80 : io.width;
  if (o.width) {
    auto width = parse_count(o.width->text);
    if (!width || *width < 20 || *width > 1000) {
      return fail(ErrorCode::invalid, rooflens::quoted(o.width->text) + " is no width", "--width",
                  "give columns from 20 to 1000");
    }
    c.text.width = static_cast<int>(*width);
  }
  const std::string_view when = o.color ? std::string_view(o.color->text) : "auto";
  if (when != "auto" && when != "always" && when != "never") {
    return fail(ErrorCode::invalid, rooflens::quoted(when) + " is no choice of colour", "--color",
                "auto, always or never");
  }
  c.text.color = wants_color(io, io.tty && !to_file, when);
  c.text.ascii = o.ascii || (!to_file && !speaks_utf8(io));
  return c;
}

int complain(Io& io, const Error& e) {
  const bool ascii = !speaks_utf8(io);
  const bool color = wants_color(io, io.err_tty, "auto");
  const auto lines = [&](std::string_view text) {  // messages may list candidates line by line
    std::string out;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      out += (out.empty() ? "" : "\n") + clean(text.substr(0, end), ascii);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
  };
  io.err << "rooflens: " << (color ? "\x1b[1;31merror:\x1b[0m " : "error: ") << lines(e.message)
         << '\n';
  if (!e.where.empty()) io.err << "  where: " << lines(e.where) << '\n';
  if (!e.hint.empty()) io.err << "  hint: " << lines(e.hint) << '\n';
  return kUsage;
}

int print_text(std::string_view text, Context& c, int code) {
  say_warnings(c);
  if (c.output.empty()) {
    errno = 0;
    c.io.out << text << std::flush;
    if (!c.io.out && c.io.out_error == 0) c.io.out_error = errno;
    return code;
  }
  if (auto r = c.io.files->write(c.output, text); !r) return complain(c.io, r.error());
  return code;
}

int print(const Output& output, Context& c, int code) {
  switch (c.format) {
    case Format::text: {
      std::string text = c.before ? report_text(c.before->report, c.text) + "\n" : std::string();
      text += report_text(*output.report, c.text);
      if (!output.picture.empty()) text += "\n" + output.picture;
      return print_text(text, c, code);
    }
    case Format::markdown:
      return print_text((c.before ? report_markdown(c.before->report) + "\n" : std::string()) +
                            report_markdown(*output.report),
                        c, code);
    case Format::csv:
      return print_text(report_csv(*output.report, output.table), c, code);
    case Format::json:
      break;
  }
  JsonWriter json(2);
  json.begin_object().member("schema", 1).key("tool");
  tool_json(json);
  json.key("inputs");
  if (output.inputs) {
    output.inputs(json);
  } else {
    json.begin_object().end();
  }
  json.key("results");
  output.results(json);
  json.key("warnings").begin_array();
  for (const std::string& w : c.warnings) json.value(w);
  json.end().end();
  return print_text(json.take(), c, code);
}

void tool_json(JsonWriter& out) {
  out.begin_object()
      .member("name", "rooflens")
      .member("version", kVersion)
      .member("commit", kCommit)
      .end();
}

Result<const Catalogue*> catalogue_of(const Options& o, Context& c) {
  if (!o.devices) return &built_in_catalogue();
  if (c.catalogue) return c.catalogue.get();
  const std::string& path = o.devices->text;
  auto text = c.io.files->read(path, kMostTable);
  if (!text) return Failure(std::move(text.error()));
  CatalogueText tables = built_in_tables();
  tables.extra_devices = *text;
  auto parsed = parse_catalogue(tables);
  if (!parsed) {
    Error e = std::move(parsed.error());
    e.where = path + (e.where.empty() ? "" : " (" + e.where + ")");
    return Failure(std::move(e));
  }
  c.catalogue = std::make_unique<Catalogue>(std::move(*parsed));
  return c.catalogue.get();
}

}  // namespace rooflens::cli
