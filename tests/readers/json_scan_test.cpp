// The scan of headers: strict JSON, every escape, every way to be cut.
#include "rooflens/readers/json_scan.h"

#include <gtest/gtest.h>

#include <vector>

namespace rooflens {
namespace {

std::string read_string(std::string_view text) {
  JsonScan json(text);
  std::string_view out;
  return json.string(out) && json.end() ? std::string(out) : "trouble: " + json.trouble();
}

TEST(JsonScan, StringsAreRead) {
  EXPECT_EQ(read_string(R"("plain")"), "plain");
  EXPECT_EQ(read_string(R"(  ""  )"), "");
  EXPECT_EQ(read_string(R"("a\"b\\c\/d\n\t")"), "a\"b\\c/d\n\t");
  EXPECT_EQ(read_string(R"("\u0041\u00e9\u20AC")"), "A\xC3\xA9\xE2\x82\xAC");
  EXPECT_EQ(read_string(R"("\ud83d\ude00")"), "\xF0\x9F\x98\x80");
  EXPECT_EQ(read_string(R"("\ud83d")"), "\xEF\xBF\xBD");  // half a pair
  for (const char* bad : {R"("open)", R"("\)", R"("\x41")", R"("\u12)", "\"\n\"", "plain", ""}) {
    EXPECT_EQ(read_string(bad).substr(0, 9), "trouble: ") << bad;
  }
}

TEST(JsonScan, WholeNumbersAreRead) {
  const auto read = [](std::string_view text) {
    JsonScan json(text);
    std::uint64_t n = 0;
    return json.whole(n) && json.end() ? std::to_string(n) : json.trouble();
  };
  EXPECT_EQ(read("0"), "0");
  EXPECT_EQ(read("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(read("18446744073709551616"), "a number past 2^64");
  EXPECT_EQ(read("-1"), "a negative number");
  EXPECT_EQ(read("1.0"), "a number that is not whole");
  EXPECT_EQ(read("1e3"), "a number that is not whole");
  EXPECT_EQ(read("x"), "no whole number");
  EXPECT_EQ(read(""), "the JSON ends too early");
}

TEST(JsonScan, AnythingIsPassedOver) {
  for (const char* text :
       {R"({"a":[1,-2.5e3,{"b":null}],"c":true})", "[]", "{}", "[[[]]]", "-0.5"}) {
    JsonScan json(text);
    EXPECT_TRUE(json.skip() && json.end()) << text << json.trouble();
  }
  const std::string whole = R"({"a":[1,2,{"b":"x\u0041"}],"c":true})";
  for (std::size_t n = 0; n < whole.size(); ++n) {
    JsonScan json(std::string_view(whole).substr(0, n));
    EXPECT_FALSE(json.skip() && json.end()) << n;
    EXPECT_FALSE(json.trouble().empty()) << n;
  }
  for (const char* bad : {"{1:2}", "[1 2]", "{\"a\" 1}", "{} {}", "[1,]", "nul", "[}"}) {
    JsonScan json(bad);
    EXPECT_FALSE(json.skip() && json.end()) << bad;
  }
}

TEST(JsonScan, NestingIsBounded) {
  const std::string text(100000, '[');
  JsonScan json(text);
  EXPECT_FALSE(json.skip());
  EXPECT_EQ(json.trouble(), "nested too deep");
}

TEST(JsonScan, MembersAndElementsAreGivenInOrder) {
  JsonScan json(R"({"a": 1, "b\n": [2, 3], "a": 4})");
  std::vector<std::string> keys;
  std::vector<std::uint64_t> numbers;
  const auto number = [&] {
    std::uint64_t n = 0;
    if (!json.whole(n)) return false;
    numbers.push_back(n);
    return true;
  };
  EXPECT_TRUE(json.object([&](std::string_view key) {
    keys.emplace_back(key);
    return json.peek() == '[' ? json.array(number) : number();
  }));
  EXPECT_TRUE(json.end());
  EXPECT_EQ(keys, (std::vector<std::string>{"a", "b\n", "a"}));
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace rooflens
