#include "rooflens/readers/hf_storage.h"

#include <algorithm>
#include <array>
#include <span>

#include "rooflens/readers/hf_modules.h"

namespace rooflens {
namespace {

struct Context {
  const Quantisation& q;
  const Storage plain_storage;
  const std::string& prefix;
  Layer& layer;
  std::vector<std::string>& mixed;
  std::vector<Element>& inputs;
  std::array<bool, kSlots> seen{};
};

const Format& format_of(const Context& c, const ModuleNames& part) {
  static const Format plain_format;
  const bool expert = part.slot == Slot::experts_up || part.slot == Slot::experts_down;
  const bool reached = part.linear && (!c.q.experts_only || expert);
  for (const FormatRule& rule : c.q.rules) {
    for (std::string_view name : part.names) {
      if (!name.empty() && rule.modules.contains(c.prefix + std::string(name))) return rule.format;
    }
  }
  return reached ? c.q.linear : plain_format;
}

void apply(Context& c, const ModuleNames& part) {
  const Format& format = format_of(c, part);
  const Storage storage = format.storage.value_or(c.plain_storage);
  Weight& weight = c.layer.weight(part.slot);
  auto& seen = c.seen[static_cast<std::size_t>(part.slot)];
  if (seen && !(weight.storage == storage)) {
    c.mixed.push_back(c.prefix + std::string(part.names[0]));
    if (bits_per_weight(storage) <= bits_per_weight(weight.storage)) return;
  }
  seen = true;
  weight.storage = storage;
  if (format.storage) c.inputs.push_back(format.input);
}

void apply_all(Context& c, ModuleOwner owner, std::span<const ModuleNames> parts) {
  for (const ModuleNames& part : parts) {
    if (part.owner == owner) apply(c, part);
  }
}

}  // namespace

Element read_dtype(Fields& f) {
  for (std::string_view key : {"torch_dtype", "dtype"}) {
    const Json* value = f.find_shared(key);
    if (value == nullptr) continue;
    const std::string_view name = value->string;
    f.fact("stored type", key, *value, true);
    if (name == "bfloat16" || name == "torch.bfloat16" || name == "bf16") return Element::bf16;
    if (name == "float16" || name == "torch.float16" || name == "half" || name == "fp16") {
      return Element::fp16;
    }
    if (name == "float32" || name == "torch.float32" || name == "float") return Element::fp32;
    if (name == "fp8") return Element::bf16;  // DeepSeek's own format: what is not fp8 is bf16
    f.error(ErrorCode::unsupported,
            std::string(key) + " = " + brief(*value) + " is not a known stored type", key,
            "known: bfloat16, float16, float32");
    return Element::bf16;
  }
  f.derived("stored type", "bfloat16", "default");
  return Element::bf16;
}

void set_layer_storage(const Quantisation& q, Element dtype, const Family& family,
                       const std::string& prefix, Layer& layer, std::vector<std::string>& mixed,
                       std::vector<Element>& inputs) {
  for (Weight& weight : layer.weights) weight.storage = plain(dtype);
  if (q.words.empty()) return;
  Context c{q, plain(dtype), prefix, layer, mixed, inputs};
  const std::optional<ModuleOwner> owner = mixer_owner(layer);
  if (owner) apply_all(c, *owner, module_names());
  if (const auto* a = std::get_if<LatentAttention>(&layer.mixer)) {
    apply_all(c, ModuleOwner::latent, latent_module_names());
    if (a->index.top_k > 0 && a->index.dim > 0)
      apply_all(c, ModuleOwner::latent, index_module_names());
  }
  if (std::holds_alternative<Dense>(layer.ffn)) {
    apply_all(c, ModuleOwner::dense, module_names());
  } else if (std::holds_alternative<MixtureOfExperts>(layer.ffn)) {
    apply_all(c, family.feeding == Feeding::gemma4 ? ModuleOwner::beside : ModuleOwner::experts,
              module_names());
  }
}

void set_storage(Fields& f, const Quantisation& q, Element dtype, std::vector<Layer>& layers,
                 Model& model) {
  std::vector<std::string> mixed;
  std::vector<Element> inputs;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const std::size_t number = l / static_cast<std::size_t>(model.layers_per_block);
    set_layer_storage(q, dtype, f.family(), "layers." + std::to_string(number) + ".", layers[l],
                      mixed, inputs);
  }
  const auto whole = [&](std::string_view module, bool linear) {
    if (q.words.empty()) return plain(dtype);
    const Format& format = q.of(module, linear);
    if (format.storage) inputs.push_back(format.input);
    return format.storage.value_or(plain(dtype));
  };
  model.embedding.storage = whole("embed_tokens", q.embedding);
  model.head.storage = model.tied ? model.embedding.storage : whole("lm_head", q.head);
  model.small = plain(dtype);
  model.quantisation = q.words;
  if (q.kv) {
    model.kv = *q.kv;
    f.derived("KV cache type", storage_name(*q.kv), "file: quantisation");
  }
  if (!mixed.empty()) {
    f.warn(std::to_string(mixed.size()) + " merged matrices have parts in different formats (" +
           mixed.front() + "); the widest is used");
  }
  for (const FormatRule& rule : q.rules) {
    for (const std::string& pattern : rule.modules.unknown()) {
      f.warn("pattern \"re:" + pattern +
             "\" of the quantisation is not understood and names nothing");
    }
  }
  if (inputs.empty()) return;
  const auto narrow = [](Element a, Element b) { return element_bits(a) < element_bits(b); };
  model.gemm_input = *std::min_element(inputs.begin(), inputs.end(), narrow);
  if (std::any_of(inputs.begin(), inputs.end(), [&](Element e) { return e != model.gemm_input; })) {
    f.warn(std::string("some quantised matrices take a wider input than ") +
           name_of(model.gemm_input) + "; the roof uses the narrowest for all");
  }
}

}  // namespace rooflens
