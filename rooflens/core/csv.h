// A small CSV reader (RFC 4180): quotes, doubled quotes, CRLF, a byte order mark. Fields are views
// into the text, or into `arena` where a doubled quote had to be undone.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "rooflens/core/result.h"

namespace rooflens {

class CsvTable {
 public:
  // Reads the header line. `where` names the table in errors ("devices.csv"). The text must outlive
  // the table. Errors: empty text, a quote that never closes.
  static Result<CsvTable> open(std::string_view text, std::string where);

  // The column with this name, or npos.
  static constexpr std::size_t npos = static_cast<std::size_t>(-1);
  [[nodiscard]] std::size_t column(std::string_view name) const;

  // Moves to the next row; false at the end. Blank lines are skipped. A row whose number of fields
  // is not the header's is an error.
  Result<bool> next();

  // Field of the current row, blanks trimmed; empty when the column does not exist.
  [[nodiscard]] std::string_view at(std::size_t column) const;

  // "devices.csv:17", the line where the current row starts.
  [[nodiscard]] std::string where() const;

 private:
  Result<bool> read_row(std::vector<std::string_view>& out);

  std::string_view rest_;
  std::string name_;
  std::vector<std::string_view> header_, row_;
  std::deque<std::string> arena_;
  std::size_t line_ = 1, row_line_ = 1;
};

}  // namespace rooflens
