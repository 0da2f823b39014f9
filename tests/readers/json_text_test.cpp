#include "rooflens/readers/json_text.h"

#include <gtest/gtest.h>

#include <cstring>

namespace rooflens {
namespace {

using std::string;

Error error_of(std::string_view text) {
  const auto document = parse_json(text, "config.json");
  EXPECT_FALSE(document.has_value()) << text.substr(0, 80);
  return document ? Error{} : document.error();
}

Json root_of(std::string_view text) {
  const auto document = parse_json(text, "config.json");
  EXPECT_TRUE(document.has_value()) << (document ? "" : document.error().message);
  return document ? document->root : Json{};
}

TEST(JsonText, ReadsEveryKindOfValue) {
  const Json root = root_of(R"({"a": 1, "b": -2.5e3, "c": [true, null, "x\né"], "d": {}})");
  EXPECT_EQ(root.find("a")->number, 1);
  EXPECT_EQ(root.find("b")->number, -2500);
  EXPECT_TRUE(root.find("c")->items[0].boolean);
  EXPECT_EQ(root.find("c")->items[2].string, "x\n\xC3\xA9");
  EXPECT_TRUE(root.find("d")->is(Json::Kind::object));
  EXPECT_EQ(root.find("e"), nullptr);
}

TEST(JsonText, NullCountsAsAbsentForGet) {
  const Json root = root_of(R"({"head_dim": null})");
  EXPECT_NE(root.find("head_dim"), nullptr);
  EXPECT_EQ(root.get("head_dim"), nullptr);
}

TEST(JsonText, ToleratesByteOrderMarkCrLfAndTrailingLines) {
  const Json root = root_of("\xEF\xBB\xBF{\r\n  \"a\": 1\r\n}\r\n\n");
  EXPECT_EQ(root.find("a")->number, 1);
}

TEST(JsonText, ReadsNotANumbersAsNullAndSaysSo) {
  const auto document =
      parse_json(R"({"a": [0.0, Infinity], "b": NaN, "c": -Infinity, "d": 2})", "f");
  ASSERT_TRUE(document.has_value());
  EXPECT_TRUE(document->root.find("a")->items[1].is(Json::Kind::null));
  EXPECT_TRUE(document->root.find("b")->is(Json::Kind::null));
  EXPECT_EQ(document->root.find("d")->number, 2);
  ASSERT_EQ(document->notes.size(), 1u);
  EXPECT_NE(document->notes[0].find("3 NaN or Infinity"), string::npos);
}

TEST(JsonText, LeavesWordsInsideStringsAlone) {
  const Json root = root_of(R"({"a": "NaN \" Infinity", "NaN": 1})");
  EXPECT_EQ(root.find("a")->string, "NaN \" Infinity");
  EXPECT_EQ(root.find("NaN")->number, 1);
}

TEST(JsonText, LastOfRepeatedKeysCountsAndIsNoted) {
  const auto document = parse_json(R"({"a": 1, "a": 2})", "f");
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(document->root.find("a")->number, 2);
  ASSERT_EQ(document->notes.size(), 1u);
  EXPECT_NE(document->notes[0].find("\"a\""), string::npos);
}

TEST(JsonText, TellsLineAndColumn) {
  // The stray `x` is the fourth character of the third line.
  const Error error = error_of("{\n\"a\": 1,\n  \"x: 2\n}");
  EXPECT_EQ(error.code, ErrorCode::malformed);
  EXPECT_EQ(error.where.rfind("config.json: line ", 0), 0u) << error.where;
  const Error second = error_of("{\n \"a\": 1\n  x\n}");
  EXPECT_EQ(second.where, "config.json: line 3, column 3");
}

TEST(JsonText, PositionIsTheUsersEvenAfterReplacements) {
  const Error error = error_of("{\"a\": NaN, \"b\": NaN, ?}");
  EXPECT_EQ(error.where, "config.json: line 1, column 22");
}

TEST(JsonText, SaysWhenTheTextIsCutOff) {
  const Error error = error_of("{\"a\": [1, 2");
  EXPECT_EQ(error.message, "the JSON ends too early");
  EXPECT_FALSE(error.hint.empty());
}

TEST(JsonText, SaysWhatOtherFilesAre) {
  const auto message = [](std::string_view text) { return error_of(text).message; };
  EXPECT_EQ(message(""), "the file is empty");
  EXPECT_EQ(message(" \n\t "), "the file is empty");
  EXPECT_EQ(message("version https://git-lfs.github.com/spec/v1\noid sha256:9a\nsize 35838\n"),
            "this is a Git LFS pointer of 35838 bytes; fetch the file itself");
  EXPECT_EQ(message("<!DOCTYPE html><html></html>"), "a web page, not JSON");
  EXPECT_EQ(message("  <html>"), "a web page, not JSON");
  EXPECT_EQ(message("GGUF\x03"), "a GGUF model file, not JSON");
  EXPECT_EQ(message(std::string_view("{\0\0\0", 4)), "binary data, not JSON");
  EXPECT_EQ(message(std::string_view("\x10\0\0\0\0\0\0\0{\"a\":1}", 15)),
            "a safetensors weight file, not JSON");
  EXPECT_EQ(message(std::string_view("\xFF\xFE{\0", 4)), "UTF-16 text");
}

TEST(JsonText, BoundsNestingAndSize) {
  const string deep = string(kJsonDepth, '[') + string(kJsonDepth, ']');
  EXPECT_TRUE(parse_json(deep, "f").has_value());
  const Error error = error_of(string(1000000, '['));
  EXPECT_NE(error.message.find("128 levels"), string::npos);
  EXPECT_EQ(error.where, "config.json: line 1, column 129");
  EXPECT_EQ(error_of(string(kJsonBytes + 1, ' ')).code, ErrorCode::out_of_range);
}

TEST(JsonText, RefusesTrailingTextBadEscapesAndHugeNumbers) {
  EXPECT_EQ(error_of("{} {}").code, ErrorCode::malformed);
  EXPECT_EQ(error_of(R"({"a": "\q"})").code, ErrorCode::malformed);
  EXPECT_EQ(error_of(R"({"a": 1e999})").code, ErrorCode::malformed);
  EXPECT_EQ(error_of("{\"a\": \"\xFF\"}").code, ErrorCode::malformed);
  EXPECT_EQ(error_of(R"({"a": nan})").code, ErrorCode::malformed);
}

TEST(JsonText, EveryCutOfAFileIsAnErrorOrAValue) {
  const string text = R"({"a": [1, NaN, -Infinity, "x\"y"], "b": {"c": null, "d": 1e3}})";
  for (std::size_t n = 0; n < text.size(); ++n) {
    EXPECT_FALSE(parse_json(text.substr(0, n), "f").has_value()) << n;
  }
}

TEST(JsonText, BriefIsShort) {
  EXPECT_EQ(brief(root_of("[1, 2.5, \"a\", null, true]")), "[1, 2.5, \"a\", null, true]");
  EXPECT_LE(brief(root_of('"' + string(5000, 'x') + '"')).size(), 70u);
  EXPECT_EQ(number_text(131072), "131072");
  EXPECT_EQ(number_text(0.25), "0.25");
}

}  // namespace
}  // namespace rooflens
