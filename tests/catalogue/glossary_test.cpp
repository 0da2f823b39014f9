#include "rooflens/catalogue/glossary.h"

#include <gtest/gtest.h>

#include <set>

#include "rooflens/catalogue/names.h"

namespace rooflens {
namespace {

TEST(Glossary, EveryEntryIsWhole) {
  EXPECT_GE(glossary().size(), 45u);
  std::set<std::string> seen;
  for (const GlossaryEntry& e : glossary()) {
    EXPECT_FALSE(e.sentence.empty()) << e.term;
    EXPECT_EQ(e.sentence.back(), '.') << e.term;
    EXPECT_NE(e.section.find(".md"), std::string::npos) << e.term;
    EXPECT_TRUE(seen.insert(letters_and_digits(e.term)).second) << e.term;
    for (const std::string& a : e.aliases) {
      EXPECT_TRUE(seen.insert(letters_and_digits(a)).second) << e.term << ": " << a;
    }
  }
}

TEST(Glossary, FoundByTermAliasAndSpelling) {
  ASSERT_NE(find_term("ridge"), nullptr);
  EXPECT_EQ(find_term("ridge")->term, "ridge point");
  EXPECT_EQ(find_term("Memory Bound")->term, "memory-bound");
  EXPECT_EQ(find_term("itl")->term, "TPOT");
  EXPECT_EQ(find_term("moe")->term, "mixture of experts");
  EXPECT_EQ(find_term("GB vs GiB")->term, "GiB");
  EXPECT_EQ(find_term("max-num-seqs")->term, "max-num-seqs");
  EXPECT_EQ(find_term("no such word"), nullptr);
  EXPECT_EQ(find_term(""), nullptr);
}

TEST(Glossary, Nearest) {
  const auto near = nearest_terms("rofline");
  ASSERT_FALSE(near.empty());
  EXPECT_EQ(near[0]->term, "roofline");
  EXPECT_TRUE(nearest_terms("zzzzzz").empty());
}

// Two different words are never one entry: x axis and y axis.
TEST(Glossary, TheTwoFractionsStandApart) {
  ASSERT_NE(find_term("fraction of ridge"), nullptr);
  ASSERT_NE(find_term("fraction of roof"), nullptr);
  EXPECT_NE(find_term("fraction of ridge"), find_term("fraction of roof"));
}

}  // namespace
}  // namespace rooflens
