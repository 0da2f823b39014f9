#include "rooflens/catalogue/format_names.h"

#include <utility>
#include <vector>

#include "rooflens/catalogue/names.h"
#include "rooflens/core/quantity.h"
#include "rooflens/core/serving.h"

namespace rooflens {
namespace {

using Word = std::pair<std::string_view, std::string_view>;

// Engines' words that the storage table and its aliases do not have.
constexpr Word kEngineWords[] = {{"awq_marlin", "awq4_g128"}, {"gptq_marlin", "gptq4_g128"},
                                 {"bitsandbytes", "bnb_nf4"}, {"modelopt", "fp8_tensor"},
                                 {"modelopt_fp4", "nvfp4"},   {"fp8_inc", "fp8"}};

constexpr std::pair<std::string_view, Element> kTypes[] = {
    {"bf16", Element::bf16},  {"bfloat16", Element::bf16}, {"fp16", Element::fp16},
    {"f16", Element::fp16},   {"float16", Element::fp16},  {"half", Element::fp16},
    {"fp32", Element::fp32},  {"f32", Element::fp32},      {"float32", Element::fp32},
    {"float", Element::fp32}, {"fp8", Element::fp8},       {"fp6", Element::fp6},
    {"fp4", Element::fp4},    {"int8", Element::int8},     {"int4", Element::int4}};

}  // namespace

Result<Storage> parse_storage(std::string_view name) {
  if (const NamedStorage* found = find_storage(name)) return found->storage;
  for (const auto& [word, ours] : kEngineWords) {
    if (word == name) return find_storage(ours)->storage;
  }
  std::vector<std::string_view> known;
  std::size_t count = 0;
  const NamedStorage* table = storage_table(&count);
  known.reserve(count + std::size(kEngineWords));
  for (std::size_t i = 0; i < count; ++i) known.emplace_back(table[i].name);
  for (const auto& [word, ours] : kEngineWords) known.push_back(word);
  const std::string_view near = nearest(name, known);
  return fail(ErrorCode::not_found, "no storage format is called " + quoted(name), {},
              near.empty() ? "for example bf16, fp8, int8_channel, awq4_g128, nvfp4, q4_k"
                           : "did you mean " + std::string(near) + "?");
}

std::optional<Element> find_type(std::string_view name) {
  for (const auto& [word, e] : kTypes) {
    if (word == name) return e;
  }
  return std::nullopt;
}

std::optional<Element> find_gemm_input(std::string_view name, const Storage& weights,
                                       Element activation) {
  if (const auto type = find_type(name)) return type;
  const bool w_a = name.size() >= 4 && (name[0] | 32) == 'w' && (name[2] | 32) == 'a';
  if (!w_a) return std::nullopt;
  const std::string_view bits = name.substr(3);
  const int wide = bits == "16" ? 16 : bits == "8" ? 8 : bits == "4" ? 4 : 0;
  return input_of_bits(wide, weights, activation);
}

}  // namespace rooflens
