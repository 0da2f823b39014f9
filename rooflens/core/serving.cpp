#include "rooflens/core/serving.h"

#include <algorithm>
#include <cmath>

#include "rooflens/core/requantise.h"

namespace rooflens {
namespace {

// The arithmetic of a type's own.
std::optional<Compute> own_compute(Element e) {
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

}  // namespace

double usual_conv_state_bytes(const Model& m) { return m.read_from == "GGUF" ? 4 : 2; }

Element served_activation(const Model& m) {
  const Element own = m.computes_in.value_or(m.small.element);
  return own == Element::fp16 || own == Element::fp32 ? own : Element::bf16;
}

void cast_plain(Model& m, Element e) {
  const auto cast = [e](Weight& w) {
    if (is_plain(w.storage)) w = {plain(e), 0};
  };
  for (Layer& layer : m.layers) std::for_each(layer.weights.begin(), layer.weights.end(), cast);
  cast(m.embedding);
  cast(m.head);
  if (is_plain(m.small)) m.small = plain(e);
  m.computes_in = e;
  m.small_bytes = 0;
  m.stored.clear();
}

Storage quantised_storage(const Model& m) {
  const Storage linear = storage_of(m, Role::linear);
  return is_plain(linear) ? storage_of(m, Role::experts) : linear;
}

Element usual_gemm_input(const Storage& s, Element activation, const Device* device) {
  const bool cpu = device != nullptr && device->kind == "cpu";
  if (s.packing == Packing::rows) return cpu ? Element::int8 : activation;
  if (s.element == Element::fp8) return Element::fp8;
  const bool whole = s.packing == Packing::tensor || s.packing == Packing::channel;
  if (s.element == Element::int8 && whole) return Element::int8;
  const bool nvfp4 = s.element == Element::fp4 && s.tensor_bytes > 0;
  return nvfp4 ? Element::fp4 : activation;
}

Element file_gemm_input(const Model& m, Element activation) {
  return element_bits(m.gemm_input) < 16 ? m.gemm_input : activation;
}

std::optional<Element> input_of_bits(int bits, const Storage& weights, Element activation) {
  const bool floats = is_float(weights.element);
  if (bits == 16) return activation;
  if (bits == 8) return floats ? Element::fp8 : Element::int8;
  if (bits == 4) return floats ? Element::fp4 : Element::int4;
  return std::nullopt;
}

bool computes_in(const Device& d, Element e) {
  const auto own = own_compute(e);
  return own && d.peak_of(*own) > 0;
}

Storage usual_cache(const Model& m, Element activation) {
  return is_plain(m.kv) ? plain(activation) : m.kv;
}

void use_kernels_of(std::string_view engine, const Device& device, const Model& m, Deployment& d) {
  const bool llama = engine == "llama.cpp";
  if (!llama && engine != "exllama") return;
  const double plain_peak = device.peak_of(promote(device, d.activation));
  d.fp16_accumulate = device.peak_fp16_acc16 > device.peak_of(Compute::fp16);
  const double widened = d.fp16_accumulate ? device.peak_fp16_acc16 : plain_peak;
  if (llama && !is_plain(quantised_storage(m)) && device.peak_of(Compute::int8) > widened) {
    d.gemm_input = Element::int8;
  }
}

Ranks share_out(const RankWish& w) {
  constexpr long long kMost = 1'000'000'000;  // only not to overflow
  const bool split = w.tensor > 0 || w.pipeline > 0 || w.data > 0;
  const long long others =
      std::min(kMost, static_cast<long long>(std::max(1, w.pipeline)) * std::max(1, w.data));
  if (w.devices > 0) {
    const int left = std::max(1, static_cast<int>(w.devices / others));
    return {w.devices, w.tensor > 0 ? w.tensor : split ? left : w.devices};
  }
  if (split) {
    const int tensor = std::max(1, w.tensor);
    return {static_cast<int>(std::min(kMost, tensor * others)), tensor};
  }
  const int count = std::max(1, w.machine);
  return {count, count};
}

std::vector<Link> with_outer_link(std::vector<Link> known, Link given, int devices) {
  const auto joins_all = [devices](const Link& l) { return l.size == 0 || l.size >= devices; };
  const auto outer = std::find_if(known.begin(), known.end(), joins_all);
  if (given.latency_s < 0) given.latency_s = outer != known.end() ? outer->latency_s : 0;
  known.erase(std::remove_if(known.begin(), known.end(), joins_all), known.end());
  given.size = 0;
  known.push_back(std::move(given));
  return known;
}

bool communicates(const Deployment& d) { return d.tensor > 1 || d.pipeline > 1 || d.expert > 1; }

double chunk_within(const Workload& w, double largest) {
  if (largest <= 0 || w.prefill_batch * (w.prompt - w.cached_prefix) <= largest) return 0;
  return std::max(1.0, std::floor(largest / w.prefill_batch));
}

}  // namespace rooflens
