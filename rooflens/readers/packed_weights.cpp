#include "rooflens/readers/packed_weights.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rooflens {
namespace {

struct Suffix {
  std::string_view text, leaf;
};
// The longest that fits counts.
constexpr std::array kSuffixes{
    Suffix{".weight.quant_state.bitsandbytes__nf4", "quant_state"},
    Suffix{".weight.quant_state.bitsandbytes__fp4", "quant_state"},
    Suffix{".weight.nested_quant_map", "nested_quant_map"},
    Suffix{".weight.nested_absmax", "nested_absmax"},
    Suffix{".weight.quant_map", "quant_map"},
    Suffix{".weight.absmax", "absmax"},
    Suffix{".weight_global_scale", "weight_global_scale"},
    Suffix{".input_global_scale", "input_scale"},
    Suffix{".weight_zero_point", "weight_zero_point"},
    Suffix{"_weight_zero_point", "weight_zero_point"},
    Suffix{".weight_scale_inv", "weight_scale"},
    Suffix{"_scale_inv", "weight_scale"},
    Suffix{".weight_scale_2", "weight_global_scale"},
    Suffix{"_weight_scale_2", "weight_global_scale"},
    Suffix{"_input_scale", "input_scale"},
    Suffix{".weight_scale", "weight_scale"},
    Suffix{"_weight_scale", "weight_scale"},
    Suffix{".weight_packed", "weight_packed"},
    Suffix{"_weight_packed", "weight_packed"},
    Suffix{".weight_format", "weight_format"},
    Suffix{".weight_shape", "weight_shape"},
    Suffix{"_weight_shape", "weight_shape"},
    Suffix{".weight_g_idx", "g_idx"},
    Suffix{"_weight_g_idx", "g_idx"},
    Suffix{".input_scale", "input_scale"},
    Suffix{".input_zero_point", "input_scale"},
    Suffix{".output_scale", "input_scale"},
    Suffix{".q_scale", "input_scale"},
    Suffix{".k_scale", "input_scale"},
    Suffix{".v_scale", "input_scale"},
    Suffix{".qweight", "qweight"},
    Suffix{".qzeros", "qzeros"},
    Suffix{".scales", "scales"},
    Suffix{".biases", "biases"},
    Suffix{".g_idx", "g_idx"},
    Suffix{".SCB", "SCB"},
    Suffix{"_blocks", "blocks"},
    Suffix{"_scales", "scales"},
    Suffix{"_bias", "bias"},
    Suffix{".bias", "bias"},
    Suffix{".weight", "weight"},
};

double last(const Tensor& t) { return t.dims > 0 ? static_cast<double>(t.shape[t.dims - 1U]) : 1; }

std::string number_words(double v) { return std::to_string(static_cast<long long>(v)); }

Element integer(double bits) {
  switch (static_cast<int>(bits)) {
    case 1:
      return Element::int1;
    case 2:
      return Element::int2;
    case 3:
      return Element::int3;
    case 4:
      return Element::int4;
    case 5:
      return Element::int5;
    case 6:
      return Element::int6;
    default:
      return Element::int8;
  }
}

// Integers of `bits`, a scale (and zero point) for each group of `group` inputs.
Storage grouped(double bits, double group, double scale_bits, double zero_bits) {
  return {.element = integer(bits),
          .packing = Packing::grouped,
          .bits = static_cast<std::uint8_t>(bits),
          .scale_bits = static_cast<std::uint8_t>(scale_bits),
          .zero_bits = static_cast<std::uint8_t>(zero_bits),
          .block = static_cast<std::uint16_t>(std::clamp(group, 1.0, 65535.0))};
}

bool whole_bits(double bits) { return bits >= 1 && bits <= 8 && bits == std::floor(bits); }

// Of one value; 0 when it can be none of a scale (a type of a later day, odd sizes).
double value_bits(const Tensor& t) {
  const double bits = t.bytes * 8 / std::max(t.elements, 1.0);
  return bits >= 1 && bits <= 64 ? bits : 0;
}

// Scales that are powers of two, one byte each.
bool shared_exponents(const Tensor* scales) {
  return scales != nullptr && (scales->format == "U8" || scales->format == "F8_E8M0");
}

Unpacked integers(const char* name, double bits, double parameters, const Tensor* scales,
                  double zero_bits) {
  Unpacked u;
  u.parameters = parameters;
  const double group = scales != nullptr ? parameters / std::max(scales->elements, 1.0) : 0;
  u.storage = grouped(bits, group, scales != nullptr ? value_bits(*scales) : 0, zero_bits);
  u.format = std::string(name) + " int" + number_words(bits) + " g" + number_words(group);
  return u;
}

// GPTQ packs along the inputs ([in * bits / 32, out]), AWQ along the outputs ([in, out * bits /
// 32]); both pack zero points along the outputs.
std::optional<Unpacked> gptq_awq(const ModuleTensors& m, const Storage& hint) {
  const Tensor* values = m.find("qweight");
  if (values == nullptr) return std::nullopt;
  const Tensor* scales = m.find("scales");
  const Tensor* zeros = m.find("qzeros");
  double bits = zeros != nullptr && scales != nullptr && last(*scales) > 0
                    ? 32 * last(*zeros) / last(*scales)
                    : hint.bits;
  if (!whole_bits(bits)) bits = whole_bits(hint.bits) ? hint.bits : 4;
  const bool awq = scales != nullptr && last(*values) != last(*scales);
  Unpacked u = integers(awq ? "AWQ" : "GPTQ", bits, values->elements * 32 / bits, scales,
                        zeros != nullptr ? bits : 0);
  if (u.storage && m.find("g_idx") != nullptr) u.storage->index_bytes = 4;
  return u;
}

// compressed-tensors: I32 words along the inputs, or bytes of two 4-bit floats.
std::optional<Unpacked> compressed(const ModuleTensors& m, const Storage& hint) {
  const Tensor* values = m.find("weight_packed");
  if (values == nullptr) return std::nullopt;
  const Tensor* scales = m.find("weight_scale");
  if (values->format == "U8") {
    Unpacked u;
    u.parameters = values->elements * 2;
    const bool micro = shared_exponents(scales);
    u.format = micro ? "MXFP4" : "NVFP4";
    u.storage = find_storage(micro ? "mxfp4" : "nvfp4")->storage;
    return u;
  }
  const double bits = whole_bits(hint.bits) ? hint.bits : 4;
  return integers("packed", bits, values->elements * 32 / bits, scales,
                  m.find("weight_zero_point") != nullptr ? bits : 0);
}

// MLX: U32 words along the inputs, a scale and a bias for each group.
std::optional<Unpacked> mlx(const ModuleTensors& m, const Storage& hint) {
  const Tensor* values = m.find("weight");
  const Tensor* scales = m.find("scales");
  if (values == nullptr || scales == nullptr || values->format != "U32") return std::nullopt;
  const double words = last(*values), groups = last(*scales);
  const double group = hint.packing == Packing::grouped ? hint.block : 64;
  double bits = groups > 0 ? 32 * words / (groups * group) : hint.bits;
  if (!whole_bits(bits)) bits = whole_bits(hint.bits) ? hint.bits : 4;
  return integers("MLX", bits, values->elements * 32 / bits, scales,
                  m.find("biases") != nullptr ? value_bits(*scales) : 0);
}

// gpt-oss: 16 bytes of two values, one shared exponent for each 32.
std::optional<Unpacked> micro_blocks(const ModuleTensors& m, const Storage&) {
  const Tensor* values = m.find("blocks");
  if (values == nullptr || m.find("scales") == nullptr) return std::nullopt;
  return Unpacked{values->elements * 2, 0, "MXFP4", find_storage("mxfp4")->storage};
}

// bitsandbytes: two values a byte with absmax, or bytes with a scale for each row.
std::optional<Unpacked> bitsandbytes(const ModuleTensors& m, const Storage&) {
  const Tensor* values = m.find("weight");
  if (values == nullptr) return std::nullopt;
  if (m.find("absmax") != nullptr) {
    const bool twice = m.find("nested_absmax") != nullptr;
    return Unpacked{values->elements * 2, 0, twice ? "NF4, double" : "NF4",
                    find_storage(twice ? "bnb_nf4_dq" : "bnb_nf4")->storage};
  }
  if (m.find("SCB") != nullptr) {
    return Unpacked{values->elements, 0, "INT8 per row", find_storage("int8_channel")->storage};
  }
  return std::nullopt;
}

// modelopt: bytes of two 4-bit floats, one fp8 scale for each 16.
std::optional<Unpacked> four_bit_floats(const ModuleTensors& m, const Storage&) {
  const Tensor* values = m.find("weight");
  if (values == nullptr) values = m.find("");
  const Tensor* scales = m.find("weight_scale");
  if (values == nullptr || scales == nullptr || values->format != "U8") return std::nullopt;
  const bool micro = shared_exponents(scales);
  return Unpacked{values->elements * 2, 0, micro ? "MXFP4" : "NVFP4",
                  find_storage(micro ? "mxfp4" : "nvfp4")->storage};
}

// fp8 or int8 values with one scale, one for each row, or one for each tile.
std::optional<Unpacked> scaled_bytes(const ModuleTensors& m, const Storage& hint) {
  const Tensor* values = m.find("weight");
  if (values == nullptr) values = m.find("");
  const Tensor* scales = m.find("weight_scale");
  if (values == nullptr || scales == nullptr || !values->storage) return std::nullopt;
  Unpacked u{values->elements, 0, values->format, values->storage};
  if (values->storage->bits != 8) return u;
  Storage& s = *u.storage;
  const double matrices = values->dims > 2 ? static_cast<double>(values->shape[0]) : 1;
  const double rows = values->elements / std::max(last(*values), 1.0);
  s.scale_bits = static_cast<std::uint8_t>(value_bits(*scales));
  if (scales->elements <= matrices) {
    s.packing = Packing::tensor;
    s.tensor_bytes = static_cast<std::uint8_t>(value_bits(*scales) / 8);
    s.scale_bits = 0;
    u.format += " per tensor";
  } else if (scales->elements == rows) {
    s.packing = Packing::channel;
    u.format += " per row";
  } else {
    const double tile = std::max(last(*scales), 1.0);
    s.packing = Packing::tiled;
    s.block = hint.packing == Packing::tiled
                  ? hint.block
                  : static_cast<std::uint16_t>(std::exp2(
                        std::round(std::log2(std::clamp(last(*values) / tile, 1.0, 32768.0)))));
    const double across = scales->elements / tile;  // tiles along the rows
    s.tile_n = hint.packing == Packing::tiled
                   ? hint.tile_n
                   : static_cast<std::uint16_t>(
                         std::exp2(std::round(std::log2(std::clamp(rows / across, 1.0, 32768.0)))));
    u.format += " " + std::to_string(s.tile_n) + "x" + std::to_string(s.block);
  }
  return u;
}

using Packer = std::optional<Unpacked> (*)(const ModuleTensors&, const Storage&);
constexpr std::array<Packer, 7> kPackers{gptq_awq,     compressed,      mlx,         micro_blocks,
                                         bitsandbytes, four_bit_floats, scaled_bytes};

}  // namespace

