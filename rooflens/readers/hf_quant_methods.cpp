#include <cmath>

#include "rooflens/readers/hf_quant.h"

namespace rooflens {
namespace {

// A whole number of a quantisation block within limits, or an error and `least`.
double whole(Fields& f, const Json& q, std::string_view key, double fallback, double least,
             double most) {
  const Json* value = q.get(key);
  if (value == nullptr) return fallback;
  if (!value->is(Json::Kind::number) || std::floor(value->number) != value->number ||
      value->number < least || value->number > most) {
    f.error(ErrorCode::invalid,
            "quantisation: " + std::string(key) + " = " + brief(*value) +
                " must be a whole number from " + number_text(least) + " to " + number_text(most),
            key, "check the quantisation block");
    return least;
  }
  return value->number;
}

bool flag(const Json& q, std::string_view key, bool fallback) {
  const Json* value = q.get(key);
  return value != nullptr && value->is(Json::Kind::boolean) ? value->boolean : fallback;
}

std::string grouped_words(double bits, double group) {
  return number_text(bits) + " bit, " +
         (group > 0 ? "groups of " + number_text(group) : "one scale a column");
}

}  // namespace

// fp8 with one scale per tile (DeepSeek, Qwen, GLM), or per tensor when the tile is null.
Quantisation read_fp8(Fields& f, const Json& q, bool bf16_scales) {
  Quantisation out;
  const bool native = q.keys.empty();
  const Json* tile = q.get("weight_block_size");
  Storage storage = named("fp8_tensor");
  out.words = "fp8 per tensor";
  if (tile != nullptr || native) {
    storage = named(bf16_scales ? "fp8_block128b" : "fp8_block128");
    if (tile != nullptr) {
      const bool good = tile->items.size() == 2 && tile->items[0].number >= 1 &&
                        tile->items[1].number >= 1 && tile->items[0].number <= 65535 &&
                        tile->items[1].number <= 65535 &&
                        std::floor(tile->items[0].number) == tile->items[0].number &&
                        std::floor(tile->items[1].number) == tile->items[1].number;
      if (!good) {
        f.error(ErrorCode::invalid, "weight_block_size = " + brief(*tile) + " is not two sizes",
                "weight_block_size", "[128, 128] is what engines read");
        return out;
      }
      storage.tile_n = static_cast<std::uint16_t>(tile->items[0].number);
      storage.block = static_cast<std::uint16_t>(tile->items[1].number);
    }
    out.words = "fp8, one scale per " + std::to_string(storage.tile_n) + "x" +
                std::to_string(storage.block);
  }
  out.linear = {storage, Element::fp8};
  for (std::string_view key : {"modules_to_not_convert", "ignored_layers", "ignore"}) {
    keep_plain(f, out, q, key);
  }
  return out;
}

Quantisation read_gptq(Fields& f, const Json& q, bool awq) {
  Quantisation out;
  const double bits = whole(f, q, q.get("w_bit") != nullptr ? "w_bit" : "bits", 4, 2, 8);
  const double group =
      whole(f, q, q.get("q_group_size") != nullptr ? "q_group_size" : "group_size", 128, -1, 65535);
  const Json* dynamic = q.get("dynamic");
  if (dynamic != nullptr && !dynamic->items.empty()) {
    return unsupported_method(f, "gptq with a `dynamic` table", "dynamic");
  }
  const bool act_order = !awq && flag(q, "desc_act", false);
  // Both formats store packed zero points, symmetric or not.
  const int width = static_cast<int>(bits);
  out.linear = {integer_groups(width, group, width, act_order), Element::bf16};
  out.words = std::string(awq ? "awq " : "gptq ") + grouped_words(bits, group) +
              (act_order ? ", act order" : "");
  keep_plain(f, out, q, "modules_to_not_convert");
  out.head = flag(q, "lm_head", false);
  return out;
}

Quantisation read_bitsandbytes(Fields& f, const Json& q) {
  Quantisation out;
  const bool four = flag(q, "load_in_4bit", flag(q, "_load_in_4bit", false));
  const bool eight = flag(q, "load_in_8bit", flag(q, "_load_in_8bit", false));
  if (four == eight) {
    return unsupported_method(f, "bitsandbytes with neither (or both) load_in_4bit, load_in_8bit",
                              "quantization_config");
  }
  if (eight) {
    out.linear = {named("int8_channel"), Element::bf16};
    out.words = "bitsandbytes int8 per row";
  } else {
    const bool nested = flag(q, "bnb_4bit_use_double_quant", false);
    out.linear = {named(nested ? "bnb_nf4_dq" : "bnb_nf4"), Element::bf16};
    out.words = nested ? "bitsandbytes 4 bit, double quantised" : "bitsandbytes 4 bit";
  }
  keep_plain(f, out, q, "llm_int8_skip_modules");
  return out;
}

// gpt-oss: only the experts are mxfp4.
Quantisation read_mxfp4(Fields& f, const Json& q) {
  Quantisation out;
  out.linear = {named("mxfp4"), Element::bf16};
  out.experts_only = true;
  out.words = "mxfp4 experts";
  keep_plain(f, out, q, "modules_to_not_convert");
  return out;
}

Quantisation read_mlx(Fields& f, const Json& q) {
  Quantisation out;
  const Json* mode = q.get("mode");
  if (mode != nullptr && mode->string != "affine") {
    return unsupported_method(f, "MLX mode = " + brief(*mode), "quantization");
  }
  const double bits = whole(f, q, "bits", 4, 2, 8);
  const double group = whole(f, q, "group_size", 64, 1, 65535);
  if (bits == 7) return unsupported_method(f, "MLX with 7 bits", "quantization");
  // A 16-bit scale and a 16-bit bias for each group; embedding and head are quantised too.
  out.linear = {integer_groups(static_cast<int>(bits), group, 16, false), Element::bf16};
  out.embedding = out.head = true;
  out.words = "MLX " + grouped_words(bits, group);
  for (std::size_t i = 0; i < q.keys.size(); ++i) {
    const Json& entry = q.items[i];
    const bool off = entry.is(Json::Kind::boolean) && !entry.boolean;
    if (!off && !entry.is(Json::Kind::object)) continue;
    FormatRule rule;
    rule.modules.add(q.keys[i]);
    if (!off) {
      const double b = whole(f, entry, "bits", bits, 2, 8);
      const double g = whole(f, entry, "group_size", group, 1, 65535);
      rule.format = {integer_groups(static_cast<int>(b), g, 16, false), Element::bf16};
    }
    out.rules.push_back(std::move(rule));
  }
  return out;
}

Quantisation read_quark(Fields& f, const Json& q) {
  Quantisation out;
  const Json* global = q.get("global_quant_config");
  const Json* weight = global != nullptr ? global->get("weight") : nullptr;
  if (weight == nullptr)
    return unsupported_method(f, "quark without a weight format", "quant_method");
  const Json* dtype = weight->get("dtype");
  const Json* scheme = weight->get("qscheme");
  const std::string type = dtype != nullptr ? dtype->string : "";
  const std::string how = scheme != nullptr ? scheme->string : "";
  const Json* input = global->get("input_tensors");
  const Json* input_type = input != nullptr ? input->get("dtype") : nullptr;
  const std::string fed = input_type != nullptr ? input_type->string : "";
  Element element = Element::bf16;
  if (fed == "fp4") element = Element::fp4;
  if (fed.substr(0, 3) == "fp8") element = Element::fp8;
  if (fed == "int8") element = Element::int8;
  if (type == "fp4" && how == "per_group" && whole(f, *weight, "group_size", 0, 1, 1024) == 32) {
    out.linear = {named("mxfp4"), element};
    out.words = "quark mxfp4";
  } else if (type.substr(0, 3) == "fp8" && how == "per_tensor") {
    out.linear = {named("fp8_tensor"), element};
    out.words = "quark fp8 per tensor";
  } else if (type.substr(0, 3) == "fp8" && how == "per_channel") {
    out.linear = {named("fp8_channel"), element};
    out.words = "quark fp8 per channel";
  } else if (type == "int8" && how == "per_channel") {
    out.linear = {named("int8_channel"), element};
    out.words = "quark int8 per channel";
  } else {
    return unsupported_method(f, "quark weight " + type + " " + how, "global_quant_config");
  }
  keep_plain(f, out, q, "exclude");
  const Json* layers = q.get("layer_quant_config");
  const bool has_layers =
      layers != nullptr &&
      ((layers->is(Json::Kind::object) && !layers->items.empty()) || layers->string.size() > 2);
  const Json* output = q.get("export");
  const Json* cached = output != nullptr ? output->get("kv_cache_group") : nullptr;
  if (cached != nullptr && !cached->items.empty()) {
    // Keys and values leave their projections in fp8: that is what layer_quant_config says.
    out.kv = named("fp8");
  } else if (has_layers) {
    f.warn("quark layer_quant_config is not read: every layer is taken at the global format");
  }
  return out;
}

}  // namespace rooflens
