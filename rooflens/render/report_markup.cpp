// The printers that are not for a terminal: Markdown, CSV, and the report as data.
#include <cmath>

#include "rooflens/render/json_writer.h"
#include "rooflens/render/report.h"
#include "rooflens/render/text.h"

namespace rooflens {
namespace {

// Inside a table cell a bar would end it; < and & would start markup anywhere.
std::string md(std::string_view s) {
  std::string out;
  for (const char c : clean(s, false)) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (c == '|' || c == '*' || c == '_' || c == '`' || c == '[' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out;
}

bool is_numeric(const Section& s, std::size_t column) {
  for (const auto& row : s.rows)
    if (column < row.size() && std::holds_alternative<double>(row[column].value)) return true;
  return false;
}

std::string with_note(const Cell& c) {
  return md(text_of(c)) + (c.note.empty() ? "" : " (" + md(c.note) + ")");
}

std::string csv(std::string_view s) {
  if (s.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(s);
  std::string out = "\"";
  for (const char c : s) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

// The raw value: SI number, text, or nothing.
std::string csv_value(const Cell& c) {
  if (const auto* text = std::get_if<std::string>(&c.value)) return csv(*text);
  const auto* v = std::get_if<double>(&c.value);
  return v && std::isfinite(*v) ? json_number(*v) : "";
}

void csv_table(const Section& s, std::string& out) {
  for (std::size_t c = 0; c < s.columns.size(); ++c) out += (c ? "," : "") + csv(s.columns[c].tag);
  out += '\n';
  for (const auto& row : s.rows) {
    for (std::size_t c = 0; c < s.columns.size(); ++c) {
      if (c) out += ',';
      if (c < row.size()) out += csv_value(row[c]);
    }
    out += '\n';
  }
}

void csv_line(const Section& s, const std::string& row, const std::string& key, const Cell& c,
              std::string& out) {
  const bool number = std::holds_alternative<double>(c.value);
  out += csv(s.tag) + ',' + row + ',' + csv(key) + ',' + csv_value(c) + ',' +
         (number ? name_of(c.unit) : "") + ',' + csv(text_of(c)) + '\n';
}

void json_cell(const Cell& c, const std::string& tag, JsonWriter& j) {
  j.begin_object().member("tag", tag);
  if (!c.label.empty()) j.member("label", c.label);
  j.key("value");
  if (const auto* text = std::get_if<std::string>(&c.value)) {
    j.value(*text);
  } else if (const auto* v = std::get_if<double>(&c.value)) {
    j.value(*v).member("unit", name_of(c.unit));
  } else {
    j.null();
  }
  j.member("text", text_of(c));
  if (!c.note.empty()) j.member("note", c.note);
  if (c.severity != Severity::none) j.member("severity", name_of(c.severity));
  j.end();
}

const char* kind_name(SectionKind k) {
  return k == SectionKind::prose ? "prose" : k == SectionKind::values ? "values" : "table";
}

void markdown_table(const Section& s, std::string& out) {
  if (s.columns.empty()) return;
  std::string rule;
  for (std::size_t c = 0; c < s.columns.size(); ++c) {
    out += "| " + md(s.columns[c].label) + " ";
    rule += is_numeric(s, c) ? "|---:" : "|---";
  }
  out += "|\n" + rule + "|\n";
  for (const auto& row : s.rows) {
    for (std::size_t c = 0; c < s.columns.size(); ++c)
      out += "| " + (c < row.size() ? with_note(row[c]) : "") + " ";
    out += "|\n";
  }
}

}  // namespace

std::string report_markdown(const Report& r, int heading) {
  std::string out;
  const auto title = [&](const std::string& text, int level) {
    if (text.empty()) return;
    out += std::string(static_cast<std::size_t>(level), '#') + " " + md(text) + "\n\n";
  };
  title(r.title, heading);
  for (const Section& s : r.sections) {
    title(s.title, heading + 1);
    switch (s.kind) {
      case SectionKind::prose:
        for (const Line& l : s.lines) out += md(l.text) + "\n\n";
        continue;
      case SectionKind::values:
        out += "| | |\n|---|---|\n";
        for (const Cell& c : s.values) out += "| " + md(c.label) + " | " + with_note(c) + " |\n";
        break;
      case SectionKind::table:
        markdown_table(s, out);
        break;
    }
    out += '\n';
  }
  while (out.size() > 1 && out[out.size() - 2] == '\n') out.pop_back();
  return out;
}

std::string report_csv(const Report& r, std::string_view table) {
  std::string out;
  if (!table.empty()) {
    for (const Section& s : r.sections) {
      if (s.kind != SectionKind::table || s.tag != table) continue;
      csv_table(s, out);
      break;
    }
    return out;
  }
  out = "section,row,key,value,unit,text\n";
  for (const Section& s : r.sections) {
    for (const Line& l : s.lines) csv_line(s, "", "", words("", "", l.text), out);
    for (const Cell& c : s.values) csv_line(s, "", c.tag, c, out);
    for (std::size_t i = 0; i < s.rows.size(); ++i)
      for (std::size_t c = 0; c < s.rows[i].size() && c < s.columns.size(); ++c)
        csv_line(s, std::to_string(i + 1), s.columns[c].tag, s.rows[i][c], out);
  }
  return out;
}

void report_json(const Report& r, JsonWriter& j) {
  j.begin_object().member("title", r.title).key("sections").begin_array();
  for (const Section& s : r.sections) {
    j.begin_object().member("tag", s.tag).member("title", s.title);
    j.member("kind", kind_name(s.kind));
    if (s.kind == SectionKind::prose) {
      j.key("lines").begin_array();
      for (const Line& l : s.lines)
        j.begin_object().member("text", l.text).member("severity", name_of(l.severity)).end();
      j.end();
    } else if (s.kind == SectionKind::values) {
      j.key("values").begin_array();
      for (const Cell& c : s.values) json_cell(c, c.tag, j);
      j.end();
    } else {
      j.key("columns").begin_array();
      for (const Column& c : s.columns)
        j.begin_object().member("tag", c.tag).member("label", c.label).end();
      j.end().key("rows").begin_array();
      for (const auto& row : s.rows) {
        j.begin_array();
        for (std::size_t c = 0; c < row.size(); ++c)
          json_cell(row[c], c < s.columns.size() ? s.columns[c].tag : row[c].tag, j);
        j.end();
      }
      j.end();
    }
    j.end();
  }
  j.end().end();
}

}  // namespace rooflens
