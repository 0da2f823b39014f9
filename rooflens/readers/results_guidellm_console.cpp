// guidellm's tables on the console, old and new, and the CSV of its older versions. A heading spans
// the columns whose bars stand side by side ("TTFT (ms) |||"), and statistics stand below it.
#include <algorithm>
#include <vector>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/csv_row.h"
#include "rooflens/readers/server_formats.h"
#include "rooflens/readers/words.h"

namespace rooflens {
namespace {

constexpr std::size_t kMostColumns = 256, kMostRows = 1024;

bool any_of(std::string_view label, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return contains(label, word); });
}

// Puts a cell where its label in small letters belongs; what is not known is passed over. A rate
// that is 0 is one of no request; a time that is 0 was not streamed.
void take_cell(std::string_view label, double value, const Source& source, ServingFacts& f) {
  const bool mean = contains(label, "mean");
  const bool median = any_of(label, {"mdn", "median"});
  const double scale = any_of(label, {" ms", "(ms)"}) ? kMilliseconds : 1;
  const auto time = [&](Told ServingFacts::*of_mean, Told ServingFacts::*of_median) {
    if (!(value > 0) || (!mean && !median)) return;
    f.*(mean ? of_mean : of_median) = {true, value * scale, source};
  };
  const auto rate = [&](Told ServingFacts::*of) {
    if (value >= 0 && (mean || !(f.*of).told)) f.*of = {true, value, source};
  };
  const bool per_second = any_of(label, {"per sec", "/sec"});
  if (any_of(label, {"ttft", "time to first token"})) {
    time(&ServingFacts::ttft_mean, &ServingFacts::ttft_median);
  } else if (any_of(label, {"itl ", "inter token latency"})) {
    time(&ServingFacts::tpot_mean, &ServingFacts::tpot_median);
  } else if (any_of(label, {"tpot ", "time per output token"})) {
    if (value > 0 && median) f.tpot_with_ttft = {true, value * scale, source};
  } else if (any_of(label, {"request latency", "req latency"})) {
    time(&ServingFacts::request_mean, &ServingFacts::request_median);
  } else if (contains(label, "concurrency")) {
    if (value > 0 && (mean || f.concurrency == 0)) f.concurrency = value;
  } else if (any_of(label, {"out tok", "output tok"})) {
    if (per_second) rate(&ServingFacts::output_rate);
    if (any_of(label, {"per req", "/req comp", "token count mean"}) && value > 0) f.output = value;
  } else if (any_of(label, {"input tok", "prompt tok"})) {
    if (per_second) rate(&ServingFacts::input_rate);
    if (any_of(label, {"per req", "/req comp", "token count mean"}) && value > 0) f.prompt = value;
  } else if (any_of(label, {"tot tok", "total tok", "successful tokens"})) {
    if (per_second) rate(&ServingFacts::total_rate);
  } else if (any_of(label, {"request stats", "requests"})) {
    if (per_second) rate(&ServingFacts::request_rate);
    if (contains(label, "made comp")) f.completed = value;
  }
}

// Versions before 0.4 print seconds under "Req Latency (ms)"; no request ends before its first
// token.
void mend_latency_unit(ServingFacts& f) {
  for (const auto& [whole, first] :
       {std::pair{&f.request_mean, &f.ttft_mean}, std::pair{&f.request_median, &f.ttft_median}}) {
    if (whole->told && first->told && whole->value < first->value) whole->value /= kMilliseconds;
  }
}

void add_guidellm_facts(ServingFacts& f, ResultFile& file) {
  mend_latency_unit(f);
  if (f.request_rate.told && f.request_rate.value == 0) f.completed = 0;
  add_serving_run(f, {}, file);
}

// The cells between bars, as they stand.
std::vector<std::string_view> bar_cells(std::string_view line) {
  line = trim(line);
  if (!line.empty() && line.front() == '|') line.remove_prefix(1);
  if (!line.empty() && line.back() == '|') {
    // The bars at the end belong to a heading that spans; the last is the frame.
    line.remove_suffix(1);
  }
  std::vector<std::string_view> cells;
  for (bool more = true; more && cells.size() < kMostColumns;) {
    const std::size_t bar = line.find('|');
    more = bar != std::string_view::npos;
    cells.push_back(line.substr(0, bar));
    if (more) line.remove_prefix(bar + 1);
  }
  return cells;
}

