// The named storage formats. One row is one format; a GGUF block size stands here and nowhere else.
#include <array>

#include "rooflens/core/storage.h"

namespace rooflens {
namespace {

constexpr Storage flat_plain(Element e, int bits) {
  return {.element = e, .packing = Packing::plain, .bits = static_cast<std::uint8_t>(bits)};
}

constexpr Storage per_tensor(Element e) {
  return {.element = e, .packing = Packing::tensor, .bits = 8, .tensor_bytes = 4};
}

constexpr Storage per_channel(Element e, int scale_bits) {
  return {.element = e,
          .packing = Packing::channel,
          .bits = 8,
          .scale_bits = static_cast<std::uint8_t>(scale_bits)};
}

constexpr Storage tiles(int scale_bits) {
  return {.element = Element::fp8,
          .packing = Packing::tiled,
          .bits = 8,
          .scale_bits = static_cast<std::uint8_t>(scale_bits),
          .block = 128,
          .tile_n = 128};
}

constexpr Storage groups(Element e, int bits, int group, int scale_bits, int zero_bits,
                         int tensor_bytes = 0, int index_bytes = 0) {
  return {.element = e,
          .packing = Packing::grouped,
          .bits = static_cast<std::uint8_t>(bits),
          .scale_bits = static_cast<std::uint8_t>(scale_bits),
          .zero_bits = static_cast<std::uint8_t>(zero_bits),
          .block = static_cast<std::uint16_t>(group),
          .tensor_bytes = static_cast<std::uint8_t>(tensor_bytes),
          .index_bytes = static_cast<std::uint8_t>(index_bytes)};
}

constexpr Storage ggml(Element e, int bits, int block, int bytes) {
  return {.element = e,
          .packing = Packing::rows,
          .bits = static_cast<std::uint8_t>(bits),
          .block = static_cast<std::uint16_t>(block),
          .block_bytes = static_cast<std::uint16_t>(bytes)};
}

using enum Element;

// Sources: docs/model.md section 2; GGUF rows are ggml's block structs (elements, bytes).
constexpr std::array kTable{
    NamedStorage{"fp32", flat_plain(fp32, 32), 0, "F32"},
    NamedStorage{"fp16", flat_plain(fp16, 16), 1, "F16"},
    NamedStorage{"bf16", flat_plain(bf16, 16), 30, "BF16"},
    NamedStorage{"fp8", {.element = fp8, .packing = Packing::tensor, .bits = 8}, -1, "no scales"},
    NamedStorage{"int8", {.element = int8, .packing = Packing::tensor, .bits = 8}, -1, "no scales"},
    NamedStorage{"fp8_tensor", per_tensor(fp8), -1, "one fp32 scale"},
    NamedStorage{"int8_tensor", per_tensor(int8), -1, "one fp32 scale"},
    NamedStorage{"fp8_channel", per_channel(fp8, 32), -1, "fp32 scale per output row"},
    NamedStorage{"int8_channel", per_channel(int8, 16), -1, "16-bit scale per output row"},
    NamedStorage{"fp8_block128", tiles(32), -1, "128x128 tiles, fp32 scales (DeepSeek)"},
    NamedStorage{"fp8_block128b", tiles(16), -1, "128x128 tiles, bf16 scales (Qwen)"},
    NamedStorage{"mxfp8", groups(fp8, 8, 32, 8, 0), -1, "e8m0 scale per 32"},
    NamedStorage{"mxfp6", groups(fp6, 6, 32, 8, 0), -1, "e8m0 scale per 32"},
    NamedStorage{"mxfp4", groups(fp4, 4, 32, 8, 0), -1, "e8m0 scale per 32"},
    NamedStorage{"nvfp4", groups(fp4, 4, 16, 8, 0, 4), -1, "e4m3 scale per 16, fp32 per tensor"},
    NamedStorage{"awq4_g128", groups(int4, 4, 128, 16, 4), -1, "fp16 scale and zero per 128"},
    NamedStorage{"awq4_g64", groups(int4, 4, 64, 16, 4), -1, "fp16 scale and zero per 64"},
    NamedStorage{"gptq4_g128", groups(int4, 4, 128, 16, 4), -1, "fp16 scale and zero per 128"},
    NamedStorage{"gptq4_g128_act", groups(int4, 4, 128, 16, 4, 0, 4), -1, "with g_idx (desc_act)"},
    NamedStorage{"gptq4_g32", groups(int4, 4, 32, 16, 4), -1, "fp16 scale and zero per 32"},
    NamedStorage{"gptq3_g128", groups(int3, 3, 128, 16, 3), -1, "fp16 scale and zero per 128"},
    NamedStorage{"gptq8_g128", groups(int8, 8, 128, 16, 8), -1, "fp16 scale and zero per 128"},
    NamedStorage{"int4sym_g128", groups(int4, 4, 128, 16, 0), -1, "fp16 scale per 128"},
    NamedStorage{"int4sym_g32", groups(int4, 4, 32, 16, 0), -1, "fp16 scale per 32"},
    NamedStorage{"mlx3_g64", groups(int3, 3, 64, 16, 16), -1, "16-bit scale and bias per 64"},
    NamedStorage{"mlx4_g64", groups(int4, 4, 64, 16, 16), -1, "16-bit scale and bias per 64"},
    NamedStorage{"mlx5_g64", groups(int5, 5, 64, 16, 16), -1, "16-bit scale and bias per 64"},
    NamedStorage{"mlx6_g64", groups(int6, 6, 64, 16, 16), -1, "16-bit scale and bias per 64"},
    NamedStorage{"mlx8_g64", groups(int8, 8, 64, 16, 16), -1, "16-bit scale and bias per 64"},
    NamedStorage{"bnb_nf4",
                 {.element = int4, .packing = Packing::flat, .bits = 4, .scale_bits = 32,
                  .block = 64},
                 -1, "fp32 absmax per 64"},
    NamedStorage{"bnb_nf4_dq",
                 {.element = int4, .packing = Packing::flat, .bits = 4, .scale_bits = 8,
                  .super_scale_bits = 32, .super_block = 256, .block = 64},
                 -1, "8-bit absmax per 64, fp32 per 256 of them"},
    NamedStorage{"fp8_ds_mla",
                 {.element = fp8, .packing = Packing::latent, .bits = 8, .block_bytes = 656}, -1,
                 "512 fp8 + 4 fp32 scales + 64 bf16, a cached latent"},
    NamedStorage{"Q4_0", ggml(int4, 4, 32, 18), 2},
    NamedStorage{"Q4_1", ggml(int4, 4, 32, 20), 3},
    NamedStorage{"Q5_0", ggml(int5, 5, 32, 22), 6},
    NamedStorage{"Q5_1", ggml(int5, 5, 32, 24), 7},
    NamedStorage{"Q8_0", ggml(int8, 8, 32, 34), 8},
    NamedStorage{"Q8_1", ggml(int8, 8, 32, 36), 9, "a compute-time type, never stored"},
    NamedStorage{"Q2_K", ggml(int2, 2, 256, 84), 10},
    NamedStorage{"Q3_K", ggml(int3, 3, 256, 110), 11},
    NamedStorage{"Q4_K", ggml(int4, 4, 256, 144), 12},
    NamedStorage{"Q5_K", ggml(int5, 5, 256, 176), 13},
    NamedStorage{"Q6_K", ggml(int6, 6, 256, 210), 14},
    NamedStorage{"Q8_K", ggml(int8, 8, 256, 292), 15, "a compute-time type, never stored"},
    NamedStorage{"IQ2_XXS", ggml(int2, 2, 256, 66), 16},
    NamedStorage{"IQ2_XS", ggml(int2, 2, 256, 74), 17},
    NamedStorage{"IQ3_XXS", ggml(int3, 3, 256, 98), 18},
    NamedStorage{"IQ1_S", ggml(int1, 1, 256, 50), 19},
    NamedStorage{"IQ4_NL", ggml(int4, 4, 32, 18), 20},
    NamedStorage{"IQ3_S", ggml(int3, 3, 256, 110), 21},
    NamedStorage{"IQ2_S", ggml(int2, 2, 256, 82), 22},
    NamedStorage{"IQ4_XS", ggml(int4, 4, 256, 136), 23},
    NamedStorage{"IQ1_M", ggml(int1, 1, 256, 56), 29},
    NamedStorage{"TQ1_0", ggml(int2, 2, 256, 54), 34},
    NamedStorage{"TQ2_0", ggml(int2, 2, 256, 66), 35},
    NamedStorage{"MXFP4_GGUF", ggml(fp4, 4, 32, 17), 39, "MXFP4"},
    NamedStorage{"NVFP4_GGUF", ggml(fp4, 4, 64, 36), 40, "NVFP4"},
    NamedStorage{"I8", flat_plain(int8, 8), 24, "I8"},
    NamedStorage{"I16", flat_plain(fp32, 16), 25, "I16"},  // whole numbers, never in a GEMM
    NamedStorage{"I32", flat_plain(fp32, 32), 26, "I32"},
    NamedStorage{"I64", flat_plain(fp32, 64), 27, "I64"},
    NamedStorage{"F64", flat_plain(fp32, 64), 28, "F64"},
    NamedStorage{"Q1_0", ggml(int1, 1, 128, 18), 41},
    NamedStorage{"Q2_0", ggml(int2, 2, 64, 18), 42},
};

}  // namespace

const NamedStorage* storage_table(std::size_t* count) {
  *count = kTable.size();
  return kTable.data();
}

}  // namespace rooflens
