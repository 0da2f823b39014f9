#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "vectors/vector_file.h"

namespace rooflens::vectors {
namespace {

// The project's own copy, or the file named by ROOFLENS_VECTORS.
File vectors() {
  const char* named = std::getenv("ROOFLENS_VECTORS");
  const std::string path = named != nullptr ? named : ROOFLENS_SOURCE_DIR "/tests/vectors.json";
  std::ifstream in(path);
  EXPECT_TRUE(in.good()) << path;
  Loaded loaded = load(std::string(std::istreambuf_iterator<char>(in), {}));
  EXPECT_EQ(loaded.error, "") << path;
  return std::move(loaded.file);
}

TEST(Vectors, all_of_the_kinds_we_know_are_reproduced) {
  const Outcome o = run(vectors());
  for (const std::string& f : o.failures) ADD_FAILURE() << f;
  std::string by_kind, unknown;
  for (const auto& [kind, n] : o.per_kind) by_kind += " " + kind + ":" + std::to_string(n);
  for (const auto& [kind, n] : o.not_covered) unknown += " " + kind + ":" + std::to_string(n);
  std::cout << "vectors: " << o.passed << " reproduced (" << by_kind << " )\n";
  if (!unknown.empty()) std::cout << "vectors: kinds not covered yet:" << unknown << "\n";
  EXPECT_GE(o.passed, 263);  // all kinds that the core owns, and some that later verbs need
}

}  // namespace
}  // namespace rooflens::vectors
