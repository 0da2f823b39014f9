#include "cli/formats.h"

#include <algorithm>

#include "rooflens/catalogue/names.h"
#include "rooflens/core/quantity.h"
#include "rooflens/core/requantise.h"

namespace rooflens::cli {
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

std::string upper(std::string s) {
  for (char& c : s) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  }
  return s;
}

// The arithmetic that belongs to an input type, when a device can have it.
std::optional<Compute> compute_of(Element e) {
  switch (e) {
    case Element::fp8:
      return Compute::fp8;
    case Element::fp6:
      return Compute::fp6;
    case Element::fp4:
      return Compute::fp4;
    case Element::int8:
      return Compute::int8;
    case Element::int4:
      return Compute::int4;
    case Element::bf16:
      return Compute::bf16;
    case Element::fp16:
      return Compute::fp16;
    case Element::fp32:
      return Compute::fp32;
    default:
      return std::nullopt;
  }
}

Storage storage_given(const Given& g, Values& values) {
  auto s = parse_storage(g.text);
  if (s) return *s;
  s.error().where = g.option;
  values.refuse(std::move(s.error()));
  return {};
}

// Stores what is plain as another plain type.
void cast_plain(Model& m, Element e) {
  const auto cast = [e](Weight& w) {
    if (is_plain(w.storage)) w = {plain(e), 0};
  };
  for (Layer& layer : m.layers) std::for_each(layer.weights.begin(), layer.weights.end(), cast);
  cast(m.embedding);
  cast(m.head);
  if (is_plain(m.small)) m.small = plain(e);
}

Element activation_of(const Options& o, Model& m, Values& values, std::vector<std::string>& notes) {
  const Element own = m.small.element;
  if (o.dtype && o.dtype->text != "auto") {
    for (const auto& [name, e] : kTypes) {
      if (name != o.dtype->text || element_bits(e) < 16) continue;
      cast_plain(m, e);
      return e;
    }
    values.refuse({ErrorCode::invalid,
                   rooflens::quoted(o.dtype->text) + " is no type of activations", o.dtype->option,
                   "bf16, fp16, fp32 or auto; W8A8 is --gemm-input fp8"});
    return Element::bf16;
  }
  if (own == Element::fp32) {
    notes.push_back(
        "the file stores FP32 and is taken so; engines would serve it with --dtype bf16");
  }
  return own == Element::fp16 || own == Element::fp32 ? own : Element::bf16;
}

// The input type engines give GEMMs of weights stored like this.
Element usual_input(const Storage& s, Element activation, const Device* device) {
  const bool cpu = device != nullptr && device->kind == "cpu";
  if (s.packing == Packing::rows) return cpu ? Element::int8 : activation;
  if (s.element == Element::fp8) return Element::fp8;
  const bool whole = s.packing == Packing::tensor || s.packing == Packing::channel;
  if (s.element == Element::int8 && whole) return Element::int8;
  const bool nvfp4 = s.element == Element::fp4 && s.tensor_bytes > 0;
  return nvfp4 ? Element::fp4 : activation;
}

Element input_given(const Given& g, const Model& m, Element activation, Values& values) {
  for (const auto& [name, e] : kTypes) {
    if (name == g.text) return e;
  }
  const std::string& t = g.text;  // w4a16, w8a8
  if (t.size() >= 4 && (t[0] | 32) == 'w' && (t[2] | 32) == 'a') {
    Storage s = storage_of(m, Role::linear);
    if (is_plain(s)) s = storage_of(m, Role::experts);
    const bool floats = is_float(s.element);
    if (t.substr(3) == "16") return activation;
    if (t.substr(3) == "8") return floats ? Element::fp8 : Element::int8;
    if (t.substr(3) == "4") return floats ? Element::fp4 : Element::int4;
  }
  values.refuse({ErrorCode::invalid, rooflens::quoted(t) + " is no input type of a GEMM", g.option,
                 "bf16, fp16, fp8, fp4, int8, int4, or as in w8a8"});
  return activation;
}

void requantise_given(const Options& o, Model& m, Values& values, std::vector<std::string>& notes) {
  const auto changed = [&m](const char* what, const Storage& s) {
    m.changes.push_back(what + storage_name(s));
  };
  const bool engine_word = o.weights && o.weights->option == "--quantization";
  if (o.weights && engine_word && !m.quantisation.empty()) {
    notes.push_back("the file is quantised already (" + m.quantisation +
                    "): --quantization changes nothing, --weights would");
  } else if (o.weights) {
    const Storage s = storage_given(*o.weights, values);
    requantise(m, Role::linear, s);
    requantise(m, Role::experts, s);
    changed("weights ", s);
  }
  if (o.experts) {
    const Storage s = storage_given(*o.experts, values);
    requantise(m, Role::experts, s);
    changed("experts ", s);
  }
  if (o.head && m.tied) {
    values.refuse({ErrorCode::invalid, "the head of this model is its embedding table",
                   o.head->option, "use --embed, which changes both"});
  } else if (o.head) {
    const Storage s = storage_given(*o.head, values);
    requantise(m, Role::head, s);
    changed("head ", s);
  }
  if (o.embed) {
    const Storage s = storage_given(*o.embed, values);
    requantise(m, Role::embedding, s);
    changed("embedding ", s);
  }
}

