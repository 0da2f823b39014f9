// Parts of result texts (internal to the readers of llama.cpp and its kin).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflens/core/measured_run.h"
#include "rooflens/readers/csv_row.h"
#include "rooflens/readers/json_value.h"

namespace rooflens::local {

inline constexpr double kMostCount = 1e18;  // no count, rate or size is above it

// The number at the beginning of `s`, behind blanks and the stars of bold type; none for "inf".
[[nodiscard]] std::optional<double> number_at(std::string_view s);

// As number_at, and 0 for none and for what is below.
[[nodiscard]] double number_or_zero(std::string_view s);

// The text behind `mark`, empty when it is not there.
[[nodiscard]] std::string_view behind(std::string_view s, std::string_view mark);

// The cells of a Markdown row, blanks off; none when the line is no row.
[[nodiscard]] std::vector<std::string_view> cells_of(std::string_view line);
[[nodiscard]] bool is_rule(const std::vector<std::string_view>& cells);  // |---|--:|

// A Go duration in seconds: "2m27.98s", "204.563ms", "1h0m3s"; none when it is not one.
[[nodiscard]] std::optional<double> go_seconds(std::string_view s);

// Bytes of "3.56 GiB", parameters of "6.74 B"; 0 = neither.
[[nodiscard]] double bytes_of_size(std::string_view s);
[[nodiscard]] double count_of_parameters(std::string_view s);

// What stands behind the size in a model's words: "llama 7B Q4_K - Medium" -> "Q4_K - Medium".
[[nodiscard]] std::string quantisation_of(std::string_view model);

// A test as llama-bench and llama-benchy name it: "pp512", "pp 512", "tg32 @ d32768",
// "pp512+tg128", "ctx_pp @ d4096 (c2)".
struct TestName {
  double prompt = 0, output = 0, depth = 0, concurrency = 1;
  bool context = false;  // the depth itself is what is read (ctx_pp)
  bool context_output = false;
};
[[nodiscard]] std::optional<TestName> test_name(std::string_view s);

void trap(MeasuredRun& run, std::string_view tag, std::string note);
[[nodiscard]] bool has_trap(const MeasuredRun& run, std::string_view tag);

// Told of every decode figure of fewer tokens than a start is lost in.
void note_short(MeasuredRun& run, double output);

// Of N tokens timed over N - 1 steps: the rate of the steps, with the trap. N must be above 1.
[[nodiscard]] double corrected(MeasuredRun& run, double rate, double tokens, std::string_view tool);

// A line cut to what an answer can show.
[[nodiscard]] std::string shown(std::string_view line);

// The end of the JSON object that begins at `at`, npos when it has none; `cut` = the text ends
// within it. `work` counts the characters looked at. O(object).
struct ObjectEnd {
  std::size_t end = std::string_view::npos;
  bool cut = false;
  std::size_t work = 0;
};
[[nodiscard]] ObjectEnd object_end(std::string_view text, std::size_t at);

// Where in a piece of JSON its figures stand, found going forward.
class JsonPlace {
 public:
  JsonPlace(std::string_view piece, int line) : piece_(piece), line_(line) {}
  // The next place of a key, from the last row on; next_row() moves on behind what was found.
  [[nodiscard]] Source source(std::string_view key);
  void next_row();

 private:
  std::string_view piece_;
  int line_;
  std::size_t row_ = 0, farthest_ = 0;
};

}  // namespace rooflens::local