TensorName split_tensor_name(std::string_view name) {
  const Suffix* best = nullptr;
  for (const Suffix& s : kSuffixes) {
    const bool fits =
        name.size() > s.text.size() && name.substr(name.size() - s.text.size()) == s.text;
    if (fits && (best == nullptr || s.text.size() > best->text.size())) best = &s;
  }
  if (best == nullptr) return {name, ""};
  return {name.substr(0, name.size() - best->text.size()), best->leaf};
}

const Tensor* ModuleTensors::find(std::string_view leaf) const {
  for (const auto& [name, tensor] : parts) {
    if (name == leaf) return tensor;
  }
  return nullptr;
}

Unpacked unpack(const ModuleTensors& module, const Storage& hint) {
  Unpacked u;
  bool known = false;
  for (const Packer packer : kPackers) {
    if (auto found = packer(module, hint)) {
      u = std::move(*found);
      known = true;
      break;
    }
  }
  if (!known) {  // one tensor as it is
    for (const auto& [leaf, tensor] : module.parts) {
      if (leaf == "weight" || leaf.empty()) {
        u.parameters += tensor->elements;
        u.format = tensor->format;
        u.storage = tensor->storage;
      }
    }
  }
  for (const auto& [leaf, tensor] : module.parts) u.bytes += tensor->bytes;
  // What the config says of the same width is more exact (the input type's scales, the group).
  if (u.storage && hint.bits == u.storage->bits && hint.element == u.storage->element &&
      hint.packing == u.storage->packing) {
    u.storage = hint;
  }
  return u;
}

}  // namespace rooflens
