// One result model for every printer and face: sections of prose, key/value rows and tables, whose
// numbers are SI doubles with a unit hint. Whoever makes a Report formats nothing.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rooflens/render/format.h"

namespace rooflens {

class JsonWriter;

// How a reader should take it; colour in a terminal, a class on the page. Never the only carrier of
// meaning: the words say it too.
enum class Severity : std::uint8_t { none, good, note, warning, bad };
[[nodiscard]] const char* name_of(Severity s);

using Value = std::variant<std::monostate, double, std::string>;

// One value. `tag` is the snake_case key of machine-readable output (in a table the column's tag
// stands for it), `label` what people read. An absent value or NaN prints as `absent`.
struct Cell {
  std::string tag, label;
  Value value;
  Unit unit = Unit::none;
  std::string note;
  Severity severity = Severity::none;
  std::string absent = "unknown";  // "never", "unlimited", "-"
};

[[nodiscard]] Cell number(std::string tag, std::string label, double value, Unit unit,
                          std::string note = {});
[[nodiscard]] Cell words(std::string tag, std::string label, std::string value,
                         std::string note = {});
[[nodiscard]] Cell nothing(std::string tag, std::string label, std::string absent);

// The value as people read it, with its unit; no note.
[[nodiscard]] std::string text_of(const Cell& c);

struct Column {
  std::string tag, label;
};

struct Line {
  std::string text;
  Severity severity = Severity::none;
};

enum class SectionKind : std::uint8_t { prose, values, table };

struct Section {
  std::string tag, title;  // an empty title prints none
  SectionKind kind = SectionKind::prose;
  std::vector<Line> lines;              // prose
  std::vector<Cell> values;             // values: a cell without label continues the one above
  std::vector<Column> columns;          // table
  std::vector<std::vector<Cell>> rows;  // table; as many cells as columns
};

struct Report {
  std::string title;
  std::vector<Section> sections;
};

struct TextOptions {
  int width = 80;      // columns; less than 60 is taken as 60
  bool color = false;  // ANSI escapes
  bool ascii = false;  // no character above 0x7e
};

// No line is wider than options.width: prose and notes wrap, a table too wide for it becomes one
// block of rows per line of the table. Columns of numbers are aligned at the unit.
[[nodiscard]] std::string report_text(const Report& r, const TextOptions& options = {});

// GitHub Markdown: headings from level `heading` on, tables with right-aligned numbers.
[[nodiscard]] std::string report_markdown(const Report& r, int heading = 2);

// RFC 4180 with '\n' ends, raw SI numbers. With a `table` tag: that table, its column tags first
// (empty text when there is no such table). Without: every value of the report, one per line, as
// section,row,key,value,unit,text - row is empty outside tables, text is what people read.
[[nodiscard]] std::string report_csv(const Report& r, std::string_view table = {});

// The report as data for a face that lays it out itself: {title, sections:[{tag, title, kind,
// lines|values|columns+rows}]}, each cell with value, unit, text, note, severity. This is not the
// documented contract of `--json`, which the command writes with JsonWriter.
void report_json(const Report& r, JsonWriter& j);

}  // namespace rooflens
