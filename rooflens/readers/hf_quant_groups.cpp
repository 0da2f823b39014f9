// The two methods that give formats by group of modules: compressed-tensors and modelopt.
#include <cmath>

#include "rooflens/readers/hf_quant.h"

namespace rooflens {
namespace {

std::string text_of(const Json* object, std::string_view key) {
  const Json* value = object != nullptr ? object->get(key) : nullptr;
  return value != nullptr ? value->string : "";
}

double number_of(const Json* object, std::string_view key, double fallback) {
  const Json* value = object != nullptr ? object->get(key) : nullptr;
  return value != nullptr && value->is(Json::Kind::number) ? value->number : fallback;
}

bool has_string(const Json* list, std::string_view text) {
  if (list == nullptr) return false;
  for (const Json& entry : list->items) {
    if (entry.string == text) return true;
  }
  return false;
}

Element input_element(const Json* activations) {
  if (activations == nullptr) return Element::bf16;
  const double bits = number_of(activations, "num_bits", 16);
  const bool is_int = text_of(activations, "type") == "int";
  if (bits == 8) return is_int ? Element::int8 : Element::fp8;
  if (bits == 4) return is_int ? Element::int4 : Element::fp4;
  return Element::bf16;
}

// The format of one config group; nothing when it is not understood.
std::optional<Format> group_format(const Json& group, const std::string& packed) {
  const Json* w = group.get("weights");
  if (w == nullptr) return Format{};
  const double bits = number_of(w, "num_bits", 0);
  const std::string type = text_of(w, "type");
  const std::string strategy = text_of(w, "strategy");
  const double group_size = number_of(w, "group_size", 0);
  const Json* symmetric = w->get("symmetric");
  const bool zeros = symmetric != nullptr && !symmetric->boolean;
  Format out;
  out.input = input_element(group.get("input_activations"));
  const bool is_float = type.empty() || type == "float";
  if (is_float && bits == 4 && group_size == 32) {
    out.storage = named("mxfp4");
  } else if (is_float && bits == 4 && (group_size == 16 || packed == "nvfp4-pack-quantized")) {
    out.storage = named("nvfp4");
  } else if (is_float && bits == 8) {
    if (strategy == "channel") out.storage = named("fp8_channel");
    if (strategy == "tensor" || strategy.empty()) out.storage = named("fp8_tensor");
    if (strategy == "block") out.storage = named("fp8_block128");
    if (strategy == "group" && group_size == 32) out.storage = named("mxfp8");
  } else if (type == "int" && bits == 8 && strategy == "channel") {
    out.storage = named("int8_channel");
  } else if (type == "int" && bits == 8 && strategy == "tensor") {
    out.storage = named("int8_tensor");
  } else if (type == "int" && bits >= 2 && bits <= 8 && std::floor(bits) == bits &&
             (strategy == "group" || strategy == "channel") && group_size <= 65535 &&
             (strategy == "channel" || (group_size >= 1 && std::floor(group_size) == group_size))) {
    const int width = static_cast<int>(bits);
    out.storage =
        integer_groups(width, strategy == "group" ? group_size : -1, zeros ? width : 0, false);
  }
  if (!out.storage) return std::nullopt;
  return out;
}

std::optional<Format> algorithm(std::string_view name) {
  if (name == "FP8") return Format{named("fp8_tensor"), Element::fp8};
  if (name == "FP8_PER_CHANNEL_PER_TOKEN") return Format{named("fp8_channel"), Element::fp8};
  if (name == "FP8_PB_WO") return Format{named("fp8_block128"), Element::bf16};
  if (name == "NVFP4") return Format{named("nvfp4"), Element::fp4};
  if (name == "W4A16_NVFP4" || name == "NVFP4_W4A16") return Format{named("nvfp4"), Element::bf16};
  if (name == "W4A8_NVFP4_FP8") return Format{named("nvfp4"), Element::fp8};
  if (name == "W4A16_AWQ") return Format{named("int4sym_g128"), Element::bf16};
  if (name == "MXFP4") return Format{named("mxfp4"), Element::fp4};
  return std::nullopt;
}

}  // namespace

Quantisation read_compressed_tensors(Fields& f, const Json& q) {
  Quantisation out;
  keep_plain(f, out, q, "ignore");
  const std::string packed = text_of(&q, "format");
  const Json* groups = q.get("config_groups");
  if (groups == nullptr || groups->items.empty()) {
    return unsupported_method(f, "compressed-tensors without config_groups", "config_groups");
  }
  bool linear = false;
  for (std::size_t i = 0; i < groups->items.size(); ++i) {
    const Json& group = groups->items[i];
    const std::optional<Format> format = group_format(group, packed);
    if (!format) {
      const Json* weights = group.get("weights");
      return unsupported_method(
          f, "compressed-tensors group " + (weights != nullptr ? brief(*weights) : groups->keys[i]),
          "config_groups." + groups->keys[i]);
    }
    const Json* targets = group.get("targets");
    if (has_string(targets, "Linear")) {
      out.linear = *format;
      linear = true;
      continue;
    }
    FormatRule rule;
    for (const Json& target : targets != nullptr ? targets->items : std::vector<Json>{}) {
      rule.modules.add(target.string);
    }
    rule.format = *format;
    out.rules.push_back(std::move(rule));
  }
  if (linear) {
    out.head = true;  // the head is a linear layer; `ignore` keeps it plain in nearly every file
    out.words = "compressed-tensors " +
                (out.linear.storage ? storage_name(*out.linear.storage) : std::string("plain"));
  } else {
    out.words = "compressed-tensors by module";
  }
  out.kv = cache_storage(f, q.get("kv_cache_scheme"));
  return out;
}

Quantisation read_modelopt(Fields& f, const Json& q) {
  Quantisation out;
  const std::string algo = text_of(&q, "quant_algo");
  keep_plain(f, out, q, "exclude_modules");
  keep_plain(f, out, q, "ignore");
  const Json* cache = q.get("kv_cache_quant_algo");
  out.kv = cache_storage(f, cache != nullptr ? cache : q.get("kv_cache_scheme"));
  out.words = "modelopt " + algo;
  if (algo == "MIXED_PRECISION") {
    const Json* layers = q.get("quantized_layers");
    if (layers == nullptr || layers->items.empty()) {
      return unsupported_method(f, "modelopt MIXED_PRECISION without quantized_layers",
                                "quantized_layers");
    }
    // One rule per algorithm, so that the look-up stays short.
    std::vector<std::pair<std::string, FormatRule>> by_algorithm;
    for (std::size_t i = 0; i < layers->items.size(); ++i) {
      const std::string name = text_of(&layers->items[i], "quant_algo");
      auto at = by_algorithm.begin();
      while (at != by_algorithm.end() && at->first != name) ++at;
      if (at == by_algorithm.end()) {
        const std::optional<Format> format = algorithm(name);
        if (!format) {
          return unsupported_method(f, "modelopt quant_algo = \"" + name + "\"",
                                    "quantized_layers." + layers->keys[i]);
        }
        by_algorithm.push_back({name, FormatRule{{}, *format}});
        at = by_algorithm.end() - 1;
      }
      at->second.modules.add(layers->keys[i]);
    }
    for (auto& [name, rule] : by_algorithm) {
      out.words += " " + name;
      out.rules.push_back(std::move(rule));
    }
    return out;
  }
  const std::optional<Format> format = algorithm(algo);
  if (!format) return unsupported_method(f, "modelopt quant_algo = \"" + algo + "\"", "quant_algo");
  out.linear = *format;
  return out;
}

}  // namespace rooflens
