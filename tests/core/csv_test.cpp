#include "rooflens/core/csv.h"

#include <gtest/gtest.h>

namespace rooflens {
namespace {

TEST(Csv, QuotesBlanksAndLineEnds) {
  auto t = CsvTable::open(
      "\xEF\xBB\xBF"
      "a,b,c\r\n\r\n1,\"x, y\",\"say \"\"hi\"\"\"\r\n2,,\n",
      "t");
  ASSERT_TRUE(t);
  EXPECT_EQ(t->column("b"), 1u);
  EXPECT_EQ(t->column("z"), CsvTable::npos);
  ASSERT_TRUE(*t->next());
  EXPECT_EQ(t->at(0), "1");
  EXPECT_EQ(t->at(1), "x, y");
  EXPECT_EQ(t->at(2), "say \"hi\"");
  EXPECT_EQ(t->at(CsvTable::npos), "");
  EXPECT_EQ(t->where(), "t:3");
  ASSERT_TRUE(*t->next());
  EXPECT_EQ(t->at(2), "");
  EXPECT_FALSE(*t->next());
  EXPECT_FALSE(*t->next());
}

TEST(Csv, AQuotedFieldMayHoldLines) {
  auto t = CsvTable::open("a,b\n\"1\n2\",3\n4,5", "t");
  ASSERT_TRUE(*t->next());
  EXPECT_EQ(t->at(0), "1\n2");
  ASSERT_TRUE(*t->next());
  EXPECT_EQ(t->where(), "t:4");
  EXPECT_EQ(t->at(1), "5");
}

TEST(Csv, Errors) {
  EXPECT_EQ(CsvTable::open("", "t").error().code, ErrorCode::malformed);
  EXPECT_EQ(CsvTable::open("\n\n", "t").error().where, "t");
  auto open_quote = CsvTable::open("a\n\"1", "t");
  EXPECT_EQ(open_quote->next().error().where, "t:2");
  auto few = CsvTable::open("a,b\n1\n", "t");
  EXPECT_EQ(few->next().error().code, ErrorCode::malformed);
  auto junk = CsvTable::open("a\n\"1\"2\n", "t");
  EXPECT_FALSE(junk->next().has_value());
}

}  // namespace
}  // namespace rooflens
