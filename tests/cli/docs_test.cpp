// The pages that show commands with their output tell the truth: every ```console block is run.
//
// A block is `$ rooflens ...` lines, each followed by what it prints (standard output, then
// standard error); a line `...` stands for any lines left out.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cli/command.h"

namespace rooflens::cli {
namespace {

struct Shown {
  std::string command;
  std::vector<std::string> lines;
  int at = 0;  // line in the page
};

std::vector<Shown> blocks_of(const std::string& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in.good()) << path;
  std::vector<Shown> all;
  std::string line;
  bool inside = false;
  for (int at = 1; std::getline(in, line); ++at) {
    if (line == "```console") {
      inside = true;
    } else if (line == "```") {
      inside = false;
    } else if (inside && line.rfind("$ rooflens ", 0) == 0) {
      all.push_back({line.substr(11), {}, at});
    } else if (inside && !all.empty()) {
      all.back().lines.push_back(line);
    }
  }
  return all;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The first shown line that the output does not have where it should be, or -1.
int first_missing(const std::vector<std::string>& shown, const std::vector<std::string>& output) {
  std::size_t next = 0;
  bool gap = true;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (shown[i].empty()) continue;
    if (shown[i] == "...") {
      gap = true;
      continue;
    }
    while (next < output.size() && (output[next].empty() || (gap && output[next] != shown[i]))) {
      ++next;
    }
    if (next == output.size() || output[next] != shown[i]) return static_cast<int>(i);
    ++next;
    gap = false;
  }
  return -1;
}

TEST(Docs, every_shown_output_is_what_the_command_prints) {
  int shown = 0;
  for (const char* page : {"/docs/founding.md", "/README.md"}) {
    for (const Shown& s : blocks_of(ROOFLENS_SOURCE_DIR + std::string(page))) {
      const Outcome o = command(s.command);
      const std::vector<std::string> output = lines_of(o.out + o.err);
      const int missing = first_missing(s.lines, output);
      EXPECT_EQ(missing, -1) << page << ":" << s.at << ": $ rooflens " << s.command
                             << "\ndoes not print: "
                             << (missing < 0 ? "" : s.lines[static_cast<std::size_t>(missing)])
                             << "\nbut:\n" << o.out << o.err;
      ++shown;
    }
  }
  EXPECT_GE(shown, 10);
}

TEST(Docs, a_wrong_line_would_be_seen) {
  EXPECT_EQ(first_missing({"a", "...", "c"}, {"a", "b", "c"}), -1);
  EXPECT_EQ(first_missing({"a", "c"}, {"a", "b", "c"}), 1);
  EXPECT_EQ(first_missing({"...", "d"}, {"a", "b", "c"}), 1);
}

}  // namespace
}  // namespace rooflens::cli
