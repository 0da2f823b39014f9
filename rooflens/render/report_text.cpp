#include <algorithm>
#include <cmath>

#include "rooflens/render/report.h"
#include "rooflens/render/text.h"

namespace rooflens {
namespace {

constexpr int kIndent = 2, kGap = 2;

std::string spaces(int n) { return std::string(static_cast<std::size_t>(std::max(0, n)), ' '); }

// A cell split for alignment: number right, unit left. Text has no unit part.
struct Parts {
  std::string number, unit;
  bool numeric = false;
  Severity severity = Severity::none;
  int width_number = 0, width_unit = 0;  // unit with the space before it
};

class Printer {
 public:
  explicit Printer(const TextOptions& o) : o_(o), width_(std::max(60, o.width)) {}

  std::string print(const Report& r) {
    if (!r.title.empty()) {
      for (const std::string& l : wrap(clean(r.title, o_.ascii), width_)) line(styled(l, "1"));
    }
    for (const Section& s : r.sections) section(s);
    return std::move(out_);
  }

 private:
  void line(std::string_view text) {
    std::size_t end = text.find_last_not_of(' ');
    out_ += text.substr(0, end == std::string_view::npos ? 0 : end + 1);
    out_ += '\n';
  }

  std::string styled(const std::string& text, const char* code) const {
    if (!o_.color || text.empty()) return text;
    return std::string("\x1b[") + code + "m" + text + "\x1b[0m";
  }

  std::string styled(const std::string& text, Severity s) const {
    switch (s) {
      case Severity::none:
        return text;
      case Severity::good:
        return styled(text, "32");
      case Severity::note:
        return styled(text, "36");
      case Severity::warning:
        return styled(text, "33");
      case Severity::bad:
        return styled(text, "1;31");
    }
    return text;
  }

  std::string dim(const std::string& text) const { return styled(text, "2"); }

  Parts parts(const Cell& c) const {
    Parts p;
    p.severity = c.severity;
    const auto* v = std::get_if<double>(&c.value);
    if (v && std::isfinite(*v)) {
      const Formatted f = format_parts(*v, c.unit);
      p.numeric = true;
      p.number = clean(f.number, o_.ascii);
      if (!f.unit.empty()) p.unit = (f.tight ? "" : " ") + clean(f.unit, o_.ascii);
    } else {
      p.number = clean(text_of(c), o_.ascii);
    }
    p.width_number = display_width(p.number);
    p.width_unit = display_width(p.unit);
    return p;
  }

  void section(const Section& s) {
    if (!out_.empty()) out_ += '\n';
    if (!s.title.empty()) {
      for (const std::string& l : wrap(clean(s.title, o_.ascii), width_)) line(styled(l, "1"));
    }
    switch (s.kind) {
      case SectionKind::prose:
        for (const Line& l : s.lines) prose(l);
        break;
      case SectionKind::values:
        values(s.values);
        break;
      case SectionKind::table:
        table(s);
        break;
    }
  }

  void prose(const Line& l) {
    for (const std::string& t : wrap(clean(l.text, o_.ascii), width_ - kIndent))
      line(spaces(kIndent) + styled(t, l.severity));
  }

  // label   number unit   note
  void values(const std::vector<Cell>& cells, int indent = kIndent) {
    int labels = 0, numbers = 0, units = 0;
    std::vector<Parts> all;
    for (const Cell& c : cells) {
      const Parts& p = all.emplace_back(parts(c));
      labels = std::max(labels, display_width(clean(c.label, o_.ascii)));
      if (p.numeric) numbers = std::max(numbers, p.width_number);
      if (p.numeric) units = std::max(units, p.width_unit);
    }
    labels = std::min(labels, width_ / 2 - indent);
    const int at = indent + labels + kGap;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::vector<std::string> label = wrap(clean(cells[i].label, o_.ascii), labels);
      for (std::size_t l = 0; l + 1 < label.size(); ++l) line(spaces(indent) + label[l]);
      std::string head = spaces(indent) + label.back();
      head += spaces(at - display_width(head));
      value(head, at, all[i], numbers, units, clean(cells[i].note, o_.ascii));
    }
  }

