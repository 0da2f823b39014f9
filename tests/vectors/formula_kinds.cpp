// Kinds that are one closed formula.
#include "core/closed_formulas.h"
#include "rooflens/core/experts.h"
#include "rooflens/core/lowering.h"
#include "vectors/vector_file.h"

namespace rooflens::vectors {
namespace {

double in(const Json& v, const char* key) { return v["input"].value(key, 0.0); }

Answer ridge_of(const File&, const Json& v) {
  Device d;
  d.peak[static_cast<std::size_t>(Compute::bf16)] = in(v, "peak");
  d.bytes_per_s = in(v, "bw");
  return {{"ridge", ridge(d, Compute::bf16)}};
}

Answer gemm(const File&, const Json& v) {
  const double exact = gemm_intensity(in(v, "T"), in(v, "N"), in(v, "K"), in(v, "w_bytes"),
                                      in(v, "act_in"), in(v, "act_out"));
  const double approx = textbook_intensity(in(v, "T"), in(v, "w_bytes"));
  return {{"exact", exact}, {"approx", approx}, {"error", approx / exact - 1}};
}

Answer gemm_cross(const File&, const Json& v) {
  const auto exact = gemm_crossing(in(v, "ridge"), in(v, "N"), in(v, "K"), in(v, "w_bytes"),
                                   in(v, "act_in"), in(v, "act_out"));
  return {{"exact_T", exact ? Json(*exact) : Json(nullptr)},
          {"approx_T", textbook_crossing(in(v, "ridge"), in(v, "w_bytes"))}};
}

Answer geometry(const File&, const Json& v) {
  const double t = in(v, "t"), p = in(v, "p");
  Reach r = reach_full(t, p);
  if (in(v, "window") > 0) r = reach_window(t, p, in(v, "window"), in(v, "sink_tokens"));
  if (in(v, "chunk") > 0) r = reach_chunk(t, p, in(v, "chunk"));
  if (in(v, "topk") > 0) r = reach_top_k(t, p, in(v, "topk"));
  return {{"pairs", r.pairs}, {"kv_span", r.span}};
}

Answer attention(const File& file, const Json& v) {
  if (v["input"].contains("peak")) {  // heads at which 2 h reaches the ridge, h = ridge / 2
    return {{"heads", in(v, "peak") / in(v, "bw") / 2}};
  }
  if (v["input"].contains("s_q")) return {{"approx", 2 * in(v, "h_q") * in(v, "s_q")}};
  const auto ridge_on = [&](const char* hw) {
    return ridge(file.systems.at(hw).device, Compute::bf16);
  };
  return {{"intensity", attention_intensity(in(v, "h_q"), 1, in(v, "d_k"), in(v, "d_v"),
                                            in(v, "d_k"), 2)},
          {"ridge_h800_throttled", ridge_on("h800-throttled")},
          {"ridge_h800_datasheet", ridge_on("h100-sxm")}};
}

Answer moe(const File&, const Json& v) {
  const double e = in(v, "E"), k = in(v, "k"), t = in(v, "T");
  const double d = distinct_experts(e, k, t, in(v, "zipf"));
  return {{"distinct", d},
          {"tokens_per_touched_expert", t * k / d},
          {"intensity_fp8", textbook_intensity(t * k / d, 1)},
          {"min", k},
          {"max", std::min(e, k * t)}};
}

Answer moe_batch(const File&, const Json& v) {
  return {{"T", moe_crossing(in(v, "E"), in(v, "k"), in(v, "ridge"), in(v, "w_bytes"))}};
}

Answer linear(const File&, const Json& v) {
  static const std::map<std::string, Linear> names{{"retnet", Linear::retnet},
                                                   {"gla", Linear::gla},
                                                   {"rwkv6", Linear::rwkv6},
                                                   {"rwkv7", Linear::rwkv7},
                                                   {"lightning", Linear::lightning}};
  const LinearCost c = linear_attention(names.at(v["input"]["kind_"]), in(v, "heads"),
                                        in(v, "dk"), in(v, "dv"), in(v, "state_b"));
  return {{"flops_per_token_layer", c.flops_per_token},
          {"state_bytes_layer", c.state_bytes},
          {"decode_intensity", c.decode_intensity}};
}

Answer spec(const File&, const Json& v) {
  const double tokens = expected_tokens(in(v, "alpha"), in(v, "gamma"));
  return {{"tokens", tokens},
          {"expected_tokens", tokens},
          {"ideal_speedup", tokens / (in(v, "gamma") * in(v, "c") + 1)}};
}

Answer mixed(const File&, const Json& v) {
  return {{"fraction", mixed_fraction(in(v, "x_prefill"), in(v, "roof_prefill"),
                                      in(v, "x_decode"), in(v, "roof_decode"))}};
}

Answer pp(const File&, const Json& v) {
  const Pipeline p = pipeline(in(v, "stage"), in(v, "pp"), in(v, "microbatches"));
  return {{"time", p.seconds}, {"bubble", p.bubble}};
}

Answer beam(const File&, const Json& v) {
  const SharedPrefix s = shared_prefix(in(v, "n_req"), in(v, "width"), in(v, "prompt"),
                                       in(v, "gen"), v["input"]["cascade"]);
  return {{"kv_tokens_read", s.read}, {"kv_tokens_stored", s.stored}};
}

}  // namespace

void add_formula_kinds(std::map<std::string, Kind>& k) {
  k["ridge"] = ridge_of;
  k["gemm_intensity"] = gemm;
  k["gemm_crossing"] = gemm_cross;
  k["attn_geometry"] = geometry;
  k["attn_intensity"] = attention;
  k["moe_distinct"] = moe;
  k["moe_ridge_batch"] = moe_batch;
  k["linear_attn"] = linear;
  k["spec"] = spec;
  k["mixed_run"] = mixed;
  k["pp"] = pp;
  k["beam"] = beam;
}

}  // namespace rooflens::vectors
