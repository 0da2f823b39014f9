#include "rooflens/core/csv.h"

#include <algorithm>

#include "rooflens/core/ascii.h"

namespace rooflens {
Result<CsvTable> CsvTable::open(std::string_view text, std::string where) {
  CsvTable t;
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  t.rest_ = text;
  t.name_ = std::move(where);
  const auto got = t.read_row(t.header_);
  if (!got) return Failure(got.error());
  if (!*got) return fail(ErrorCode::malformed, "the table is empty", t.name_);
  for (std::string_view& h : t.header_) h = trim(h);
  return t;
}

std::size_t CsvTable::column(std::string_view name) const {
  const auto it = std::find(header_.begin(), header_.end(), name);
  return it == header_.end() ? npos : static_cast<std::size_t>(it - header_.begin());
}

std::string_view CsvTable::at(std::size_t column) const {
  return column < row_.size() ? trim(row_[column]) : std::string_view{};
}

std::string CsvTable::where() const { return name_ + ":" + std::to_string(row_line_); }

Result<bool> CsvTable::next() {
  auto got = read_row(row_);
  if (!got || !*got) return got;
  if (row_.size() != header_.size()) {
    return fail(ErrorCode::malformed,
                "the row has " + std::to_string(row_.size()) + " fields, the header " +
                    std::to_string(header_.size()),
                where(), "a field that holds a comma needs double quotes");
  }
  return true;
}

Result<bool> CsvTable::read_row(std::vector<std::string_view>& out) {
  out.clear();
  while (!rest_.empty() && (rest_.front() == '\n' || rest_.front() == '\r')) {
    if (rest_.front() == '\n') ++line_;
    rest_.remove_prefix(1);
  }
  row_line_ = line_;
  if (rest_.empty()) return false;
  for (;;) {
    if (!rest_.empty() && rest_.front() == '"') {
      bool doubled = false;
      std::size_t i = 1;
      for (; i < rest_.size(); ++i) {
        if (rest_[i] == '\n') ++line_;
        if (rest_[i] != '"') continue;
        if (i + 1 >= rest_.size() || rest_[i + 1] != '"') break;
        doubled = true;
        ++i;
      }
      if (i >= rest_.size()) {
        return fail(ErrorCode::malformed, "a quoted field never ends", where());
      }
      std::string_view field = rest_.substr(1, i - 1);
      if (doubled) {
        std::string& copy = arena_.emplace_back();
        for (std::size_t k = 0; k < field.size(); ++k) {
          copy += field[k];
          if (field[k] == '"') ++k;
        }
        field = copy;
      }
      out.push_back(field);
      rest_.remove_prefix(i + 1);
    } else {
      const char* const begin = rest_.data();  // by hand: find_first_of is ten times slower
      const char* const stop = begin + rest_.size();
      const char* p = begin;
      while (p != stop && *p != ',' && *p != '\n') ++p;
      const auto end = static_cast<std::size_t>(p - begin);
      std::string_view field = rest_.substr(0, end);
      if (!field.empty() && field.back() == '\r') field.remove_suffix(1);
      out.push_back(field);
      rest_.remove_prefix(end);
    }
    if (!rest_.empty() && rest_.front() == '\r') rest_.remove_prefix(1);
    if (rest_.empty()) return true;
    const char c = rest_.front();
    rest_.remove_prefix(1);
    if (c == '\n') {
      ++line_;
      return true;
    }
    if (c != ',') return fail(ErrorCode::malformed, "text after a closing quote", where());
    if (rest_.empty()) {  // the file ends in a comma
      out.push_back(rest_);
      return true;
    }
  }
}

}  // namespace rooflens