  // The value after `head` (which is `at` wide), then the note, wrapped under itself.
  void value(const std::string& head, int at, const Parts& p, int numbers, int units,
             const std::string& note) {
    std::string text;
    int used = at;
    if (p.numeric) {
      text = head + spaces(numbers - p.width_number) + styled(p.number + p.unit, p.severity);
      used += numbers + p.width_unit;
    } else {
      const std::vector<std::string> lines = wrap(p.number, width_ - at);
      for (std::size_t l = 0; l < lines.size(); ++l) {
        text = (l ? spaces(at) : head) + styled(lines[l], p.severity);
        if (l + 1 < lines.size()) line(text);
      }
      used += display_width(lines.back());
    }
    if (note.empty()) return line(text);
    const int column = std::max(used, std::min(at + numbers + units, width_ * 2 / 3)) + kGap;
    if (width_ - column >= std::min(24, display_width(note))) {
      const std::vector<std::string> notes = wrap(note, width_ - column);
      line(text + spaces(column - used) + dim(notes[0]));
      for (std::size_t l = 1; l < notes.size(); ++l) line(spaces(column) + dim(notes[l]));
    } else {  // no room beside it
      line(text);
      for (const std::string& n : wrap(note, width_ - at)) line(spaces(at) + dim(n));
    }
  }

  struct Layout {
    int numbers = 0, units = 0, text = 0, width = 0;
    bool numeric = false;
  };

  void table(const Section& s) {
    std::vector<Layout> columns(s.columns.size());
    std::vector<std::vector<Parts>> body;
    bool notes = false;
    for (const auto& row : s.rows) {
      auto& out = body.emplace_back();
      for (std::size_t c = 0; c < columns.size() && c < row.size(); ++c) {
        const Parts& p = out.emplace_back(parts(row[c]));
        Layout& l = columns[c];
        l.numeric |= p.numeric;
        if (p.numeric) l.numbers = std::max(l.numbers, p.width_number);
        if (p.numeric) l.units = std::max(l.units, p.width_unit);
        if (!p.numeric) l.text = std::max(l.text, p.width_number);
        notes |= !row[c].note.empty();
      }
    }
    int total = kIndent;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      Layout& l = columns[c];
      l.width = std::max(
          {l.numbers + l.units, l.text, display_width(clean(s.columns[c].label, o_.ascii))});
      total += l.width + (c ? kGap : 0);
    }
    if (columns.empty()) return;
    if (total > width_) return stacked(s);
    std::string head = spaces(kIndent);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::string label = clean(s.columns[c].label, o_.ascii);
      const std::string pad = spaces(columns[c].width - display_width(label));
      head += (c ? spaces(kGap) : "") + (columns[c].numeric ? pad + label : label + pad);
    }
    line(dim(head));
    for (std::size_t r = 0; r < body.size(); ++r) {
      std::string text = spaces(kIndent);
      for (std::size_t c = 0; c < body[r].size(); ++c)
        text += (c ? spaces(kGap) : "") + aligned(body[r][c], columns[c]);
      line(text);
      if (notes) row_notes(s.rows[r]);
    }
  }

  std::string aligned(const Parts& p, const Layout& l) const {
    if (!l.numeric) return styled(p.number, p.severity) + spaces(l.width - p.width_number);
    if (!p.numeric) return spaces(l.width - p.width_number) + styled(p.number, p.severity);
    return spaces(l.width - l.units - p.width_number) + styled(p.number + p.unit, p.severity) +
           spaces(l.units - p.width_unit);
  }

  void row_notes(const std::vector<Cell>& row) {
    for (const Cell& c : row) {
      if (c.note.empty()) continue;
      for (const std::string& n : wrap(clean(c.note, o_.ascii), width_ - 2 * kIndent))
        line(spaces(2 * kIndent) + dim(n));
    }
  }

  // Too wide: every row a block, the first cell its heading.
  void stacked(const Section& s) {
    for (const auto& row : s.rows) {
      if (row.empty()) continue;
      for (const std::string& l : wrap(clean(text_of(row[0]), o_.ascii), width_ - kIndent))
        line(spaces(kIndent) + styled(l, row[0].severity));
      std::vector<Cell> rest(row.begin() + 1, row.end());
      for (std::size_t c = 0; c < rest.size() && c + 1 < s.columns.size(); ++c)
        rest[c].label = s.columns[c + 1].label;
      values(rest, 2 * kIndent);
    }
  }

  TextOptions o_;
  int width_;
  std::string out_;
};

}  // namespace

std::string report_text(const Report& r, const TextOptions& options) {
  return Printer(options).print(r);
}

}  // namespace rooflens
