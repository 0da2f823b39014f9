// Every public case of cases.tsv: a figure held against its machine, with the fraction and the
// class of the verdict that the case's own answer gives, or the reason it holds no figure.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "check/check_fixtures.h"
#include "corpus.h"

namespace rooflens::check_tests {
namespace {

using Cells = std::vector<std::string>;

Cells split(const std::string& text, char mark) {
  Cells cells;
  std::istringstream in(text);
  for (std::string cell; std::getline(in, cell, mark);) cells.push_back(cell);
  return cells;
}

std::vector<Cells> table() {
  std::ifstream in(ROOFLENS_SOURCE_DIR "/tests/check/cases.tsv");
  EXPECT_TRUE(in.good());
  std::vector<Cells> rows;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line[0] != '#') rows.push_back(split(line, '\t'));
  }
  return rows;
}

enum Column {
  kId,
  kModel,
  kDeploy,
  kBandwidth,
  kPeak,
  kMemory,
  kDevices,
  kWork,
  kClaim,
  kFraction,
  kTolerance,
  kStanding,
  kVerdict,
  kCause,
  kDerivation,
  kColumns
};

struct Case {
  Scenario scenario;
  Observation figure;
};

Case case_of(const Cells& row) {
  const auto number = [&](Column c) { return std::stod(row[c]); };
  Case c;
  c.scenario = scenario(row[kModel], "", vectors::Json::parse(row[kDeploy]));
  Scenario& s = c.scenario;
  s.system = device(1e9 * number(kBandwidth), 1e12 * number(kPeak), 1e9 * number(kMemory),
                    static_cast<int>(number(kDevices)));
  // Cards of this class compute in 8 bits at twice the rate; nothing here rests on it but FP8 runs.
  s.system.device.peak[static_cast<std::size_t>(Compute::fp8)] = 1e12 * number(kPeak);
  s.workload.batch = 1;
  const auto claim = parse_claim(row[kClaim]);
  EXPECT_TRUE(claim) << row[kClaim];
  if (claim && !claim->figures.empty()) c.figure = claim->figures.front();
  Link link{"given", 0, 0, 0};
  for (const std::string& part : split(row[kWork], ' ')) {
    const Cells pair = split(part, '=');
    if (pair.size() != 2) continue;
    const std::string& value = pair[1];
    if (pair[0] == "kind") {
      s.system.device.kind = value;
      continue;
    }
    const double n = std::stod(value);
    const std::map<std::string, double*> sizes{{"batch", &s.workload.batch},
                                               {"prompt", &s.workload.prompt},
                                               {"output", &s.workload.output},
                                               {"context", &s.workload.context},
                                               {"on_device", &s.deployment.layers_on_device}};
    if (sizes.count(pair[0]) > 0) *sizes.at(pair[0]) = n;
    if (pair[0] == "host") s.system.host_bytes_per_s = 1e9 * n;
    if (pair[0] == "experts_on_host") c.figure.experts_on_host = n;
    if (pair[0] == "split") c.figure.layers_split = true;
    if (pair[0] == "same_wall") c.figure.counting = Counting::same_wall;
    if (pair[0] == "link") link.bytes_per_s = 1e9 * n;
    if (pair[0] == "latency") link.latency_s = 1e-6 * n;
  }
  if (link.bytes_per_s > 0) s.system.device.links = {link};
  return c;
}

TEST(CasesTable, every_figure_has_its_fraction_and_verdict) {
  std::size_t held = 0;
  for (const Cells& row : table()) {
    if (row.size() > kModel && row[kModel] == "-") continue;
    ASSERT_EQ(row.size(), kColumns) << row[kId];
    SCOPED_TRACE(row[kId] + ": " + row[kClaim] + " (" + row[kDerivation] + ")");
    const Case c = case_of(row);
    const auto valid = validate(c.scenario);
    ASSERT_TRUE(valid) << valid.error().message;
    const Diagnosis d = diagnose(c.figure, analyze(c.scenario, Efficiency{}));
    EXPECT_NEAR(d.fraction_of_roof, std::stod(row[kFraction]), std::stod(row[kTolerance]));
    if (row[kStanding] != "*") {
      EXPECT_EQ(name_of(d.standing), row[kStanding]);
    }
    if (row[kVerdict] != "*") {
      EXPECT_EQ(name_of(d.verdict), row[kVerdict]);
    }
    if (row[kCause] != "-") {
      EXPECT_NE(cause(d, row[kCause]), nullptr) << row[kCause];
    }
    ++held;
  }
  EXPECT_GE(held, 30U);
}

TEST(CasesTable, what_is_no_measurement_says_why) {
  for (const Cells& row : table()) {
    if (row.size() > kModel && row[kModel] != "-") continue;
    ASSERT_EQ(row.size(), 3U) << row[kId];
    EXPECT_GT(row[2].size(), 10U) << row[kId];
  }
}

// A case that comes to the collection must come to the table.
TEST(CasesTable, no_case_is_left_out) {
  const auto path = test::in_corpus("cases.tsv");
  if (path.empty()) GTEST_SKIP() << "no collection of cases here";
  std::set<std::string> mine;
  for (const Cells& row : table()) mine.insert(row[kId]);
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    if (!line.empty()) {
      EXPECT_EQ(mine.count(split(line, '\t')[0]), 1U) << line.substr(0, 60);
    }
  }
}

}  // namespace
}  // namespace rooflens::check_tests
