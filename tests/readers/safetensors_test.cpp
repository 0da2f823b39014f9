// .safetensors headers and indices: every type, every lie.
#include <gtest/gtest.h>

#include "readers/safetensors_testing.h"
#include "rooflens/readers/safetensors_index.h"

namespace rooflens {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

std::string error_of(const std::string& bytes, std::uint64_t size = 0) {
  auto r = read_safetensors_header(bytes, size > 0 ? size : bytes.size(), "m.safetensors");
  return r ? "" : r.error().where + ": " + r.error().message;
}

// ---- headers ------------------------------------------------------------------------------------

TEST(SafetensorsHeader, EveryTypeHasItsWidth) {
  struct Type {
    const char* name;
    int bits;
    bool matrix;
  };
  const Type types[] = {{"F64", 64, false},    {"F32", 32, true},    {"F16", 16, true},
                        {"BF16", 16, true},    {"F8_E4M3", 8, true}, {"F8_E5M2", 8, true},
                        {"F8_E8M0", 8, false}, {"F4", 4, true},      {"F6_E2M3", 6, true},
                        {"I8", 8, true},       {"U8", 8, false},     {"I16", 16, false},
                        {"U16", 16, false},    {"I32", 32, false},   {"U32", 32, false},
                        {"I64", 64, false},    {"U64", 64, false},   {"BOOL", 8, false}};
  SafetensorsWriter w;
  w.raw(R"("__metadata__":{"format":"pt","nested":"x"})");
  for (const Type& t : types) w.tensor(t.name, t.name, {4, 6}, t.bits);
  const auto tensors = whole(w.file());
  ASSERT_EQ(tensors.size(), std::size(types));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_EQ(tensors[i].format, types[i].name);
    EXPECT_EQ(tensors[i].elements, 24);
    EXPECT_EQ(tensors[i].bytes, 24.0 * types[i].bits / 8);
    EXPECT_EQ(tensors[i].storage.has_value(), types[i].matrix) << types[i].name;
  }
}

TEST(SafetensorsHeader, ATypeOfALaterDayHasTheBytesOfItsOffsets) {
  SafetensorsWriter w;
  w.tensor("x", "F3_NEW", {8}, 3);
  const auto tensors = whole(w.file());
  ASSERT_EQ(tensors.size(), 1U);
  EXPECT_EQ(tensors[0].bytes, 3);
  EXPECT_FALSE(tensors[0].storage);
}

TEST(SafetensorsHeader, AScalarIsOneValue) {
  SafetensorsWriter w;
  w.tensor("scale", "F32", {}, 32);
  EXPECT_EQ(whole(w.file())[0].elements, 1);
}

TEST(SafetensorsHeader, CutAnywhereItIsAnErrorOrAsksForMore) {
  SafetensorsWriter w;
  w.tensor("a", "F16", {2, 3}, 16);
  w.tensor("b", "F32", {5}, 32);
  const std::string file = w.file();
  for (std::size_t n = 0; n < file.size(); ++n) {
    EXPECT_FALSE(read_safetensors_header(file.substr(0, n), n, "m.safetensors")) << n;
    auto r = read_safetensors_header(std::string_view(file).substr(0, n), file.size(), "m");
    ASSERT_TRUE(r) << n << r.error().message;
    if (auto* more = std::get_if<NeedMore>(&*r)) {
      EXPECT_GT(more->bytes, n);
      EXPECT_LE(more->bytes, file.size());
    }
  }
}

