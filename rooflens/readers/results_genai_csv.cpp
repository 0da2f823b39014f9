// profile_export_genai_perf.csv and profile_export_aiperf.csv: statistics of metrics, then single
// values.
#include "rooflens/core/ascii.h"
#include "rooflens/readers/csv_row.h"
#include "rooflens/readers/genai_rows.h"
#include "rooflens/readers/server_formats.h"

namespace rooflens {

void read_genai_csv(std::string_view text, std::string_view where, ResultFile& file) {
  GenaiTable table;
  const auto close = [&] {
    if (table.open) add_genai_run(table.facts, {}, file);
    table = {};
  };
  for_each_line(text, [&](std::string_view line, int at) {
    const std::string_view row = trim(line);
    const bool heading = row.substr(0, 11) == "Metric,avg,";
    if (heading) close();
    if (!heading && !table.open) return;
    const std::vector<std::string> values = separated(row, '"');
    const std::vector<std::string_view> cells(values.begin(), values.end());
    if (heading) {
      table.open = true;
      table.facts.about = {std::string(where), at, words_of(row)};
      find_genai_columns(cells, table);
    } else if (row == "Metric,Value") {
      table.mean = 1;
      table.median = 0;
    } else if (cells.size() > 1) {
      read_genai_row(cells, {std::string(where), at, words_of(row)}, table);
    }
  });
  close();
}

}  // namespace rooflens