void set_inputs(const Options& o, const Device* device, const Model& m, Deployment& d,
                Values& values, std::vector<std::string>& notes) {
  Storage most = storage_of(m, Role::linear);
  if (is_plain(most)) most = storage_of(m, Role::experts);
  const bool requantised =
      o.experts || (o.weights && (o.weights->option != "--quantization" || m.quantisation.empty()));
  if (o.gemm_input) {
    d.gemm_input = input_given(*o.gemm_input, m, d.activation, values);
  } else if (requantised) {
    d.gemm_input = usual_input(most, d.activation, device);
  } else {
    d.gemm_input = element_bits(m.gemm_input) < 16 ? m.gemm_input : d.activation;
  }
  if (device == nullptr || element_bits(d.gemm_input) >= 16) return;
  const auto own = compute_of(d.gemm_input);
  if (own && device->peak_of(*own) > 0) return;
  // Engines then keep the weights narrow and compute in the activations' type.
  notes.push_back(device->name + " has no " + upper(name_of(d.gemm_input)) +
                  " arithmetic: the weights are read as stored and computed as " +
                  upper(name_of(promote(*device, d.activation))));
  d.gemm_input = d.activation;
}

void set_cache(const Options& o, const Model& m, Deployment& d, Values& values) {
  const Storage own = is_plain(m.kv) ? plain(d.activation) : m.kv;
  d.key_cache = d.value_cache = own;
  const auto one = [&](const Given& g, std::string_view text) {
    return text == "auto" ? own : storage_given({std::string(text), g.option}, values);
  };
  if (o.kv) {
    const std::string_view text = o.kv->text;
    const std::size_t slash = text.find('/');
    d.key_cache = one(*o.kv, text.substr(0, slash));
    d.value_cache =
        slash == std::string_view::npos ? d.key_cache : one(*o.kv, text.substr(slash + 1));
  }
  if (o.cache_type_k) d.key_cache = one(*o.cache_type_k, o.cache_type_k->text);
  if (o.cache_type_v) d.value_cache = one(*o.cache_type_v, o.cache_type_v->text);
  const auto latent = [](const Layer& l) {
    return std::holds_alternative<LatentAttention>(l.mixer);
  };
  const bool has_latent = std::any_of(m.layers.begin(), m.layers.end(), latent);
  if (!has_latent &&
      (d.key_cache.packing == Packing::latent || d.value_cache.packing == Packing::latent)) {
    values.refuse({ErrorCode::invalid,
                   "fp8_ds_mla stores latent attention, which this model has not", "--kv",
                   "use fp8"});
  }
}

double state_bytes_of(const Options& o, Values& values) {
  if (!o.state_bytes || o.state_bytes->text == "auto") return 4;
  for (const auto& [name, e] : kTypes) {
    if (name == o.state_bytes->text) return element_bits(e) / 8.0;
  }
  return values.number(o.state_bytes, 4, 0.5, 16);
}

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
  return fail(ErrorCode::not_found, "no storage format is called " + rooflens::quoted(name), {},
              near.empty() ? "for example bf16, fp8, int8_channel, awq4_g128, nvfp4, q4_k"
                           : "did you mean " + std::string(near) + "?");
}

void set_formats(const Options& o, const Device* device, Model& m, Deployment& d, Values& values,
                 std::vector<std::string>& notes) {
  d.activation = d.attention = activation_of(o, m, values, notes);
  d.logits_bytes = element_bits(d.activation) / 8.0;
  d.state_bytes = state_bytes_of(o, values);
  requantise_given(o, m, values, notes);
  set_inputs(o, device, m, d, values, notes);
  set_cache(o, m, d, values);
  if (device == nullptr) return;
  const auto own = compute_of(d.activation);
  if (own && device->peak_of(*own) <= 0) {
    const Compute used = promote(*device, d.activation);
    if (device->peak_of(used) > 0) {
      notes.push_back(device->name + " has no " + upper(name_of(d.activation)) +
                      " arithmetic: the peak of " + upper(name_of(used)) + " is used");
    }
  }
}

}  // namespace rooflens::cli
