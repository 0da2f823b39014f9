// Storage formats exact to the byte, their names, and the arithmetic they lead to. Every number is
// from arithmetic.md section 2 or gguf.md's table, or is worked out beside it.
#include "rooflens/core/storage.h"

#include <gtest/gtest.h>

#include <string>

#include "core/fixture.h"

namespace rooflens {
namespace {

using fixture::format;

struct Row {
  const char* name;
  double bits_per_weight;
  double bytes;  // of 256 outputs by 512 inputs: 131,072 values
  int ggml = -1;
};

// For 256 x 512: 1,024 groups of 128 along k, 2,048 of 64, 4,096 of 32, 8,192 of 16; 4 x 2 tiles;
// 4,096 GGUF blocks of 32, 2,048 of 64, 1,024 of 128, 512 of 256.
const Row kRows[] = {
    {"fp32", 32, 524288, 0},
    {"fp16", 16, 262144, 1},
    {"bf16", 16, 262144, 30},
    {"fp8", 8, 131072},
    {"int8", 8, 131072},
    {"fp8_tensor", 8, 131072 + 4},
    {"int8_tensor", 8, 131072 + 4},
    {"fp8_channel", 8, 131072 + 256 * 4},
    {"int8_channel", 8, 131072 + 256 * 2},
    {"fp8_block128", 8.001953125, 131072 + 8 * 4},
    {"fp8_block128b", 8.0009765625, 131072 + 8 * 2},
    {"mxfp8", 8.25, 131072 + 4096},
    {"mxfp6", 6.25, 98304 + 4096},
    {"mxfp4", 4.25, 65536 + 4096},
    {"nvfp4", 4.5, 65536 + 8192 + 4},
    {"awq4_g128", 4.15625, 65536 + 1024 * 2.5},
    {"awq4_g64", 4.3125, 65536 + 2048 * 2.5},
    {"gptq4_g128", 4.15625, 65536 + 1024 * 2.5},
    {"gptq4_g128_act", 4.15625, 65536 + 1024 * 2.5 + 512 * 4},
    {"gptq4_g32", 4.625, 65536 + 4096 * 2.5},
    {"gptq3_g128", 3.1484375, 49152 + 1024 * 2.375},
    {"gptq8_g128", 8.1875, 131072 + 1024 * 3},
    {"int4sym_g128", 4.125, 65536 + 1024 * 2},
    {"int4sym_g32", 4.5, 65536 + 4096 * 2},
    {"mlx3_g64", 3.5, 49152 + 2048 * 4},
    {"mlx4_g64", 4.5, 65536 + 2048 * 4},
    {"mlx5_g64", 5.5, 81920 + 2048 * 4},
    {"mlx6_g64", 6.5, 98304 + 2048 * 4},
    {"mlx8_g64", 8.5, 131072 + 2048 * 4},
    {"bnb_nf4", 4.5, 65536 + 2048 * 4},
    {"bnb_nf4_dq", 4.126953125, 65536 + 2048 + 8 * 4},
    {"fp8_ds_mla", 656 * 8 / 576.0, 256 * 656},  // a latent vector each
    {"Q4_0", 4.5, 4096 * 18, 2},
    {"Q4_1", 5, 4096 * 20, 3},
    {"Q5_0", 5.5, 4096 * 22, 6},
    {"Q5_1", 6, 4096 * 24, 7},
    {"Q8_0", 8.5, 4096 * 34, 8},
    {"Q8_1", 9, 4096 * 36, 9},
    {"Q2_K", 2.625, 512 * 84, 10},
    {"Q3_K", 3.4375, 512 * 110, 11},
    {"Q4_K", 4.5, 512 * 144, 12},
    {"Q5_K", 5.5, 512 * 176, 13},
    {"Q6_K", 6.5625, 512 * 210, 14},
    {"Q8_K", 9.125, 512 * 292, 15},
    {"IQ2_XXS", 2.0625, 512 * 66, 16},
    {"IQ2_XS", 2.3125, 512 * 74, 17},
    {"IQ3_XXS", 3.0625, 512 * 98, 18},
    {"IQ1_S", 1.5625, 512 * 50, 19},
    {"IQ4_NL", 4.5, 4096 * 18, 20},
    {"IQ3_S", 3.4375, 512 * 110, 21},
    {"IQ2_S", 2.5625, 512 * 82, 22},
    {"IQ4_XS", 4.25, 512 * 136, 23},
    {"IQ1_M", 1.75, 512 * 56, 29},
    {"TQ1_0", 1.6875, 512 * 54, 34},
    {"TQ2_0", 2.0625, 512 * 66, 35},
    {"MXFP4_GGUF", 4.25, 4096 * 17, 39},
    {"NVFP4_GGUF", 4.5, 2048 * 36, 40},
    {"I8", 8, 131072, 24},
    {"I16", 16, 2 * 131072, 25},
    {"I32", 32, 4 * 131072, 26},
    {"I64", 64, 8 * 131072, 27},
    {"F64", 64, 8 * 131072, 28},
    {"Q1_0", 1.125, 1024 * 18, 41},
    {"Q2_0", 2.25, 2048 * 18, 42},
};

TEST(Storage, EveryRowOfTheTable) {
  std::size_t count = 0;
  const NamedStorage* table = storage_table(&count);
  EXPECT_EQ(count, std::size(kRows)) << "a row without a number here";
  for (std::size_t i = 0; i < count; ++i) {
    const NamedStorage& row = table[i];
    const Row* want = nullptr;
    for (const Row& r : kRows) {
      if (std::string(r.name) == row.name) want = &r;
    }
    ASSERT_NE(want, nullptr) << row.name;
    EXPECT_DOUBLE_EQ(bits_per_weight(row.storage), want->bits_per_weight) << row.name;
    EXPECT_EQ(storage_bytes(row.storage, 256, 512), want->bytes) << row.name;
    EXPECT_EQ(row.ggml, want->ggml) << row.name;
    EXPECT_EQ(is_plain(row.storage), row.ggml == 0 || row.ggml == 1 ||
                                         (row.ggml >= 24 && row.ggml <= 28) || row.ggml == 30)
        << row.name;
  }
}

// Groups, tiles and blocks are counted by ceil: never bits per weight times elements.
TEST(Storage, PartialBlocks) {
  // DeepSeek's kv_a: 576 outputs by 7168 inputs, 5 x 56 tiles of fp32 scales.
  EXPECT_EQ(storage_bytes(format("fp8_block128"), 576, 7168), 7168 * 576 + 5 * 56 * 4);
  EXPECT_EQ(storage_bytes(format("fp8_block128b"), 576, 7168), 7168 * 576 + 5 * 56 * 2);
  EXPECT_EQ(storage_bytes(format("fp8_block128"), 1, 1), 1 + 4);
  // 100 inputs are one group of 128 and four of 32.
  EXPECT_EQ(storage_bytes(format("gptq4_g128"), 10, 100), 500 + 10 * 2.5);
  EXPECT_EQ(storage_bytes(format("gptq4_g32"), 10, 100), 500 + 4 * 10 * 2.5);
  EXPECT_EQ(storage_bytes(format("mxfp4"), 3, 33), 3 * 33 * 0.5 + 2 * 3);
  // A 4-bit rank's share of a matrix: half of 4096 x 4096 along k, 16 groups a row.
  EXPECT_EQ(storage_bytes(format("int4sym_g128"), 4096, 2048), 4096 * 1024 + 16 * 4096 * 2);
  // A share that is no whole number: 9557.3 outputs are 75 tiles, 7168 inputs 56.
  EXPECT_DOUBLE_EQ(storage_bytes(format("fp8_block128"), 28672 / 3.0, 7168),
                   28672 / 3.0 * 7168 + 75 * 56 * 4);
}

// bitsandbytes scales the flattened matrix: n/2 + 4 ceil(n/64), or with double quantisation
// n/2 + ceil(n/64) + 4 ceil(ceil(n/64)/256).
TEST(Storage, FlattenedScales) {
  EXPECT_EQ(storage_bytes(format("bnb_nf4"), 10, 10), 50 + 2 * 4);
  EXPECT_EQ(storage_bytes(format("bnb_nf4_dq"), 10, 10), 50 + 2 + 4);
  EXPECT_EQ(storage_bytes(format("bnb_nf4_dq"), 1, 64 * 257), 32 * 257 + 257 + 2 * 4);
}

TEST(Storage, ScalesOncePerTensorRowAndColumn) {
  EXPECT_EQ(storage_bytes(format("nvfp4"), 2880, 2880), 4147200 + 180 * 2880 + 4);
  EXPECT_EQ(storage_bytes(format("fp8_tensor"), 1, 1), 5);
  // g_idx of GPTQ with desc_act: four bytes an input, whatever the outputs.
  for (const double n : {1.0, 4096.0}) {
    EXPECT_EQ(storage_bytes(format("gptq4_g128_act"), n, 4096) -
                  storage_bytes(format("gptq4_g128"), n, 4096),
              4096 * 4);
  }
  EXPECT_EQ(storage_bytes(format("fp8_channel"), 28672, 8192), 28672 * 8192 + 28672 * 4);
}

// A cached vector: head of 128 in q8_0 = 4 blocks of 34 B; FlashMLA's latent = 512 + 16 + 128 B.
TEST(Storage, CachedVectors) {
  EXPECT_EQ(vector_bytes(format("bf16"), 128), 256);
  EXPECT_EQ(vector_bytes(format("fp8"), 128), 128);
  EXPECT_EQ(vector_bytes(format("Q8_0"), 128), 136);
  EXPECT_EQ(vector_bytes(format("q4_0"), 128), 72);
  EXPECT_EQ(vector_bytes(format("fp8_ds_mla"), 576), 656);
}

TEST(Storage, NamesLeadBackToTheirStorage) {
  for (const Row& r : kRows) {
    const NamedStorage* found = find_storage(r.name);
    ASSERT_NE(found, nullptr) << r.name;
    EXPECT_STREQ(found->name, r.name);
    // Two names of one layout (Q4_0 and IQ4_NL; AWQ and GPTQ) share it; the printed one leads back.
    const NamedStorage* printed = find_storage(storage_name(found->storage));
    ASSERT_NE(printed, nullptr) << r.name;
    EXPECT_TRUE(printed->storage == found->storage) << r.name << " and " << printed->name;
    std::string shouted = r.name;
    for (char& c : shouted) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    EXPECT_EQ(find_storage(shouted), found) << shouted;
  }
}

TEST(Storage, Aliases) {
  const struct {
    const char *alias, *name;
  } kSame[] = {{"bfloat16", "bf16"},     {"float16", "fp16"},
               {"half", "fp16"},         {"float32", "fp32"},
               {"f32", "fp32"},          {"F16", "fp16"},
               {"fp8_e4m3", "fp8"},      {"float8_e4m3fn", "fp8"},
               {"e4m3", "fp8"},          {"awq", "awq4_g128"},
               {"gptq", "gptq4_g128"},   {"nf4", "bnb_nf4"},
               {"int4", "int4sym_g128"}, {"fp8-block128", "fp8_block128"},
               {"q4_k", "Q4_K"},         {"iq4-nl", "IQ4_NL"},
               {"fp4", "nvfp4"}};
  for (const auto& s : kSame) {
    ASSERT_NE(find_storage(s.alias), nullptr) << s.alias;
    EXPECT_STREQ(find_storage(s.alias)->name, s.name);
  }
  // A file's mixture is no format, and nothing is guessed.
  for (const char* name : {"q4_k_m", "Q4_K_M", "", " ", "fp7", "int", "bf16 "}) {
    EXPECT_EQ(find_storage(name), nullptr) << name;
  }
}

TEST(Storage, FormatsOutsideTheTableAreNamedByWhatTheyAre) {
  Storage s = format("int4sym_g128");
  s.block = 256;
  EXPECT_EQ(storage_name(s), "int4 g256");
  s = format("fp8_block128");
  s.block = s.tile_n = 64;
  EXPECT_EQ(storage_name(s), "fp8 64x64");
}

TEST(Storage, PlainOfAnElement) {
  EXPECT_EQ(vector_bytes(plain(Element::fp32), 10), 40);
  EXPECT_EQ(vector_bytes(plain(Element::int4), 10), 5);
  EXPECT_TRUE(is_plain(plain(Element::fp16)));
  EXPECT_FALSE(is_plain(plain(Element::fp8))) << "scales or not, it is quantised";
}

// ---- which arithmetic ---------------------------------------------------------------------------

Device with_peaks(std::initializer_list<Compute> all) {
  Device d;
  for (const Compute c : all) d.peak[static_cast<std::size_t>(c)] = 1e14;
  return d;
}

const Device kAmpere = with_peaks({Compute::bf16, Compute::fp16, Compute::fp32, Compute::int8});
const Device kHopper =
    with_peaks({Compute::bf16, Compute::fp16, Compute::fp32, Compute::fp8, Compute::int8});
const Device kBlackwell = with_peaks({Compute::bf16, Compute::fp16, Compute::fp32, Compute::fp8,
                                      Compute::fp6, Compute::fp4, Compute::int8});
const Device kCpu = with_peaks({Compute::fp32, Compute::bf16, Compute::int8});
const Device kTuring = with_peaks({Compute::fp16, Compute::fp32, Compute::int8});

// The paragraph "Compute dtype rule" of arithmetic.md section 2, sentence by sentence.
TEST(ComputeType, TheRuleOfTheSpec) {
  const struct {
    const char* what;
    const char* weight;
    Element input;
    const Device& device;
    Compute want;
  } kCases[] = {
      {"AWQ on a GPU", "awq", Element::bf16, kHopper, Compute::bf16},
      {"GPTQ with fp16 inputs", "gptq", Element::fp16, kAmpere, Compute::fp16},
      {"3-bit GPTQ", "gptq3_g128", Element::bf16, kBlackwell, Compute::bf16},
      {"GGUF on a GPU", "Q4_K", Element::fp16, kHopper, Compute::fp16},
      {"nf4", "nf4", Element::bf16, kHopper, Compute::bf16},
      {"FP8 W8A8 on Hopper", "fp8_block128", Element::fp8, kHopper, Compute::fp8},
      {"FP8 W8A8 on Blackwell", "fp8_channel", Element::fp8, kBlackwell, Compute::fp8},
      {"the same file on Ampere", "fp8_block128", Element::fp8, kAmpere, Compute::bf16},
      {"FP8 weights, bf16 inputs", "fp8_channel", Element::bf16, kHopper, Compute::bf16},
      {"MXFP4 experts, bf16 inputs", "mxfp4", Element::bf16, kHopper, Compute::bf16},
      {"MXFP4 with fp8 inputs", "mxfp4", Element::fp8, kBlackwell, Compute::fp8},
      {"NVFP4 W4A4 on Blackwell", "nvfp4", Element::fp4, kBlackwell, Compute::fp4},
      {"NVFP4 W4A4 on Hopper", "nvfp4", Element::fp4, kHopper, Compute::fp8},
      {"NVFP4 W4A4 on Ampere", "nvfp4", Element::fp4, kAmpere, Compute::bf16},
      {"llama.cpp on a CPU", "Q4_K", Element::int8, kCpu, Compute::int8},
      {"Q8_0 on a CPU", "Q8_0", Element::int8, kCpu, Compute::int8},
      {"INT8 W8A8", "int8_channel", Element::int8, kAmpere, Compute::int8},
      {"INT4 x INT4 without such a unit", "int4", Element::int4, kAmpere, Compute::int8},
      {"one int, one float of a width", "fp8", Element::int8, kHopper, Compute::bf16},
      {"the other way round", "int8", Element::fp8, kHopper, Compute::bf16},
      {"and without bf16", "int8", Element::fp8, kTuring, Compute::fp16},
      {"the wider weight decides", "fp32", Element::bf16, kHopper, Compute::fp32},
      {"bf16 where only fp16 is", "bf16", Element::bf16, kTuring, Compute::fp16},
      {"plain", "bf16", Element::bf16, kHopper, Compute::bf16},
  };
  for (const auto& c : kCases) {
    const Element element = gemm_element(format(c.weight).element, c.input);
    EXPECT_EQ(promote(c.device, element), c.want)
        << c.what << ": " << name_of(promote(c.device, element));
  }
}

// What is quantised runs in the file's input type; the rest, and attention, in the activations'.
TEST(ComputeType, OfTheOperatorsOfAModel) {
  Model m = fixture::stored_as(fixture::model("qwen3-30b-a3b"), "fp8_block128b");
  Deployment d;
  d.gemm_input = Element::fp8;
  d.key_cache = d.value_cache = format("fp8");
  const auto step = fixture::run(m, fixture::machine("h100-sxm"), d, {{8, 1, 1024, 1}});
  const struct {
    const char* name;
    Compute want;
  } kWant[] = {{"qkv_proj", Compute::fp8},   {"o_proj", Compute::fp8},
               {"experts_up", Compute::fp8}, {"experts_down", Compute::fp8},
               {"router", Compute::bf16},    {"attn", Compute::bf16},
               {"lm_head", Compute::bf16}};
  for (const auto& w : kWant) {
    const Operator* op = step.find(w.name);
    ASSERT_NE(op, nullptr) << w.name;
    EXPECT_EQ(op->compute, w.want) << w.name;
    EXPECT_TRUE(op->matrix) << w.name;
  }
  d.attention = Element::fp8;  // a declared FP8 attention kernel
  const auto fp8 = fixture::run(m, fixture::machine("h100-sxm"), d, {{8, 1, 1024, 1}});
  EXPECT_EQ(fp8.find("attn")->compute, Compute::fp8);
}

}  // namespace
}  // namespace rooflens