bool only(std::string_view cell, char c) {
  return !cell.empty() && cell.find_first_not_of(c) == std::string_view::npos;
}

// The tables of one report. Their rows are the same benchmarks in the same order.
class GuidellmTables {
 public:
  GuidellmTables(std::string_view where, ResultFile& file) : where_(where), file_(file) {}

  void line(std::string_view text, int at) {
    const std::string_view row = trim(text);
    if (contains(row, "Benchmarks Info:") || contains(row, "Run Summary")) close();
    if (contains(row, "Benchmarks Stats:") || contains(row, "Request Latency Statistics") ||
        contains(row, "Throughput Statistics") || contains(row, "Token Statistics") ||
        contains(row, "Benchmarks Info:")) {
      begin_table(contains(row, "Latency Statistics") || contains(row, "Benchmarks Stats:"));
      return;
    }
    if (!open_) return;
    const std::vector<std::string_view> cells = bar_cells(row);
    if (cells.size() < 2 || only(cells.front(), '=')) {
      if (in_rows_) open_ = false;
      return;
    }
    if (only(cells.front(), '-')) {
      in_rows_ = true;
    } else if (in_rows_) {
      take_row(cells, {std::string(where_), at, words_of(row)});
    } else {
      take_heading(cells);
    }
  }

  void close() {
    for (ServingFacts& f : rows_) {
      if (f.ttft_mean.told || f.ttft_median.told || f.output_rate.told || f.completed == 0) {
        add_guidellm_facts(f, file_);
      }
    }
    rows_.clear();
    latency_seen_ = false;
  }

 private:
  void begin_table(bool latency) {
    if (latency && latency_seen_) close();  // another report
    latency_seen_ = latency_seen_ || latency;
    open_ = true;
    in_rows_ = false;
    row_ = 0;
    labels_.clear();
  }

  // A cell without even a blank continues the one to its left.
  void take_heading(const std::vector<std::string_view>& cells) {
    if (labels_.size() < cells.size()) labels_.resize(cells.size());
    std::string_view last;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!cells[i].empty()) last = trim(cells[i]);
      if (labels_[i].size() < 200) labels_[i] += lower(last) + ' ';
    }
  }

  void take_row(const std::vector<std::string_view>& cells, const Source& source) {
    if (rows_.size() <= row_ && rows_.size() < kMostRows) {
      rows_.emplace_back();
      rows_.back().about = source;
    }
    if (row_ >= rows_.size()) return;
    ServingFacts& f = rows_[row_++];
    for (std::size_t i = 1; i < cells.size() && i < labels_.size(); ++i) {
      take_cell(labels_[i], number_in(cells[i]), source, f);
    }
  }

  std::string_view where_;
  ResultFile& file_;
  std::vector<std::string> labels_;
  std::vector<ServingFacts> rows_;
  std::size_t row_ = 0;
  bool open_ = false, in_rows_ = false, latency_seen_ = false;
};

}  // namespace

void read_guidellm_console(std::string_view text, std::string_view where, ResultFile& file) {
  GuidellmTables tables(where, file);
  for_each_line(text, [&](std::string_view line, int at) {
    if (line.size() < 8000) tables.line(line, at);
  });
  tables.close();
}

void read_guidellm_csv(std::string_view text, std::string_view where, ResultFile& file) {
  std::vector<std::string> labels;
  for_each_line(text, [&](std::string_view line, int at) {
    if (contains(line, "Successful Requests per second mean")) {
      labels = separated(line, '"');
      for (std::string& label : labels) label = lower(label);
      return;
    }
    if (labels.empty()) return;
    const std::vector<std::string> values = separated(line, '"');
    if (values.size() != labels.size()) return;
    ServingFacts f;
    f.about = {std::string(where), at, words_of(line)};
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i].substr(0, 11) != "successful ") continue;
      take_cell(labels[i], number_in(values[i]), f.about, f);
    }
    add_guidellm_facts(f, file);
  });
}

}  // namespace rooflens