TEST(SafetensorsHeader, WhatCannotBeIsNamed) {
  const auto with = [](const char* entry, std::uint64_t data = 64) {
    SafetensorsWriter w;
    w.raw(entry);
    return error_of(w.header() + std::string(data, '\0'));
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(with(R"("t":{"dtype":"F16","shape":[4],"data_offsets":[0,7]})"),
                  "tensor t has 4 values of F16 in 7 bytes"));
  EXPECT_TRUE(has(with(R"("t":{"dtype":"F16","shape":[4],"data_offsets":[8,0]})"),
                  "tensor t ends before it begins"));
  EXPECT_TRUE(has(with(R"("t":{"dtype":"F16","shape":[400],"data_offsets":[0,800]})"),
                  "tensor t lies past the end of the file"));
  EXPECT_TRUE(has(with(R"("t":{"dtype":"F16","shape":[-4],"data_offsets":[0,8]})"),
                  "tensor t has a negative number in its shape"));
  EXPECT_TRUE(has(with(R"("t":{"dtype":"F16","shape":[4.5],"data_offsets":[0,8]})"),
                  "tensor t has a number that is not whole in its shape"));
  EXPECT_TRUE(
      has(with(R"("t":{"dtype":"F16","shape":[9223372036854775807,4],"data_offsets":[0,8]})"),
          "more values than any file can hold"));
  EXPECT_TRUE(has(with(R"("t":{"dtype":"F16","shape":[4]})"), "tensor t has no two data_offsets"));
  EXPECT_TRUE(has(with(R"("t":{"shape":[4],"data_offsets":[0,8]})"), "tensor t has no dtype"));
  EXPECT_TRUE(has(with(R"("t":{"dtype":"F16","data_offsets":[0,8]})"), "tensor t has no shape"));
  EXPECT_TRUE(has(with(R"("t":[1])"), "is no object"));
  EXPECT_TRUE(has(with(R"("a":{"dtype":"F16","shape":[4],"data_offsets":[0,8]},)"
                       R"("b":{"dtype":"F16","shape":[4],"data_offsets":[4,12]})"),
                  "tensor a overlaps tensor b"));
  EXPECT_TRUE(has(with(R"("a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]},)"
                       R"("a":{"dtype":"F16","shape":[1],"data_offsets":[2,4]})"),
                  "tensor a is there twice"));
  EXPECT_TRUE(has(with(R"("t" 1)"), "no valid JSON"));
  EXPECT_TRUE(has(error_of(std::string(8, '\xFF') + "{}"), "more than the file"));
  EXPECT_TRUE(has(error_of("version https://git-lfs.github.com/spec/v1\noid sha256:"
                           "0000000000000000000000000000000000000000000000000000000000000000\n"
                           "size 123\n"),
                  "a Git LFS pointer stands for the file, which has 123 bytes"));
}

TEST(SafetensorsHeader, DeepNestingIsRefused) {
  SafetensorsWriter w;
  w.raw(R"("__metadata__":{"x":)" + std::string(100000, '['));
  EXPECT_NE(error_of(w.file()).find("nested too deep"), std::string::npos) << error_of(w.file());
}

// ---- the index ----------------------------------------------------------------------------------

TEST(SafetensorsIndex, NamesEachFileOnce) {
  const auto index = read_safetensors_index(
      R"({"metadata":{"total_size":123},"weight_map":{"a":"m-1.safetensors","b":"m-2.safetensors",
          "c":"m-1.safetensors"}})",
      "index.json");
  ASSERT_TRUE(index) << index.error().message;
  EXPECT_EQ(index->files, (std::vector<std::string>{"m-1.safetensors", "m-2.safetensors"}));
  EXPECT_EQ(index->tensors, 3U);
  EXPECT_EQ(index->total_size, 123);
}

TEST(SafetensorsIndex, NeverLeavesItsFolder) {
  for (const char* name : {"../x", "/etc/passwd", "a/b", "..", "", "a\\\\b"}) {
    const auto index = read_safetensors_index(
        R"({"weight_map":{"a":")" + std::string(name) + R"("}})", "index.json");
    ASSERT_FALSE(index) << name;
    EXPECT_NE(index.error().message.find("no plain name"), std::string::npos);
  }
  EXPECT_FALSE(read_safetensors_index("{}", "index.json"));
  EXPECT_FALSE(read_safetensors_index("{\"weight_map\":", "index.json"));
}

}  // namespace
}  // namespace rooflens
