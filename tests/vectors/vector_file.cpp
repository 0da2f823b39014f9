#include "vectors/vector_file.h"

#include <cmath>

namespace rooflens::vectors {
namespace {

double number(const Json& j, const char* key, double otherwise = 0) {
  const auto it = j.find(key);
  return it != j.end() && it->is_number() ? it->get<double>() : otherwise;
}

bool flag(const Json& j, const char* key) {
  const auto it = j.find(key);
  return it != j.end() && it->is_boolean() && it->get<bool>();
}

std::string word(const Json& j, const char* key, const std::string& otherwise = "") {
  const auto it = j.find(key);
  return it != j.end() && it->is_string() ? it->get<std::string>() : otherwise;
}

Mixer mixer_of(const Json& j) {
  const std::string kind = word(j, "kind");
  if (kind == "attn") {
    Attention a;
    a.query_heads = number(j, "nq");
    a.kv_heads = number(j, "nkv");
    a.key_dim = number(j, "dk");
    a.value_dim = number(j, "dv");
    a.window = number(j, "window");
    a.chunk = number(j, "chunk");
    a.sink_tokens = number(j, "sink_tokens");
    a.sink_params = number(j, "sink_params");
    a.rope_fraction = number(j, "rope_frac", 1);
    a.qk_norm = flag(j, "qk_norm") ? QkNorm::head : QkNorm::none;
    a.gated = flag(j, "gate");
    a.qkv_bias = flag(j, "bias_qkv");
    a.out_bias = flag(j, "bias_o");
    a.shares_kv = flag(j, "kv_shared");
    return a;
  }
  if (kind == "mla") {
    LatentAttention a{number(j, "nh"),
                      number(j, "q_lora"),
                      number(j, "kv_lora"),
                      number(j, "nope"),
                      number(j, "rope"),
                      number(j, "v"),
                      {}};
    if (const auto& index = j["index"]; index.is_object()) {
      a.index = {number(index, "heads"), number(index, "dim"), number(index, "topk")};
    }
    return a;
  }
  if (kind == "gdn") {
    return GatedDeltaNet{number(j, "nk"), number(j, "nv"), number(j, "dk"), number(j, "dv"),
                         number(j, "conv")};
  }
  if (kind == "kda") {
    return KimiDelta{number(j, "nh"), number(j, "dk"), number(j, "dv"), number(j, "conv")};
  }
  if (kind == "mamba2") {
    return Mamba2{number(j, "d_inner"), number(j, "hd"), number(j, "N"), number(j, "G"),
                  number(j, "conv")};
  }
  if (kind == "mamba1") {
    return Mamba1{number(j, "d_inner"), number(j, "N"), number(j, "dt_rank"), number(j, "conv")};
  }
  return NoMixer{};
}

FeedForward ffn_of(const Json& j) {
  const std::string kind = word(j, "kind");
  if (kind == "dense") return Dense{number(j, "f"), number(j, "mats", 3), flag(j, "bias")};
  if (kind == "moe") {
    MixtureOfExperts m;
    m.experts = number(j, "E");
    m.active = number(j, "k");
    m.width = number(j, "f");
    m.shared_width = number(j, "shared");
    m.matrices = number(j, "mats", 3);
    m.shared_gate = flag(j, "shared_gate");
    m.bias = flag(j, "bias");
    m.router_bias = flag(j, "router_bias");
    return m;
  }
  return NoFeedForward{};
}

Model model_of(const Json& j) {
  Model m;
  m.name = word(j, "name");
  m.hidden = number(j, "d");
  m.vocabulary = number(j, "V");
  m.tied = flag(j, "tied");
  m.norm_bias = flag(j, "norm_bias");
  const double norms = number(j, "norms", 2);
  std::vector<Json> seen;
  for (const Json& layer : j["layers"]) {
    std::size_t i = 0;
    while (i < seen.size() && seen[i] != layer) ++i;
    if (i == seen.size()) {
      seen.push_back(layer);
      Layer l;
      l.mixer = mixer_of(layer["mixer"]);
      l.ffn = ffn_of(layer["ffn"]);
      l.count = 0;
      l.mixer_norms = norms == 4 ? 2 : 1;
      l.ffn_norms = norms == 4 ? 2 : 1;
      m.layers.push_back(l);
    }
    m.layers[i].count += 1;
    m.order.push_back(static_cast<std::uint16_t>(i));
  }
  return m;
}

System system_of(const Json& j) {
  System s;
  Device& d = s.device;
  d.name = word(j, "name");
  d.bytes_per_s = number(j, "bw");
  d.capacity_bytes = number(j, "mem");
  d.vector_flops_per_s = number(j, "vec");
  d.launch_s = number(j, "launch");
  for (int c = 0; c < kComputes; ++c) {
    d.peak[static_cast<std::size_t>(c)] = number(j["peak"], name_of(static_cast<Compute>(c)));
  }
  if (number(j, "link") > 0) d.links.push_back({"link", 0, number(j, "link"), number(j, "lat")});
  return s;
}

Storage format_named(const std::string& name) {
  const NamedStorage* found = find_storage(name);
  return found != nullptr ? found->storage : Storage{};
}

void set_formats(Model& m, const Json& deploy) {
  const Storage linear = format_named(word(deploy, "linear", "bf16"));
  const Storage experts = format_named(word(deploy, "experts", word(deploy, "linear", "bf16")));
  m.small = format_named(word(deploy, "small", "bf16"));
  m.embedding.storage = format_named(word(deploy, "embed", "bf16"));
  m.head.storage = format_named(word(deploy, "lm_head", "bf16"));
  for (Layer& layer : m.layers) {
    for (Weight& w : layer.weights) w.storage = linear;
    layer.weight(Slot::experts_up).storage = experts;
    layer.weight(Slot::experts_down).storage = experts;
  }
}

}  // namespace

Loaded load(const std::string& text) {
  Loaded loaded;
  const Json j = Json::parse(text, nullptr, false);
  if (j.is_discarded() || !j.contains("vectors")) {
    loaded.error = "not a vectors file";
    return loaded;
  }
  for (const auto& [name, model] : j["models"].items()) loaded.file.models[name] = model_of(model);
  for (const auto& [name, hw] : j["hardware"].items()) loaded.file.systems[name] = system_of(hw);
  loaded.file.vectors = j["vectors"];
  return loaded;
}

Setup setup(const File& file, const std::string& model, const std::string& hw, const Json& deploy) {
  Setup s;
  s.model = file.models.at(model);
  if (!hw.empty()) s.system = file.systems.at(hw);
  set_formats(s.model, deploy);
  Deployment& d = s.deploy;
  const auto element = [&](const char* key, Element otherwise) {
    const std::string name = word(deploy, key);
    return name.empty() ? otherwise : format_named(name).element;
  };
  d.activation = element("act", Element::bf16);
  d.gemm_input = element("gemm_in", d.activation);
  d.attention = element("attn_dt", d.activation);
  d.key_cache = d.value_cache = format_named(word(deploy, "kv", "bf16"));
  d.tensor = static_cast<int>(number(deploy, "tp", 1));
  d.expert = static_cast<int>(number(deploy, "ep", 1));
  d.data = static_cast<int>(number(deploy, "dp", 1));
  d.pipeline = static_cast<int>(number(deploy, "pp", 1));
  d.fusion = word(deploy, "fusion") == "ideal" ? Fusion::ideal : Fusion::standard;
  d.attention_io = word(deploy, "attn_io") == "naive" ? AttentionIo::naive : AttentionIo::flash;
  const std::string latent = word(deploy, "mla_mode");
  d.latent = latent == "absorb"   ? LatentMode::absorb
             : latent == "expand" ? LatentMode::expand
                                  : LatentMode::automatic;
  d.causal = word(deploy, "causal") == "full" ? CausalMode::full : CausalMode::exact;
  d.delta_chunk = number(deploy, "gdn_chunk", 64);
  d.ssm_chunk = number(deploy, "ssm_chunk", 256);
  d.state_bytes = number(deploy, "ssm_b", 4);
  d.zipf = number(deploy, "zipf", 0);
  d.imbalance = number(deploy, "imbalance", 1);
  d.logits_bytes = number(deploy, "logits_b", element_bits(d.activation) / 8.0);
  d.state_copies = number(deploy, "ssm_state_copies", 1);
  return s;
}

Setup setup(const File& file, const Json& input) {
  Json deploy = input.value("deploy", Json::object());
  if (input.contains("tp")) deploy["tp"] = input["tp"];
  if (input.contains("kv")) deploy["kv"] = input["kv"];
  if (flag(input, "fp8")) {
    deploy["linear"] = "fp8_block128b";
    deploy["gemm_in"] = "fp8";
  }
  return setup(file, word(input, "model"), word(input, "hw"), deploy);
}

std::string mismatch(const Json& expect, const Json& answer, double rel_tol) {
  for (const auto& [key, want] : expect.items()) {
    const auto got = answer.find(key);
    if (got == answer.end()) return key + ": no answer";
    if (want.is_object()) {
      const std::string inner = mismatch(want, *got, rel_tol);
      if (!inner.empty()) return key + "." + inner;
    } else if (want.is_number() && got->is_number()) {
      const double w = want.get<double>();
      const double g = got->get<double>();
      if (!(std::abs(w - g) <= rel_tol * std::max(std::abs(w), std::abs(g)))) {
        return key + ": expected " + want.dump() + ", got " + got->dump();
      }
    } else if (want != *got) {
      return key + ": expected " + want.dump() + ", got " + got->dump();
    }
  }
  return "";
}

const std::map<std::string, Kind>& kinds() {
  static const std::map<std::string, Kind> all = [] {
    std::map<std::string, Kind> k;
    add_step_kinds(k);
    add_model_kinds(k);
    add_formula_kinds(k);
    add_question_kinds(k);
    return k;
  }();
  return all;
}

Outcome run(const File& file, const std::map<std::string, Kind>& instead,
            const std::function<bool(const Json&)>& only) {
  Outcome outcome;
  for (const Json& v : file.vectors) {
    if (only && !only(v)) continue;
    const std::string kind = word(v, "kind");
    auto runner = instead.find(kind);
    if (runner == instead.end()) runner = kinds().find(kind);
    if (runner == kinds().end()) {
      ++outcome.not_covered[kind];
      continue;
    }
    const std::string wrong =
        mismatch(v["expect"], runner->second(file, v), number(v, "rel_tol", 1e-9));
    if (wrong.empty()) {
      ++outcome.passed;
      ++outcome.per_kind[kind];
    } else {
      outcome.failures.push_back(word(v, "id") + ": " + wrong);
    }
  }
  return outcome;
}

}  // namespace rooflens::vectors
