// Patterns of quantisation blocks: bounded work, and no silence about what is not understood.
#include "rooflens/readers/hf_pattern.h"

#include <gtest/gtest.h>

namespace rooflens {
namespace {

TEST(HfPattern, OrdinaryPatterns) {
  PatternSet set;
  set.add("re:.*mlp.gate$");
  set.add("lm_head");
  EXPECT_TRUE(set.contains("layers.3.mlp.gate"));
  EXPECT_TRUE(set.contains("lm_head"));
  EXPECT_FALSE(set.contains("layers.3.mlp.gate_proj"));
  EXPECT_TRUE(set.unknown().empty());
}

// A pattern that nests deeper than any name needs is not understood, is told once, and costs the
// same however often it is asked.
TEST(HfPattern, NestedGroupsAreGivenUpOnce) {
  PatternSet set;
  set.add("re:" + std::string(20000, '(') + "a" + std::string(20000, ')'));
  for (int i = 0; i < 2000; ++i) EXPECT_FALSE(set.contains("layers." + std::to_string(i) + ".q"));
  EXPECT_EQ(set.unknown().size(), 1U);
}

TEST(HfPattern, ManyPatternsOnManyNamesEnd) {
  PatternSet set;
  for (int i = 0; i < 300; ++i) set.add("re:model.layers." + std::to_string(i) + ".mlp.*(x|y)z");
  for (int i = 0; i < 3000; ++i) (void)set.contains("layers." + std::to_string(i) + ".mlp.up");
  EXPECT_FALSE(set.unknown().empty());  // the budget ran out, and says so
}

}  // namespace
}  // namespace rooflens
