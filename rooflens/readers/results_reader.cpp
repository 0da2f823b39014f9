#include <array>
#include <limits>

#include "rooflens/readers/result_formats.h"
#include "rooflens/readers/results.h"

namespace rooflens {
namespace {

constexpr std::size_t kSmallText = std::size_t{1} << 20;

// The formats of engines' logs, and their marks in one list, each with the format it is of.
struct LogTable {
  std::array<EngineLogFormat, 3> formats{vllm_log_format(), sglang_log_format(),
                                         llama_log_format()};
  std::vector<std::size_t> format_of;
  std::vector<std::string_view> words = all_marks();
  LineMarks marks{words};

 private:
  std::vector<std::string_view> all_marks() {
    std::vector<std::string_view> all;
    for (std::size_t f = 0; f < formats.size(); ++f) {
      all.insert(all.end(), formats[f].marks.begin(), formats[f].marks.end());
      format_of.resize(all.size(), f);
    }
    return all;
  }
};

const LogTable& log_table() {
  static const LogTable table;
  return table;
}

std::string mebibytes(std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

}  // namespace

ResultReader::ResultReader(std::string where, std::size_t keep)
    : where_(std::move(where)), keep_(keep) {}

void ResultReader::begin_lines() {
  for (const EngineLogFormat& f : log_table().formats) logs_.push_back({f.name, f.open(where_)});
  const std::string begun = std::move(text_);
  text_ = {};
  lines_in_.feed(begun, [this](std::string_view text) { line(text); });
}

void ResultReader::line(std::string_view text) {
  if (lines_ < std::numeric_limits<int>::max()) ++lines_;
  const std::size_t mark = log_table().marks.first_in(text);
  if (mark != LineMarks::kNone) logs_[log_table().format_of[mark]].log->line(text, lines_);
}

void ResultReader::feed(std::string_view piece) {
  if (logs_.empty() && text_.size() + piece.size() > keep_) begin_lines();
  if (!logs_.empty()) {
    lines_in_.feed(piece, [this](std::string_view text) { line(text); });
    return;
  }
  // Once, so that a text that grows is not there twice; pages that are not written cost nothing.
  if (text_.size() + piece.size() > kSmallText) text_.reserve(keep_);
  text_.append(piece);
}

Result<ResultFile> ResultReader::finish() {
  if (logs_.empty()) return read_results(text_, where_);
  lines_in_.finish([this](std::string_view text) { line(text); });
  ResultFile all;
  for (const Open& open : logs_) {
    ResultFile found;
    open.log->finish(found);
    if (!found.runs.empty() || !found.refused.empty()) {
      append_results(std::move(found), open.name, all);
    }
  }
  if (all.format.empty()) {
    return fail(
        ErrorCode::out_of_range,
        "longer than the " + mebibytes(keep_) + " that results may have, and no log of an engine",
        where_, "cut out the part that holds the results");
  }
  all.notes.push_back("Of a file longer than " + mebibytes(keep_) +
                      " the lines of engines' logs are read, and no other results in it.");
  return all;
}

}  // namespace rooflens
