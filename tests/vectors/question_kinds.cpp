// Kinds that ask the whole model a question: totals by a published convention, KV against weights.
#include <vector>

#include "rooflens/core/capacity.h"
#include "rooflens/core/place.h"
#include "vectors/vector_file.h"

namespace rooflens::vectors {
namespace {

StepTotals totals_of(const Model& m, const Deployment& d, const Ceilings& c, const Group& g) {
  std::vector<Operator> ops(operator_capacity(m));
  ops.resize(lower(m, d, c, {&g, 1}, ops));
  return place(d, c, {&g, 1}, ops, {});
}

// Narayanan et al. 2021: a GPT of l layers, 2-matrix FFN of 4h, scores counted as a full square.
Answer model_flops(const File&, const Json& v) {
  const Json& in = v["input"];
  const double b = in["b"], s = in["s"], l = in["l"], h = in["h"], vocabulary = in["V"];
  Model m;
  m.hidden = h;
  m.vocabulary = vocabulary;
  Layer layer;
  layer.mixer = Attention{.query_heads = h / 128, .kv_heads = h / 128, .key_dim = 128,
                          .value_dim = 128};
  layer.ffn = Dense{4 * h, 2, false};
  layer.count = l;
  m.layers.push_back(layer);
  Deployment d;
  d.causal = CausalMode::full;
  System system;
  system.device.peak.fill(1);
  system.device.bytes_per_s = 1;
  const StepTotals t = totals_of(m, d, ceilings(system, d), {b, s, 0, s});
  const double published = 24 * b * s * l * h * h * (1 + s / (6 * h)) + 2 * b * s * h * vocabulary;
  return {{"forward", published},
          {"ref_forward_all_logits", t.flops},
          {"ratio", t.flops / published}};
}

// The context at which a step reads as much cache as weights.
Answer kv_equals_weights(const File& file, const Json& v) {
  const Json& in = v["input"];
  const Setup s = setup(file, in);
  const double batch = in["B"];
  System system;
  system.device.peak.fill(1);
  system.device.bytes_per_s = 1;
  const StepTotals t =
      totals_of(s.model, s.deploy, ceilings(system, s.deploy), {batch, 1, 1, 1});
  return {{"L", (t.weight_bytes / batch - 2 * state_bytes_per_sequence(s.model, s.deploy)) /
                    kv_bytes_per_token(s.model, s.deploy)}};
}

// Verification of drafts against plain decoding, both by the operator model.
Answer spec_roof(const File& file, const Json& v) {
  const Json& in = v["input"];
  const Setup s = setup(file, in);
  const Ceilings c = ceilings(s.system, s.deploy);
  const double b = in["B"], context = in["L"], drafts = in["gamma"], alpha = in["alpha"];
  const double decode =
      totals_of(s.model, s.deploy, c, {b, 1, context, 1}).operator_seconds;
  const double verify =
      totals_of(s.model, s.deploy, c, {b, drafts + 1, context, drafts + 1}).operator_seconds;
  double tokens = 0;
  for (double i = 0, p = 1; i <= drafts; ++i, p *= alpha) tokens += p;
  const double draft = in["draft_fraction"].get<double>() * drafts;
  return {{"speedup", tokens * decode / (draft * decode + verify)},
          {"ideal", tokens / (draft + 1)},
          {"verify_over_decode", verify / decode}};
}

}  // namespace

void add_question_kinds(std::map<std::string, Kind>& k) {
  k["model_flops"] = model_flops;
  k["kv_equals_weights"] = kv_equals_weights;
  k["spec_roof"] = spec_roof;
}

}  // namespace rooflens::vectors
