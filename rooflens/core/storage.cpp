#include "rooflens/core/storage.h"

#include <array>
#include <cmath>

#include "rooflens/core/ascii.h"

namespace rooflens {
namespace {

struct ElementFacts {
  const char* name;
  int bits;
  bool is_float;
};

constexpr std::array<ElementFacts, kElements> kElementFacts{{
    {"fp32", 32, true}, {"fp16", 16, true}, {"bf16", 16, true}, {"fp8", 8, true},
    {"fp6", 6, true},   {"fp4", 4, true},   {"int8", 8, false}, {"int6", 6, false},
    {"int5", 5, false}, {"int4", 4, false}, {"int3", 3, false}, {"int2", 2, false},
    {"int1", 1, false},
}};

constexpr std::array<const char*, kComputes> kComputeNames{"fp4",  "fp6",  "fp8",  "bf16",
                                                           "fp16", "fp32", "int4", "int8"};

const ElementFacts& facts(Element e) { return kElementFacts[static_cast<std::size_t>(e)]; }

bool same_name(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i]) && !(a[i] == '-' && b[i] == '_')) return false;
  }
  return true;
}

// Other spellings people and engines use.
struct Alias {
  const char* from;
  const char* to;
};
constexpr std::array kAliases{
    Alias{"f32", "fp32"},        Alias{"float32", "fp32"},      Alias{"float", "fp32"},
    Alias{"f16", "fp16"},        Alias{"float16", "fp16"},      Alias{"half", "fp16"},
    Alias{"bfloat16", "bf16"},   Alias{"fp8_e4m3", "fp8"},      Alias{"fp8_e5m2", "fp8"},
    Alias{"e4m3", "fp8"},        Alias{"float8_e4m3fn", "fp8"}, Alias{"awq", "awq4_g128"},
    Alias{"awq4", "awq4_g128"},  Alias{"gptq", "gptq4_g128"},   Alias{"gptq4", "gptq4_g128"},
    Alias{"int4", "int4sym_g128"}, Alias{"nf4", "bnb_nf4"},     Alias{"fp8_block", "fp8_block128"},
    Alias{"w8a8", "int8_channel"}, Alias{"fp4", "nvfp4"},
};

}  // namespace

int element_bits(Element e) { return facts(e).bits; }
bool is_float(Element e) { return facts(e).is_float; }
const char* name_of(Element e) { return facts(e).name; }
const char* name_of(Compute c) { return kComputeNames[static_cast<std::size_t>(c)]; }

double storage_bytes(const Storage& s, double n, double k) {
  const double values = n * k;
  switch (s.packing) {
    case Packing::plain:
    case Packing::tensor:
      return values * s.bits / 8.0 + s.tensor_bytes;
    case Packing::channel:
      return values * s.bits / 8.0 + n * s.scale_bits / 8.0 + s.tensor_bytes;
    case Packing::tiled:
      return values * s.bits / 8.0 +
             std::ceil(k / s.block) * std::ceil(n / s.tile_n) * s.scale_bits / 8.0;
    case Packing::grouped:
      return values * s.bits / 8.0 +
             std::ceil(k / s.block) * n * (s.scale_bits + s.zero_bits) / 8.0 + k * s.index_bytes +
             s.tensor_bytes;
    case Packing::flat: {
      const double scales = std::ceil(values / s.block);
      double bytes = values * s.bits / 8.0 + scales * s.scale_bits / 8.0;
      if (s.super_block > 0) bytes += std::ceil(scales / s.super_block) * s.super_scale_bits / 8.0;
      return bytes;
    }
    case Packing::rows:
      return n * std::ceil(k / s.block) * s.block_bytes;
    case Packing::latent:
      return n * s.block_bytes;
  }
  return 0;
}

double vector_bytes(const Storage& s, double length) { return storage_bytes(s, 1, length); }

double bits_per_weight(const Storage& s) {
  switch (s.packing) {
    case Packing::plain:
    case Packing::tensor:
    case Packing::channel:
      return s.bits;
    case Packing::tiled:
      return s.bits + static_cast<double>(s.scale_bits) / (s.block * s.tile_n);
    case Packing::grouped:
      return s.bits + static_cast<double>(s.scale_bits + s.zero_bits) / s.block;
    case Packing::flat:
      return s.bits + static_cast<double>(s.scale_bits) / s.block +
             (s.super_block > 0
                  ? static_cast<double>(s.super_scale_bits) / (static_cast<double>(s.block) * s.super_block)
                  : 0.0);
    case Packing::rows:
      return 8.0 * s.block_bytes / s.block;
    case Packing::latent:
      return 8.0 * s.block_bytes / 576.0;
  }
  return 0;
}

bool is_plain(const Storage& s) { return s.packing == Packing::plain; }

Storage plain(Element e) {
  const auto bits = static_cast<std::uint8_t>(element_bits(e));
  return {.element = e,
          .packing = is_float(e) && bits >= 16 ? Packing::plain : Packing::tensor,
          .bits = bits};
}

const NamedStorage* find_storage(std::string_view name) {
  for (const Alias& a : kAliases) {
    if (same_name(name, a.from)) {
      name = a.to;
      break;
    }
  }
  std::size_t count = 0;
  const NamedStorage* table = storage_table(&count);
  for (std::size_t i = 0; i < count; ++i) {
    if (same_name(name, table[i].name)) return &table[i];
  }
  return nullptr;
}

const NamedStorage* find_ggml_type(int id) {
  std::size_t count = 0;
  const NamedStorage* table = storage_table(&count);
  for (std::size_t i = 0; i < count; ++i) {
    if (table[i].ggml == id && id >= 0) return &table[i];
  }
  return nullptr;
}

const char* ggml_name(const NamedStorage& row) {
  const std::string_view note = row.note;
  const bool named = !note.empty() && note.find(' ') == std::string_view::npos;
  return named ? row.note : row.name;
}

std::string storage_name(const Storage& s) {
  std::size_t count = 0;
  const NamedStorage* table = storage_table(&count);
  for (std::size_t i = 0; i < count; ++i) {
    if (table[i].storage == s) return table[i].name;
  }
  std::string name = name_of(s.element);
  switch (s.packing) {
    case Packing::tiled:
      return name + " " + std::to_string(s.tile_n) + "x" + std::to_string(s.block);
    case Packing::grouped:
    case Packing::flat:
      return name + " g" + std::to_string(s.block);
    case Packing::channel:
      return name + " per channel";
    case Packing::rows:
      return name + " blocks of " + std::to_string(s.block);
    default:
      return name;
  }
}

Element gemm_element(Element weight, Element input) {
  const int w = element_bits(weight);
  const int i = element_bits(input);
  if (w < i) return input;
  if (w > i) return weight;
  return is_float(weight) == is_float(input) ? input : Element::bf16;
}

}  // namespace rooflens
