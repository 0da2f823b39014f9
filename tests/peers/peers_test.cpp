// Formulas that other tools, pages and posts get wrong. Each is run in place of ours over the
// vectors it touches, and must miss one: so the vectors can fail. Ours passes the same ones.
#include <gtest/gtest.h>

#include <algorithm>

#include "peers/wrong.h"
#include "rooflens/core/capacity.h"
#include "rooflens/core/experts.h"

namespace rooflens::vectors {
namespace {

// ---- what is looked at --------------------------------------------------------------------------

template <class T>
void each(Model& m, const std::function<void(T&)>& change) {
  for (Layer& layer : m.layers) {
    if (auto* mixer = std::get_if<T>(&layer.mixer)) change(*mixer);
  }
}
template <class T>
const T* mixer_of(const Setup& s, const Operator& op) {
  return std::get_if<T>(&s.model.layers[op.layer].mixer);
}
const MixtureOfExperts& experts_of(const Setup& s, const Operator& op) {
  return std::get<MixtureOfExperts>(s.model.layers[op.layer].ffn);
}
bool is(const Operator& op, const char* name) { return std::string(op.name) == name; }

double tokens_of(const std::vector<Group>& groups) {
  double t = 0;
  for (const Group& g : groups) t += g.sequences * g.tokens;
  return t;
}
double distinct_of(const Setup& s, const std::vector<Group>& groups, const MixtureOfExperts& m) {
  return distinct_experts(m.experts, m.active, tokens_of(groups) * s.deploy.data, 0);
}

bool several_tokens(const Json& v) {
  return std::any_of(v["input"]["groups"].begin(), v["input"]["groups"].end(),
                     [](const Json& g) { return g[1] > 1; });
}
std::function<bool(const Json&)> model_has(std::function<bool(const Layer&)> what) {
  return [what = std::move(what)](const Json& v) {
    const auto at = file().models.find(v["input"].value("model", ""));
    return at != file().models.end() &&
           std::any_of(at->second.layers.begin(), at->second.layers.end(), what);
  };
}
bool is_recurrent_layer(const Layer& l) {
  return !std::holds_alternative<Attention>(l.mixer) &&
         !std::holds_alternative<LatentAttention>(l.mixer);
}
bool is_latent_layer(const Layer& l) { return std::holds_alternative<LatentAttention>(l.mixer); }
bool has_experts(const Layer& l) { return std::holds_alternative<MixtureOfExperts>(l.ffn); }
bool has_groups(const Layer& l) {
  const auto* a = std::get_if<Attention>(&l.mixer);
  return a != nullptr && a->kv_heads < a->query_heads;
}

void use_heads_of_hidden(Model& m) {
  each<Attention>(m, [&](Attention& a) { a.key_dim = a.value_dim = m.hidden / a.query_heads; });
}

// Every layer of a hybrid taken for one with a cache.
void attention_everywhere(Model& m) {
  const auto caches = [](const Layer& l) { return !is_recurrent_layer(l); };
  const auto first = std::find_if(m.layers.begin(), m.layers.end(), caches);
  if (first == m.layers.end()) return;
  const Mixer mixer = first->mixer;
  for (Layer& l : m.layers) l.mixer = mixer;
}

// ---- LLM-Viewer, as its code reads (arithmetic.md section 17) -----------------------------------

std::vector<Wrong> of_llm_viewer() {
  return {
      {"LLM-Viewer: the flash path reads the cache once a query head",
       {{"step", each_operator([](const Setup& s, const auto&, Operator& op) {
           const auto* a = mixer_of<Attention>(s, op);
           if (is(op, "attn") && a != nullptr) op.kv_read_bytes *= a->query_heads / a->kv_heads;
         })}},
       model_has(has_groups)},
      {"LLM-Viewer: the flash output is of S x S values a head",
       {{"step", each_operator([](const Setup& s, const auto& groups, Operator& op) {
           const auto* a = mixer_of<Attention>(s, op);
           if (!is(op, "attn") || a == nullptr) return;
           op.write_bytes = 0;
           for (const Group& g : groups) {
             op.write_bytes += g.sequences * g.tokens * (g.cached + g.tokens) * a->query_heads * 2;
           }
         })}}},
      {"LLM-Viewer: one FLOP a multiply-add in the LM head",
       {{"step", each_operator([](const Setup&, const auto&, Operator& op) {
           if (is(op, "lm_head")) op.flops /= 2;
         })}}},
      {"LLM-Viewer: no causal halving of a prefill",
       {{"step", question([](Setup& s, auto&) { s.deploy.causal = CausalMode::full; })}},
       several_tokens},
      {"LLM-Viewer: head size is hidden / heads (also F06)",
       with_models({"step", "params", "kv_token", "kv_seq"}, use_heads_of_hidden)},
      {"LLM-Viewer: FP8 peak only when weights, inputs and cache are all 8 bit",
       {{"step", question([](Setup& s, auto&) {
           auto& peak = s.system.device.peak;
           if (element_bits(s.deploy.key_cache.element) > 8) {
             peak[static_cast<std::size_t>(Compute::fp8)] =
                 peak[static_cast<std::size_t>(Compute::bf16)];
           }
         })}},
       [](const Json& v) { return v["input"]["deploy"].value("gemm_in", "") == "fp8"; }},
      {"LLM-Viewer: no state, a hybrid's other layers cost nothing of their own (section 6)",
       {{"step",
         each_operator([](const Setup&, const auto&, Operator& op) { op.state_bytes = 0; })}},
       model_has(is_recurrent_layer)},
  };
}

// ---- machines (requirements.md section 7, arithmetic.md sections 0 and 10) ----------------------

void scale_peaks(System& s, double factor) {
  for (double& p : s.device.peak) p *= factor;
}

std::vector<Wrong> of_machines() {
  const std::set<std::string> timed{"step", "check_prefill", "check_decode", "crossing"};
  return {
      {"GiB taken for GB in the bandwidth (F14)",
       with_machines(timed, [](System& s) { s.device.bytes_per_s *= 1.073741824; })},
      {"the peak with sparsity (H01, H02)",
       with_machines(timed, [](System& s) { scale_peaks(s, 2); })},
      {"a dense peak halved again (H02)",
       with_machines(timed, [](System& s) { scale_peaks(s, 0.5); })},
      {"the CUDA cores' rate for the tensor cores' (H04, A02)",
       with_machines(timed,
                     [](System& s) {
                       if (s.device.vector_flops_per_s > 0)
                         s.device.peak.fill(s.device.vector_flops_per_s);
                     })},
      {"a link's both directions together (section 10: vendor figures, halve them)",
       with_machines({"step"},
                     [](System& s) {
                       for (Link& l : s.device.links) l.bytes_per_s *= 2;
                     }),
       [](const Json& v) { return v["input"]["deploy"].value("tp", 1) > 1; }},
      {"a ring all-reduce sends its payload once (section 10: 2(n-1)/n)",
       answered("collective",
                [](const Json& v, Answer& a) {
                  if (v["input"]["kind"] == "allreduce") a["bytes_sent_per_rank"] = v["input"]["S"];
                })},
      {"vector work added to the FLOPs of an intensity (section 0)",
       answered("step",
                [](const Json&, Answer& a) {
                  a["I"] = (a["F"].get<double>() + a["V"].get<double>()) / a["bytes"].get<double>();
                })},
  };
}

// ---- the cache (requirements.md section 7) ------------------------------------------------------

std::vector<Wrong> of_caches() {
  const std::set<std::string> cached{"step", "kv_token", "kv_seq"};
  return {
      {"grouped queries ignored: a KV head for each query head (section 4.3)",
       with_models(
           cached,
           [](Model& m) { each<Attention>(m, [](Attention& a) { a.kv_heads = a.query_heads; }); }),
       model_has(has_groups)},
      {"hidden size for KV heads x head size (F01, F07, F19)",
       with_models(cached,
                   [](Model& m) {
                     each<Attention>(m, [&](Attention& a) { a.kv_heads = m.hidden / a.key_dim; });
                   })},
      {"keys and values each counted twice",
       {{"step",
         each_operator([](const Setup&, const auto&, Operator& op) { op.kv_read_bytes *= 2; })}}},
      {"HF's Llama 3.1 post: 16 KV heads in the 405B (section 17)",
       with_models({"kv_token", "kv_seq"},
                   [](Model& m) {
                     each<Attention>(m, [](Attention& a) {
                       if (a.query_heads == 128) a.kv_heads = 16;
                     });
                   }),
       [](const Json& v) { return v["input"].value("model", "") == "llama-3.1-405b"; }},
      {"bits taken for bytes (F01)",
       answered("kv_token",
                [](const Json&, Answer& a) {
                  for (const char* key : {"bytes", "per_rank", "all_ranks"}) {
                    a[key] = a[key].get<double>() * 8;
                  }
                })},
      {"layers forgotten (F13)", with_models({"kv_token"},
                                             [](Model& m) {
                                               for (Layer& l : m.layers) l.count = 1;
                                             })},
      {"latent attention taken for GQA: keys and values of every head cached (F06)",
       with_models(cached,
                   [](Model& m) {
                     for (Layer& l : m.layers) {
                       if (const auto* a = std::get_if<LatentAttention>(&l.mixer)) {
                         const double key = a->nope_dim + a->rope_dim;
                         l.mixer = Attention{a->heads, a->heads, key, a->value_dim};
                       }
                     }
                   }),
       model_has(is_latent_layer)},
      {"latent attention as 2 x 512 without the rotated part (F06)",
       with_models({"kv_token", "kv_seq", "state"},
                   [](Model& m) {
                     each<LatentAttention>(m, [](LatentAttention& a) {
                       a.kv_rank *= 2;
                       a.rope_dim = 0;
                     });
                   }),
       model_has(is_latent_layer)},
      {"all layers of a hybrid cache keys and values (F05, F11, F16)",
       with_models({"kv_token", "state", "max_batch"}, attention_everywhere),
       [](const Json& v) {  // a state vector without L asks for one recurrent layer
         return model_has(is_recurrent_layer)(v) &&
                (v["kind"] != "state" || v["input"].contains("L"));
       }},
      {"windows and chunks ignored (F16)",
       with_models(
           cached,
           [](Model& m) { each<Attention>(m, [](Attention& a) { a.window = a.chunk = 0; }); }),
       model_has([](const Layer& l) {
         const auto* a = std::get_if<Attention>(&l.mixer);
         return a != nullptr && (a->window > 0 || a->chunk > 0);
       })},
      {"tensor ranks divide the cache without end (section 10: at least one KV head a rank)",
       answered("kv_token",
                [](const Json& v, Answer& a) {
                  const double alone = kv_bytes_per_token(
                      file().models.at(v["input"]["model"].get<std::string>()), Deployment{});
                  a["per_rank"] = a["bytes"] = alone / v["input"].value("tp", 1.0);
                  a["all_ranks"] = alone;
                  a["replication"] = 1;
                }),
       [](const Json& v) { return v["input"].value("tp", 1) > 1; }},
      {"an FP8 cache taken for FP8 attention (section 2)",
       {{"step", question([](Setup& s, auto&) {
           if (s.deploy.key_cache.element == Element::fp8) s.deploy.attention = Element::fp8;
         })}},
       [](const Json& v) { return v["input"]["deploy"].value("kv", "bf16") != "bf16"; }},
  };
}

// ---- weights and experts (arithmetic.md sections 0, 2, 5) ---------------------------------------

Kind experts_read(const std::function<double(const MixtureOfExperts&, double tokens)>& how_many) {
  return each_operator([=](const Setup& s, const std::vector<Group>& groups, Operator& op) {
    if (op.group != OperatorGroup::experts) return;
    const MixtureOfExperts& m = experts_of(s, op);
    op.weight_bytes *= how_many(m, tokens_of(groups) * s.deploy.data) / distinct_of(s, groups, m);
  });
}

std::vector<Wrong> of_weights() {
  return {
      {"all experts read at any batch (M09, M10)",
       {{"step", experts_read([](const MixtureOfExperts& m, double) { return m.experts; })}},
       model_has(has_experts)},
      {"min(E, b k) experts read",
       {{"step", experts_read([](const MixtureOfExperts& m, double tokens) {
           return std::min(m.experts, m.active * tokens);
         })},
        {"moe_distinct",
         answered("moe_distinct", [](const Json&, Answer& a) { a["distinct"] = a["max"]; })
             .at("moe_distinct")}},
       [](const Json& v) { return v["kind"] == "moe_distinct" || model_has(has_experts)(v); }},
      {"FLOPs of all experts, not of the active ones (M05, M14)",
       {{"step", each_operator([](const Setup& s, const auto&, Operator& op) {
           if (op.group != OperatorGroup::experts) return;
           op.flops *= experts_of(s, op).experts / experts_of(s, op).active;
         })}},
       model_has(has_experts)},
      {"the embedding table read, not its rows",
       {{"step", each_operator([](const Setup& s, const auto&, Operator& op) {
           if (is(op, "embed")) {
             op.weight_bytes =
                 storage_bytes(s.model.embedding.storage, s.model.vocabulary, s.model.hidden);
           }
         })}}},
      {"what is resident taken for what is read (S11)",
       {{"step",
         [](const File& f, const Json& v) {
           Answer a = step_answer(f, v, {});
           const Setup s = setup(f, v["input"]);
           a["w"] = weight_bytes(s.model, s.deploy);
           return a;
         }}}},
      {"the LM head on every token of a prompt",
       {{"step", question([](Setup&, std::vector<Group>& groups) {
           for (Group& g : groups) g.logits = g.tokens;
         })}},
       several_tokens},
      {"4-bit weights of exactly 4 bits, no scales and zeros (section 2)",
       {{"step", question([](Setup& s, auto&) {
           for (Layer& l : s.model.layers) {
             for (Weight& w : l.weights) {
               if (w.storage.bits == 4) w.storage = plain(Element::int4);
             }
           }
         })},
        {"bpw",
         answered("bpw", [](const Json&, Answer& a) { a["bits_per_weight"] = a["hand"] = 4; })
             .at("bpw")}},
       [](const Json& v) {
         return v.dump().find("awq4") != std::string::npos ||
                v.dump().find("gptq4") != std::string::npos;
       }},
      {"bytes of a matrix from its average bits a weight (section 2: count groups and scales)",
       answered("weight_bytes",
                [](const Json& v, Answer& a) {
                  const Json& in = v["input"];
                  const double bits =
                      bits_per_weight(fixture::format(in["format"].get<std::string>().c_str()));
                  a["bytes"] = bits * in["N"].get<double>() * in["K"].get<double>() / 8;
                })},
  };
}

TEST(Peers, EachWrongFormulaMissesAVectorThatOursPasses) {
  int formulas = 0;
  for (const auto& group : {of_llm_viewer(), of_machines(), of_caches(), of_weights()}) {
    for (const Wrong& w : group) {
      const auto only = [&](const Json& v) {
        return w.answers.count(v["kind"].get<std::string>()) > 0 && (!w.touches || w.touches(v));
      };
      const Outcome right = run(file(), {}, only);
      EXPECT_TRUE(right.failures.empty()) << w.what << ": ours misses " << right.failures[0];
      EXPECT_GT(right.passed, 0) << w.what << ": no vector is touched";
      const Outcome wrong = run(file(), w.answers, only);
      EXPECT_FALSE(wrong.failures.empty()) << w.what << ": passes all " << right.passed;
      for (const std::string& f : wrong.failures) {  // wrong, not silent
        EXPECT_EQ(f.find("no answer"), std::string::npos) << w.what << ": " << f;
      }
      std::cout << "peers: misses " << wrong.failures.size() << " of " << right.passed << ": "
                << w.what << "\n";
      ++formulas;
    }
  }
  EXPECT_GE(formulas, 30);
}

}  // namespace
}  // namespace rooflens::vectors
