// What the tests of result files share: a text read, and its figures found.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "rooflens/readers/results.h"

namespace rooflens::test {

inline ResultFile read(std::string_view text) {
  const auto file = read_results(text, "results.txt");
  EXPECT_TRUE(file.has_value()) << (file ? "" : file.error().message);
  return file ? *file : ResultFile{};
}

inline MeasuredRun only(const ResultFile& file) {
  EXPECT_EQ(file.runs.size(), 1U);
  return file.runs.empty() ? MeasuredRun{} : file.runs.front();
}

inline MeasuredRun run_of(const ResultFile& file, std::size_t i = 0) {
  EXPECT_GT(file.runs.size(), i);
  return i < file.runs.size() ? file.runs[i] : MeasuredRun{};
}

inline bool trapped(const MeasuredRun& run, std::string_view tag) {
  return std::find(run.traps.begin(), run.traps.end(), tag) != run.traps.end();
}

// The i-th figure of a run.
inline Observation figure(const MeasuredRun& run, std::size_t i = 0) {
  EXPECT_GT(run.figures.size(), i);
  return i < run.figures.size() ? run.figures[i] : Observation{};
}

// The one figure of a phase and a kind; value 0 = there is none.
inline Observation figure(const MeasuredRun& run, MeasuredPhase phase, Figure kind) {
  for (const Observation& o : run.figures) {
    if (o.phase == phase && o.figure == kind) return o;
  }
  return {};
}
inline Observation output_rate(const MeasuredRun& run) {
  return figure(run, MeasuredPhase::decode, Figure::tokens_per_s);
}
inline Observation input_rate(const MeasuredRun& run) {
  return figure(run, MeasuredPhase::prefill, Figure::tokens_per_s);
}
inline Observation total_rate(const MeasuredRun& run) {
  return figure(run, MeasuredPhase::mixed, Figure::tokens_per_s);
}
inline Observation step(const MeasuredRun& run) {
  return figure(run, MeasuredPhase::decode, Figure::time_per_token_s);
}
inline Observation first_token(const MeasuredRun& run) {
  return figure(run, MeasuredPhase::prefill, Figure::time_to_first_token_s);
}
inline Observation request(const MeasuredRun& run) {
  return figure(run, MeasuredPhase::mixed, Figure::request_s);
}

// The text with one part in place of another, which must be there.
inline std::string changed(std::string_view text, std::string_view from, std::string_view to) {
  std::string out(text);
  const std::size_t at = out.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) out.replace(at, from.size(), to);
  return out;
}

// Cut at many places a text is read, or refused with a reason.
inline void expect_cut_is_told(const std::string& text) {
  for (std::size_t size = 0; size < text.size(); size += 7) {
    const auto file = read_results(std::string_view(text).substr(0, size), "results.txt");
    EXPECT_TRUE(file.has_value() || !file.error().message.empty()) << size;
  }
}

}  // namespace rooflens::test
