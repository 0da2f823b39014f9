#include "rooflens/views/startup_report.h"

#include <cmath>

namespace rooflens {
namespace {

Severity severity_of(const StartupRow& r) {
  switch (r.verdict) {
    case Agreement::agrees:
      return Severity::good;
    case Agreement::differs:
      return r.cause.empty() ? Severity::bad : Severity::warning;
    case Agreement::unknown:
      break;
  }
  return Severity::note;
}

const char* words_of(Agreement a) {
  return a == Agreement::unknown ? "cannot be said" : name_of(a);
}

std::string predicted_text(const StartupRow& r) {
  return std::isnan(r.predicted) ? "" : written_like(r.log, r.predicted);
}

double count(const CheckedLog& log, Agreement a) {
  double n = 0;
  for (const StartupRow& r : log.rows) n += r.verdict == a ? 1 : 0;
  return n;
}

std::string number_words(double n) { return format(n, Unit::count); }

std::string differ_words(double n) { return number_words(n) + (n == 1 ? " differs" : " differ"); }

// A quoted line as a sentence.
std::string sentence(std::string text) {
  while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.pop_back();
  return text + ".";
}

Line summary(const CheckedLog& log) {
  const double agree = count(log, Agreement::agrees), differ = count(log, Agreement::differs);
  const double unknown = count(log, Agreement::unknown);
  std::string text = log.file + ": " + name_of(log.log.engine);
  if (!log.log.version.empty()) text += " " + log.log.version;
  if (!log.model.empty()) text += ", " + log.model;
  text += ". ";
  if (log.rows.empty()) return {text + "The log has no figure to compare.", Severity::note};
  text += number_words(agree) + " of " + number_words(static_cast<double>(log.rows.size())) +
          " figures agree to the printed unit";
  double unexplained_rows = 0;
  for (const StartupRow& r : log.rows) {
    unexplained_rows += r.verdict == Agreement::differs && r.cause.empty() ? 1 : 0;
  }
  if (differ > unexplained_rows) {
    text += ", " + differ_words(differ - unexplained_rows) + " for a known cause";
  }
  if (unexplained_rows > 0) text += ", " + differ_words(unexplained_rows);
  if (unknown > 0) text += ", of " + number_words(unknown) + " it cannot be said";
  const Severity severity = unexplained_rows > 0 ? Severity::bad
                            : differ > 0         ? Severity::warning
                                                 : Severity::good;
  return {text + ".", severity};
}

}  // namespace

Report startup_report(const std::vector<CheckedLog>& logs) {
  Report report;
  for (const CheckedLog& log : logs) {
    Section said{.tag = "verdict", .title = "", .kind = SectionKind::prose};
    said.lines.push_back(summary(log));
    report.sections.push_back(std::move(said));
    Section table{
        .tag = "startup", .title = "The log against the prediction", .kind = SectionKind::table};
    table.columns = {{"what", "what"},
                     {"log", "in the log"},
                     {"predicted", "predicted"},
                     {"verdict", ""},
                     {"line", "line"}};
    Section why{.tag = "causes", .title = "Why", .kind = SectionKind::prose};
    std::string last;
    for (const StartupRow& r : log.rows) {
      const bool problem = r.tag == "problem";
      table.rows.push_back({words("what", "", r.what), words("log", "", problem ? "" : r.log.text),
                            words("predicted", "", predicted_text(r)),
                            words("verdict", "", words_of(r.verdict)),
                            number("line", "", static_cast<double>(r.log.line), Unit::count)});
      table.rows.back()[3].severity = severity_of(r);
      if (problem) why.lines.push_back({sentence(r.what + ": " + r.log.text), Severity::bad});
      if (r.cause.empty() || r.cause == last) continue;  // of parts, their sum has told it
      last = r.cause;
      why.lines.push_back({sentence((problem ? "" : r.what + ": ") + r.cause),
                           r.verdict == Agreement::differs ? Severity::warning : Severity::note});
    }
    if (!table.rows.empty()) report.sections.push_back(std::move(table));
    if (!why.lines.empty()) report.sections.push_back(std::move(why));
  }
  return report;
}

Report startup_table(const std::vector<CheckedLog>& logs) {
  Report report;
  Section table{.tag = "startup", .title = "", .kind = SectionKind::table};
  for (const char* tag :
       {"file", "what", "log", "log_value", "unit", "predicted", "verdict", "cause", "line"}) {
    table.columns.push_back({tag, tag});
  }
  for (const CheckedLog& log : logs) {
    for (const StartupRow& r : log.rows) {
      table.rows.push_back({words("", "", log.file), words("", "", r.what),
                            words("", "", r.log.text), number("", "", r.log.value, Unit::none),
                            words("", "", r.log.unit), number("", "", r.predicted, Unit::none),
                            words("", "", name_of(r.verdict)), words("", "", r.cause),
                            number("", "", static_cast<double>(r.log.line), Unit::count)});
    }
  }
  report.sections.push_back(std::move(table));
  return report;
}

void startup_json(const CheckedLog& log, JsonWriter& out) {
  out.begin_object();
  out.member("file", log.file).member("engine", name_of(log.log.engine));
  out.member("version", log.log.version).key("model").begin_object();
  out.member("printed", log.log.model).member("read_as", log.model).end();
  out.member("loads", log.log.loads).member("lines", log.log.lines);
  out.member("agree", count(log, Agreement::agrees))
      .member("differ", count(log, Agreement::differs));
  out.member("unknown", count(log, Agreement::unknown)).key("rows").begin_array();
  for (const StartupRow& r : log.rows) {
    out.begin_object().member("tag", r.tag).member("what", r.what).member("log", r.log.text);
    out.member("log_value", r.log.value).member("unit", r.log.unit);
    out.member("predicted", r.predicted).member("predicted_text", predicted_text(r));
    out.member("verdict", name_of(r.verdict)).key("cause");
    if (r.cause.empty()) {
      out.null();
    } else {
      out.value(r.cause);
    }
    out.member("line", r.log.line).end();
  }
  out.end().end();
}

}  // namespace rooflens
