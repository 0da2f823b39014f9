#include "rooflens/readers/hf_quant.h"

#include <cassert>

namespace rooflens {
namespace {
constexpr double kWholeColumn = 65535;
}

const Format& Quantisation::of(std::string_view module, bool linear_layer) const {
  static const Format plain_format;
  for (const FormatRule& rule : rules) {
    if (rule.modules.contains(module)) return rule.format;
  }
  return linear_layer ? linear : plain_format;
}

Storage named(std::string_view name) {
  const NamedStorage* found = find_storage(name);
  assert(found != nullptr);
  return found != nullptr ? found->storage : Storage{};
}

Storage integer_groups(int bits, double group, int zero_bits, bool index) {
  static constexpr Element kByBits[] = {Element::int1, Element::int1, Element::int2,
                                        Element::int3, Element::int4, Element::int5,
                                        Element::int6, Element::int8, Element::int8};
  // One scale for a whole column: per channel, or, where an index of the order is stored beside it,
  // one group longer than any column.
  const bool column = group <= 0;
  if (column && !index) {
    return {.element = kByBits[bits],
            .packing = Packing::channel,
            .bits = static_cast<std::uint8_t>(bits),
            .scale_bits = static_cast<std::uint8_t>(16 + zero_bits)};
  }
  return {.element = kByBits[bits],
          .packing = Packing::grouped,
          .bits = static_cast<std::uint8_t>(bits),
          .scale_bits = 16,
          .zero_bits = static_cast<std::uint8_t>(zero_bits),
          .block = static_cast<std::uint16_t>(column ? kWholeColumn : group),
          .index_bytes = static_cast<std::uint8_t>(index ? 4 : 0)};
}

void keep_plain(Fields& f, Quantisation& q, const Json& block, std::string_view key) {
  const Json* list = block.get(key);
  if (list == nullptr) return;
  const auto refuse = [&](const std::string& what, const Json& value) {
    f.error(ErrorCode::malformed,
            "quantisation: " + what + " = " + brief(value) + " is " + name_of(value.kind), key,
            "it must be a list of module names");
  };
  if (!list->is(Json::Kind::array)) return refuse(std::string(key), *list);
  FormatRule rule;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const Json& entry = list->items[i];
    if (!entry.is(Json::Kind::string)) {
      return refuse(std::string(key) + "[" + std::to_string(i) + "]", entry);
    }
    if (!entry.string.empty()) rule.modules.add(entry.string);
  }
  if (list->items.empty()) return;
  q.rules.push_back(std::move(rule));
}

std::optional<Storage> cache_storage(Fields& f, const Json* scheme) {
  if (scheme == nullptr) return std::nullopt;
  double bits = 0;
  bool is_float = true;
  if (scheme->is(Json::Kind::string)) {
    const std::string& name = scheme->string;
    if (name == "FP8" || name == "fp8" || name == "fp8_e4m3") bits = 8;
    if (name == "INT8" || name == "int8") {
      bits = 8;
      is_float = false;
    }
    if (name == "none" || name == "auto") return std::nullopt;
  } else if (const Json* n = scheme->get("num_bits")) {
    bits = n->number;
    const Json* type = scheme->get("type");
    is_float = type == nullptr || type->string == "float";
  }
  if (bits == 8) return named(is_float ? "fp8" : "int8");
  f.warn("KV cache type " + brief(*scheme) + " is not known; the cache is taken as 16 bit");
  return std::nullopt;
}

Quantisation unsupported_method(Fields& f, std::string_view what, std::string_view key) {
  f.error(ErrorCode::unsupported, "quantisation " + std::string(what) + " is not understood", key,
          "read: fp8, fbgemm_fp8, compressed-tensors, modelopt (FP8, NVFP4), gptq, awq, "
          "bitsandbytes, mxfp4, quark, MLX");
  return {};
}

namespace {

// The method of a block that does not name one: by the keys it has.
std::string method_of(const Json& q) {
  if (const Json* method = q.get("quant_method")) return method->string;
  if (q.get("quant_algo") != nullptr || q.get("quantization") != nullptr) return "modelopt";
  if (q.get("bits") != nullptr && q.get("group_size") != nullptr) {
    if (q.get("desc_act") != nullptr || q.get("damp_percent") != nullptr) return "gptq";
    return "mlx";
  }
  if (q.get("w_bit") != nullptr) return "awq";
  if (q.get("load_in_4bit") != nullptr || q.get("load_in_8bit") != nullptr) return "bitsandbytes";
  return {};
}

}  // namespace

Quantisation read_quantisation(Fields& f, const QuantFiles& files) {
  const Json* q = f.find_shared("quantization_config");
  std::string_view key = "quantization_config";
  const Json* mlx = f.find_shared("quantization");
  if (mlx != nullptr && mlx->is(Json::Kind::object) && mlx->get("bits") != nullptr) {
    q = mlx;
    key = "quantization";
  }
  const Json* algo = files.hf_quant != nullptr ? files.hf_quant->get("quantization") : nullptr;
  if (algo != nullptr && (q == nullptr || q->get("quant_algo") != nullptr)) {
    // The side file tells more (per-layer formats) than the copy in config.json.
    q = algo;
    key = "hf_quant_config.json";
  }
  if (q == nullptr && files.quantize_config != nullptr) {
    q = files.quantize_config;
    key = "quantize_config.json";
  }
  const Json* native = f.text_keys().get("dtype");
  if (q == nullptr && native != nullptr && native->string == "fp8") {
    static const Json kNative = [] {
      Json block;
      block.kind = Json::Kind::object;
      return block;
    }();
    return read_fp8(f, kNative, false);
  }
  if (q == nullptr) return {};
  if (!q->is(Json::Kind::object)) {
    f.error(ErrorCode::malformed, "the quantisation block is " + std::string(name_of(q->kind)), key,
            "it must be an object");
    return {};
  }
  const std::string method = method_of(*q);
  f.derived("quantisation", method, "file: " + std::string(key));
  if (method == "fp8") {
    return read_fp8(f, *q, f.family().model_type.substr(0, 4) == "qwen");
  }
  if (method == "fbgemm_fp8") {
    Quantisation out;
    out.words = "fp8 per channel (fbgemm)";
    out.linear = {named("fp8_channel"), Element::fp8};
    keep_plain(f, out, *q, "modules_to_not_convert");
    return out;
  }
  if (method == "gptq" || method == "gptq_marlin") return read_gptq(f, *q, false);
  if (method == "awq" || method == "awq_marlin") return read_gptq(f, *q, true);
  if (method == "bitsandbytes") return read_bitsandbytes(f, *q);
  if (method == "mxfp4") return read_mxfp4(f, *q);
  if (method == "mlx") return read_mlx(f, *q);
  if (method == "compressed-tensors") return read_compressed_tensors(f, *q);
  if (method == "modelopt" || method == "modelopt_fp4") return read_modelopt(f, *q);
  if (method == "quark") return read_quark(f, *q);
  return unsupported_method(
      f, method.empty() ? "without a quant_method" : "quant_method = \"" + method + "\"", key);
}

}  // namespace rooflens
