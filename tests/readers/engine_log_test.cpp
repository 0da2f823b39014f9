// Logs of engines, line by line: SGLang's lines, and the same figures however a log is fed.
#include <gtest/gtest.h>

#include <string>

#include "readers/results_testing.h"

namespace rooflens {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using std::string;

string sglang_decode(const char* rank, int running, int tokens, const char* rate,
                     const char* more = "") {
  return string("[2025-01-02 03:04:05 ") + rank +
         "] Decode batch, #running-req: " + std::to_string(running) +
         ", #token: " + std::to_string(tokens) + ", token usage: 0.10, " + more +
         "cuda graph: True, gen throughput (token/s): " + rate + ", #queue-req: 0\n";
}
const char* const kPrefill =
    "[2025-01-02 03:04:05 TP0] Prefill batch, #new-seq: 1, #new-token: 64, #cached-token: 0, "
    "#running-req: 8, #queue-req: 0, input throughput (token/s): 7.34\n";

TEST(SglangLog, OnlyWindowsWithoutPrefillAreDecodeAlone) {
  const MeasuredRun run = only(read(
      kPrefill + sglang_decode("TP0", 8, 8000, "12.5") + sglang_decode("TP0", 8, 8320, "800.0") +
      kPrefill + sglang_decode("TP0", 9, 9000, "500.0") + sglang_decode("TP0", 9, 9360, "880.0")));
  EXPECT_EQ(run.engine, "SGLang");
  ASSERT_EQ(run.figures.size(), 4U);
  EXPECT_EQ(run.figures[0].counting, Counting::same_wall);  // from the start of the server
  EXPECT_EQ(run.figures[1].counting, Counting::aggregate);
  EXPECT_EQ(run.figures[1].value, 800);
  EXPECT_EQ(run.figures[1].batch.value_or(0), 8);
  EXPECT_EQ(run.figures[1].context.value_or(0), 1040);  // 8,320 tokens of 8 requests
  EXPECT_EQ(run.figures[1].source.line, 3);
  EXPECT_EQ(run.figures[2].counting, Counting::same_wall);
  EXPECT_EQ(run.figures[3].counting, Counting::aggregate);
  for (const Observation& o : run.figures) EXPECT_EQ(o.phase, MeasuredPhase::decode);
}

TEST(SglangLog, RanksAndSpeculation) {
  const string more = "accept len: 2.50, accept rate: 0.50, ";
  const ResultFile file = read(sglang_decode("DP0 TP0", 8, 8000, "100.0", more.c_str()) +
                               sglang_decode("DP1 TP0", 4, 400, "50.0", more.c_str()));
  ASSERT_EQ(file.runs.size(), 2U);
  EXPECT_TRUE(trapped(file.runs[0], "speculative"));
  EXPECT_EQ(file.runs[0].figures.at(0).tokens_per_pass.value_or(0), 2.5);
  EXPECT_EQ(file.runs[1].figures.at(0).batch.value_or(0), 4);
  // The other tensor ranks say the same again.
  EXPECT_EQ(read(sglang_decode("TP0", 8, 80, "9.5") + sglang_decode("TP1", 8, 80, "9.5"))
                .runs.at(0)
                .figures.size(),
            1U);
}

const string kVllm =
    "INFO Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: 160.0 "
    "tokens/s, Running: 8 reqs, Waiting: 0 reqs, GPU KV cache usage: 3.9%, Prefix cache hit rate: "
    "0.0%\n";
const string kLlama =
    "slot launch_slot_: id  0 | task 1 | processing task\n"
    "slot print_timing: id  0 | task 1 | \nprompt eval time =     400.00 ms /   100 tokens (    "
    "4.00 ms per token,   250.00 tokens per second)\n       eval time =    1280.00 ms /   128 "
    "tokens (   10.00 ms per token,   100.00 tokens per second)\n      total time =    1680.00 ms "
    "/   228 tokens\n";

ResultFile in_pieces(const string& text, std::size_t piece, std::size_t keep) {
  ResultReader reader("results.txt", keep);
  for (std::size_t at = 0; at < text.size(); at += piece) {
    reader.feed(std::string_view(text).substr(at, piece));
  }
  auto file = reader.finish();
  EXPECT_TRUE(file.has_value()) << (file ? "" : file.error().message);
  return file ? std::move(*file) : ResultFile{};
}

TEST(ResultReader, ALongLogGivesTheSameFigures) {
  const string texts[] = {
      "GET /health 200\n" + kVllm + "GET /metrics 200\n" + kVllm,
      kPrefill + sglang_decode("TP0", 8, 8000, "12.5") + sglang_decode("TP0", 8, 8320, "800.0"),
      "build: 6865 (abc) with cc for x86\n" + kLlama + kLlama,
  };
  for (const string& text : texts) {
    SCOPED_TRACE(text.substr(0, 60));
    const ResultFile whole = read(text);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{61}, text.size()}) {
      const ResultFile lines = in_pieces(text, piece, 0);
      ASSERT_EQ(lines.runs.size(), whole.runs.size());
      for (std::size_t i = 0; i < whole.runs.size(); ++i) {
        const MeasuredRun &a = whole.runs[i], &b = lines.runs[i];
        EXPECT_EQ(a.traps, b.traps);
        EXPECT_EQ(a.build, b.build);
        ASSERT_EQ(a.figures.size(), b.figures.size());
        for (std::size_t f = 0; f < a.figures.size(); ++f) {
          EXPECT_EQ(a.figures[f].value, b.figures[f].value);
          EXPECT_EQ(a.figures[f].source.line, b.figures[f].source.line);
          EXPECT_EQ(a.figures[f].source.file, b.figures[f].source.file);
          EXPECT_EQ(a.figures[f].counting, b.figures[f].counting);
        }
      }
      EXPECT_NE(lines.notes.back().find("lines of engines' logs"), string::npos);
    }
  }
}

TEST(ResultReader, ALongTextThatIsNoLogIsRefused) {
  ResultReader reader("results.txt", 100);
  reader.feed(string(1000, 'x'));
  const auto file = reader.finish();
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code, ErrorCode::out_of_range);
  EXPECT_EQ(file.error().where, "results.txt");
}

TEST(ResultReader, TheLastLineNeedsNoEnd) {
  EXPECT_EQ(in_pieces(kVllm.substr(0, kVllm.size() - 1), 7, 0).runs.size(), 1U);
}

TEST(ResultReader, MoreFiguresThanAreKeptAreCounted) {
  string text;
  for (int i = 0; i < 10003; ++i) text += kVllm;
  const MeasuredRun run = only(in_pieces(text, 65536, 0));
  EXPECT_EQ(run.figures.size(), 10000U);
  EXPECT_NE(run.notes.back().find("3 are left out"), string::npos) << run.notes.back();
}

}  // namespace
}  // namespace rooflens
