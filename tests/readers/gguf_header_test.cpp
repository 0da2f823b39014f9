// GGUF headers against the format's own facts: value types, block sizes, byte orders, versions, and
// what a damaged or lying file must give.
#include "rooflens/readers/gguf_header.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "corpus.h"
#include "readers/gguf_writer.h"

namespace rooflens {
namespace {

using test::GgufWriter;

Partial<GgufHeader> read(const std::string& bytes, std::uint64_t size = 0) {
  return read_gguf_header(bytes, size > 0 ? size : bytes.size(), "m.gguf");
}

GgufHeader whole(const std::string& bytes, std::uint64_t size = 0) {
  auto r = read(bytes, size);
  EXPECT_TRUE(r) << (r ? "" : r.error().message + " at " + r.error().where);
  if (!r) return {};
  auto* header = std::get_if<GgufHeader>(&*r);
  EXPECT_NE(header, nullptr) << "more was asked for";
  return header != nullptr ? std::move(*header) : GgufHeader{};
}

std::string error_of(const std::string& bytes, std::uint64_t size = 0) {
  auto r = read(bytes, size);
  return r ? "" : r.error().where + ": " + r.error().message;
}

GgufWriter small() {
  GgufWriter w;
  w.text("general.architecture", "llama");
  w.u32("llama.block_count", 2);
  w.tensor("a", {32, 2}, 0, 256);
  w.tensor("b", {64}, 2, 36);
  return w;
}

// A file's list of types with elements and bytes of a block, as ggml's structs have them.
struct Block {
  std::uint32_t id;
  const char* name;
  std::uint64_t elements, bytes;
};
constexpr Block kBlocks[] = {
    {0, "F32", 1, 4},         {1, "F16", 1, 2},         {2, "Q4_0", 32, 18},
    {3, "Q4_1", 32, 20},      {6, "Q5_0", 32, 22},      {7, "Q5_1", 32, 24},
    {8, "Q8_0", 32, 34},      {9, "Q8_1", 32, 36},      {10, "Q2_K", 256, 84},
    {11, "Q3_K", 256, 110},   {12, "Q4_K", 256, 144},   {13, "Q5_K", 256, 176},
    {14, "Q6_K", 256, 210},   {15, "Q8_K", 256, 292},   {16, "IQ2_XXS", 256, 66},
    {17, "IQ2_XS", 256, 74},  {18, "IQ3_XXS", 256, 98}, {19, "IQ1_S", 256, 50},
    {20, "IQ4_NL", 32, 18},   {21, "IQ3_S", 256, 110},  {22, "IQ2_S", 256, 82},
    {23, "IQ4_XS", 256, 136}, {24, "I8", 1, 1},         {25, "I16", 1, 2},
    {26, "I32", 1, 4},        {27, "I64", 1, 8},        {28, "F64", 1, 8},
    {29, "IQ1_M", 256, 56},   {30, "BF16", 1, 2},       {34, "TQ1_0", 256, 54},
    {35, "TQ2_0", 256, 66},   {39, "MXFP4", 32, 17},    {40, "NVFP4", 64, 36},
    {41, "Q1_0", 128, 18},    {42, "Q2_0", 64, 18},
};

TEST(GgufHeader, EveryTypeHasItsBlockSize) {
  for (std::uint32_t version : {1U, 2U, 3U}) {
    for (bool big : {false, true}) {
      GgufWriter w;
      w.version = version;
      w.big_endian = big;
      w.text("general.architecture", "x");
      for (const Block& b : kBlocks) {
        w.tensor(b.name, {b.elements * 4, 3}, b.id, b.bytes * 12);
      }
      const GgufHeader h = whole(w.file());
      EXPECT_EQ(h.version, version);
      EXPECT_EQ(h.big_endian, big);
      ASSERT_EQ(h.tensors.size(), std::size(kBlocks));
      for (std::size_t i = 0; i < std::size(kBlocks); ++i) {
        const Tensor& t = h.tensors[i];
        EXPECT_EQ(t.name, kBlocks[i].name);
        EXPECT_EQ(t.format, kBlocks[i].name);
        EXPECT_EQ(t.elements, static_cast<double>(kBlocks[i].elements * 12));
        EXPECT_EQ(t.bytes, static_cast<double>(kBlocks[i].bytes * 12));
        EXPECT_EQ(t.dims, 2);
        EXPECT_EQ(t.shape[0], 3U);  // rows first
        EXPECT_EQ(t.shape[1], kBlocks[i].elements * 4);
      }
    }
  }
}

TEST(GgufHeader, EveryValueTypeIsRead) {
  GgufWriter w;
  w.scalar("u8", 0, 200, 1);
  w.scalar("i8", 1, 0x80, 1);
  w.scalar("u16", 2, 65535, 2);
  w.scalar("i16", 3, 0x8000, 2);
  w.u32("u32", 4000000000U);
  w.i32("i32", -7);
  w.f32("f32", 0.25F);
  w.flag("bool", true);
  w.text("string", "Llama");
  w.scalar("u64", 10, 1ULL << 40, 8);
  w.scalar("i64", 11, static_cast<std::uint64_t>(-3), 8);
  w.scalar("f64", 12, std::bit_cast<std::uint64_t>(-0.5), 8);
  w.u32s("list", {1, 2, 3});
  w.flags("flags", {true, false});
  w.texts("tokens", {"a", "bc", ""});
  const GgufHeader h = whole(w.file());
  EXPECT_EQ(h.number("u8", 0), 200);
  EXPECT_EQ(h.number("i8", 0), -128);
  EXPECT_EQ(h.number("u16", 0), 65535);
  EXPECT_EQ(h.number("i16", 0), -32768);
  EXPECT_EQ(h.number("u32", 0), 4e9);
  EXPECT_EQ(h.number("i32", 0), -7);
  EXPECT_EQ(h.number("f32", 0), 0.25);
  EXPECT_EQ(std::get<bool>(h.find("bool")->value), true);
  EXPECT_EQ(h.text("string"), "Llama");
  EXPECT_EQ(h.number("u64", 0), 1099511627776.0);
  EXPECT_EQ(h.number("i64", 0), -3);
  EXPECT_EQ(h.number("f64", 0), -0.5);
  const auto& list = std::get<GgufArray>(h.find("list")->value);
  EXPECT_EQ(list.numbers, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(std::get<GgufArray>(h.find("flags")->value).numbers, (std::vector<double>{1, 0}));
  const auto& tokens = std::get<GgufArray>(h.find("tokens")->value);
  EXPECT_EQ(tokens.count, 3U);
  EXPECT_TRUE(tokens.numbers.empty());
  EXPECT_EQ(h.number("missing", 42), 42);
}

TEST(GgufHeader, ANestedArrayIsPassedOver) {
  GgufWriter w;
  std::string bytes;
  const auto put = [&](std::uint64_t v, int width) {
    for (int i = 0; i < width; ++i) bytes += static_cast<char>(v >> (8 * i) & 0xFF);
  };
  put(9, 4);  // of arrays
  put(2, 8);
  for (int k = 0; k < 2; ++k) {
    put(0, 4);
    put(3, 8);
    put(0x010203, 3);
  }
  w.raw("nested", 9, bytes);
  w.u32("after", 5);
  EXPECT_EQ(whole(w.file()).number("after", 0), 5);
}

TEST(GgufHeader, AnUnknownTypeIsSizedByTheNextTensor) {
  GgufWriter w;
  w.tensor("known", {32}, 0, 128);
  w.tensor("iq2_k", {256, 4}, 137, 304);
  w.tensor("last", {256}, 140, 76);
  const GgufHeader h = whole(w.file());
  ASSERT_EQ(h.tensors.size(), 3U);
  EXPECT_EQ(h.tensors[1].format, "type 137");
  EXPECT_FALSE(h.tensors[1].storage);
  EXPECT_EQ(h.tensors[1].bytes, 320);  // with the padding up to the next
  EXPECT_EQ(h.tensors[2].bytes, 76);   // up to the end of the file
}

TEST(GgufHeader, AsksForWhatItNeedsAndNoMore) {
  GgufWriter w = small();
  const std::string file = w.file();
  std::size_t given = 0;
  for (int turns = 0; turns < 100; ++turns) {
    auto r = read_gguf_header(std::string_view(file).substr(0, given), file.size(), "m.gguf");
    ASSERT_TRUE(r) << r.error().message;
    if (std::holds_alternative<GgufHeader>(*r)) {
      EXPECT_LE(given, file.size());
      return;
    }
    const std::uint64_t more = std::get<NeedMore>(*r).bytes;
    ASSERT_GT(more, given);
    ASSERT_LE(more, file.size());
    given = more;
  }
  FAIL() << "it never has enough";
}

TEST(GgufHeader, CutAnywhereItIsAnError) {
  const std::string file = small().file();
  for (std::size_t n = 0; n < file.size(); ++n) {
    auto r = read_gguf_header(std::string_view(file).substr(0, n), n, "m.gguf");
    ASSERT_FALSE(r) << n;
    EXPECT_NE(r.error().where.find("m.gguf: offset "), std::string::npos) << r.error().where;
  }
  EXPECT_TRUE(read(file));
}

TEST(GgufHeader, EveryFlippedByteIsReadOrRefused) {
  const std::string file = small().header();
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (int value : {0, 1, 0x7F, 0x80, 0xFF}) {
      std::string damaged = file;
      damaged[at] = static_cast<char>(value);
      (void)read(damaged, file.size() + 1024);
    }
  }
}

TEST(GgufHeader, ClaimsBeyondTheFileAreNamed) {
  std::string file = small().file();
  const auto claim = [&](std::size_t at, std::uint64_t value) {
    std::string damaged = file;
    std::memcpy(damaged.data() + at, &value, 8);
    return error_of(damaged);
  };
  EXPECT_EQ(claim(8, 1000000000000ULL),
            "m.gguf: offset 8: the header claims 1000000000000 tensors; at most 65536 are read");
  EXPECT_NE(claim(16, ~0ULL).find("offset 16: the header claims"), std::string::npos);
  EXPECT_NE(claim(24, 1ULL << 63).find("the name of a key"), std::string::npos);
}

TEST(GgufHeader, TensorsThatCannotBeAreNamed) {
  GgufWriter w;
  w.tensor("odd", {33}, 2, 36);
  EXPECT_NE(error_of(w.file()).find("tensor odd has rows of 33 values, not whole blocks of 32"),
            std::string::npos);

  GgufWriter huge;
  huge.tensor("huge", {1ULL << 63, 2}, 0, 8);
  EXPECT_NE(error_of(huge.file()).find("tensor huge has more values than any file can hold"),
            std::string::npos);

  GgufWriter five;
  five.tensor("five", {1, 1, 1, 1, 1}, 0, 4);
  EXPECT_NE(error_of(five.file()).find("tensor five has 5 dimensions"), std::string::npos);

  GgufWriter past;
  past.tensor("past", {1024}, 0, 32);
  EXPECT_NE(error_of(past.file()).find("tensor past lies past the end of the file"),
            std::string::npos);

  GgufWriter twice;
  twice.tensor("same", {1}, 0, 4);
  twice.tensor("same", {1}, 0, 4);
  EXPECT_NE(error_of(twice.file()).find("tensor same is there twice"), std::string::npos);

  GgufWriter lap;
  lap.tensor("first", {16}, 0, 32);  // 64 bytes in 32
  lap.tensor("second", {8}, 0, 32);
  EXPECT_NE(error_of(lap.file()).find("tensor first overlaps tensor second"), std::string::npos);
}

TEST(GgufHeader, AKeyGivenTwiceIsNamed) {
  GgufWriter w;
  w.u32("llama.block_count", 2);
  w.u32("llama.block_count", 7);
  EXPECT_NE(error_of(w.file()).find("key llama.block_count is there twice"), std::string::npos);
}

TEST(GgufHeader, AlignmentIsThatOfTheFile) {
  GgufWriter w;
  w.alignment = 64;
  w.u32("general.alignment", 64);
  w.tensor("a", {1}, 0, 4);
  w.tensor("b", {1}, 0, 4);
  const GgufHeader h = whole(w.file());
  EXPECT_EQ(h.alignment, 64U);
  EXPECT_EQ(h.header_bytes % 64, 0U);

  GgufWriter bad;
  bad.u32("general.alignment", 48);
  EXPECT_NE(error_of(bad.file()).find("general.alignment"), std::string::npos);

  GgufWriter lies;  // tensors lie at multiples of 32, the file says 64
  lies.u32("general.alignment", 64);
  lies.tensor("a", {1}, 0, 4);
  lies.tensor("b", {1}, 0, 4);
  EXPECT_NE(error_of(lies.file() + std::string(64, '\0')).find("no multiple of the alignment"),
            std::string::npos);
}

TEST(GgufHeader, OtherFilesAreToldApart) {
  EXPECT_NE(error_of("PK\x03\x04 a zip file and more").find("does not begin with GGUF"),
            std::string::npos);
  GgufWriter w = small();
  w.version = 4;
  auto r = read(w.file());
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, ErrorCode::unsupported);
}

// ---- real files of others, where they are -------------------------------------------------------

// Vocabularies of llama.cpp: no tensors, the header is the whole file. Tokens counted by the
// models' own vocabularies.
TEST(GgufHeader, RealVocabularies) {
  const std::filesystem::path folder = test::in_corpus("gguf");
  if (folder.empty()) GTEST_SKIP() << "no corpus";
  struct Real {
    const char *name, *architecture;
    std::uint64_t tokens;
  };
  for (const Real& real : {Real{"bert-bge", "bert", 30522}, Real{"gpt-2", "gpt2", 50257},
                           Real{"llama-spm", "llama", 32000}, Real{"phi-3", "phi3", 32064}}) {
    const std::string name = std::string("ggml-vocab-") + real.name + ".gguf";
    const std::string file = test::bytes_of(folder / name);
    const GgufHeader h = whole(file);
    EXPECT_EQ(h.version, 3U) << real.name;
    EXPECT_EQ(h.text("general.architecture"), real.architecture);
    EXPECT_TRUE(h.tensors.empty());
    EXPECT_LT(h.header_bytes - file.size(), h.alignment);
    const GgufKey* tokens = h.find("tokenizer.ggml.tokens");
    ASSERT_NE(tokens, nullptr);
    EXPECT_EQ(std::get<GgufArray>(tokens->value).count, real.tokens) << real.name;
  }
}

}  // namespace
}  // namespace rooflens
