#include "cli/formats.h"

#include "rooflens/catalogue/format_names.h"
#include "rooflens/core/ascii.h"
#include "rooflens/core/quantity.h"
#include "rooflens/core/requantise.h"
#include "rooflens/core/serving.h"
#include "rooflens/core/traits.h"

namespace rooflens::cli {
namespace {

Storage storage_given(const Given& g, Values& values) {
  auto s = parse_storage(g.text);
  if (s) return *s;
  s.error().where = g.option;
  values.refuse(std::move(s.error()));
  return {};
}

Element activation_of(const Options& o, Model& m, Values& values, std::vector<std::string>& notes) {
  if (o.dtype && o.dtype->text != "auto") {
    const auto type = find_type(o.dtype->text);
    if (type && element_bits(*type) >= 16) {
      cast_plain(m, *type);
      return *type;
    }
    values.refuse({ErrorCode::invalid,
                   rooflens::quoted(o.dtype->text) + " is no type of activations", o.dtype->option,
                   "bf16, fp16, fp32 or auto; W8A8 is --gemm-input fp8"});
    return Element::bf16;
  }
  const Element own = served_activation(m);
  if (own == Element::fp32) {
    notes.push_back(
        "the file stores FP32 and is taken so; engines would serve it with --dtype bf16");
  }
  return own;
}

Element input_given(const Given& g, const Model& m, Element activation, Values& values) {
  if (const auto e = find_gemm_input(g.text, quantised_storage(m), activation)) return *e;
  values.refuse({ErrorCode::invalid, rooflens::quoted(g.text) + " is no input type of a GEMM",
                 g.option, "bf16, fp16, fp8, fp4, int8, int4, or as in w8a8"});
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
  if (o.experts && has_experts(m)) {  // else it is told as an option without effect
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
  const bool requantised =
      o.experts || (o.weights && (o.weights->option != "--quantization" || m.quantisation.empty()));
  if (o.gemm_input) {
    d.gemm_input = input_given(*o.gemm_input, m, d.activation, values);
  } else if (requantised) {
    d.gemm_input = usual_gemm_input(quantised_storage(m), d.activation, device);
  } else {
    d.gemm_input = file_gemm_input(m, d.activation);
  }
  if (device == nullptr || element_bits(d.gemm_input) >= 16) return;
  if (computes_in(*device, d.gemm_input)) return;
  // Engines then keep the weights narrow and compute in the activations' type.
  notes.push_back(device->name + " has no " + upper(name_of(d.gemm_input)) +
                  " arithmetic: the weights are read as stored and computed as " +
                  upper(name_of(promote(*device, d.activation))));
  d.gemm_input = d.activation;
}

void set_cache(const Options& o, const Model& m, Deployment& d, Values& values) {
  const Storage own = usual_cache(m, d.activation);
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
  if (!has_latent_attention(m) &&
      (d.key_cache.packing == Packing::latent || d.value_cache.packing == Packing::latent)) {
    values.refuse({ErrorCode::invalid,
                   "fp8_ds_mla stores latent attention, which this model has not", "--kv",
                   "use fp8"});
  }
}

double state_bytes_of(const Options& o, Values& values) {
  if (!o.state_bytes || o.state_bytes->text == "auto") return 4;
  if (const auto e = find_type(o.state_bytes->text)) return element_bits(*e) / 8.0;
  return values.number(o.state_bytes, 4, 0.5, 16);
}

}  // namespace

void set_formats(const Options& o, const Device* device, Model& m, Deployment& d, Values& values,
                 std::vector<std::string>& notes) {
  d.activation = d.attention = activation_of(o, m, values, notes);
  d.logits_bytes = element_bits(d.activation) / 8.0;
  d.state_bytes = state_bytes_of(o, values);
  d.conv_state_bytes = usual_conv_state_bytes(m);
  requantise_given(o, m, values, notes);
  set_inputs(o, device, m, d, values, notes);
  set_cache(o, m, d, values);
  if (device == nullptr) return;
  if (computes_in(*device, d.activation)) return;
  const Compute used = promote(*device, d.activation);
  if (device->peak_of(used) > 0) {
    notes.push_back(device->name + " has no " + upper(name_of(d.activation)) +
                    " arithmetic: the peak of " + upper(name_of(used)) + " is used");
  }
}

}  // namespace rooflens::cli
