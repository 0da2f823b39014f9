// Kinds that lower a step: step, comm, collective, check_*, crossing.
#include "rooflens/core/collective.h"
#include "rooflens/core/crossing.h"
#include "rooflens/core/place.h"
#include "vectors/vector_file.h"

namespace rooflens::vectors {
namespace {

struct Run {
  std::vector<Operator> ops;
  std::vector<Placed> placed;
  StepTotals totals;
  Ceilings ceilings;
};

Run run_step(const Setup& s, const std::vector<Group>& groups, const Twist& twist = {}) {
  Run r;
  r.ceilings = ceilings(s.system, s.deploy);
  r.ops.resize(operator_capacity(s.model));
  r.ops.resize(lower(s.model, s.deploy, r.ceilings, groups, r.ops));
  if (twist.each_operator) {
    for (Operator& op : r.ops) twist.each_operator(s, groups, op);
  }
  r.placed.resize(r.ops.size());
  r.totals = place(s.deploy, r.ceilings, groups, r.ops, r.placed);
  return r;
}

std::vector<Group> groups_of(const Json& j) {
  std::vector<Group> groups;
  for (const Json& g : j) groups.push_back({g[0], g[1], g[2], g[3]});
  return groups;
}

Json operator_answer(const Operator& op, const Placed& p, Fusion fusion) {
  const bool ideal = fusion == Fusion::ideal;
  Json j{{"F", op.flops},
         {"V", op.vector_flops},
         {"w", op.weight_bytes},
         {"ain", ideal ? 0 : op.read_bytes},
         {"aout", ideal ? 0 : op.write_bytes},
         {"kvr", op.kv_read_bytes},
         {"kvw", op.kv_write_bytes},
         {"st", op.state_bytes},
         {"sc", ideal ? 0 : op.score_bytes},
         {"bytes", bytes_under(op, fusion)},
         {"t", p.seconds},
         {"bound", name_of(p.bound)}};
  // The vectors call an operator without matrix work by its vector intensity.
  const double bytes = bytes_under(op, fusion);
  j["I"] = bytes > 0 ? (op.flops > 0 ? op.flops : op.vector_flops) / bytes : 0;
  j["cdt"] = op.matrix ? Json(name_of(op.compute)) : Json(nullptr);
  return j;
}

Json operators_answer(const Setup& s, const Run& r, const Json& wanted) {
  Json all = Json::object();
  for (const auto& [key, value] : wanted.items()) {
    const auto at = key.find("@L");
    const std::string name = key.substr(0, at);
    const bool in_layer = at != std::string::npos;
    const std::size_t layer =
        in_layer ? s.model.order[static_cast<std::size_t>(std::stoi(key.substr(at + 2)))] : 0;
    for (std::size_t i = 0; i < r.ops.size(); ++i) {
      if (name == r.ops[i].name && (!in_layer || r.ops[i].layer == layer)) {
        all[key] = operator_answer(r.ops[i], r.placed[i], s.deploy.fusion);
      }
    }
  }
  return all;
}

}  // namespace

Answer step_answer(const File& file, const Json& v, const Twist& twist) {
  Setup s = setup(file, v["input"]);
  std::vector<Group> groups = groups_of(v["input"]["groups"]);
  if (twist.question) twist.question(s, groups);
  const Run r = run_step(s, groups, twist);
  const StepTotals& t = r.totals;
  const bool ideal = s.deploy.fusion == Fusion::ideal;
  const double bytes = ideal ? t.ideal_bytes : t.bytes;
  const Position p = position_of(t, r.ceilings, bytes);
  Json a{{"F", t.flops},
         {"V", t.vector_flops},
         {"w", t.weight_bytes},
         {"act", ideal ? 0 : t.activation_bytes},
         {"kvr", t.kv_read_bytes},
         {"kvw", t.kv_write_bytes},
         {"st", t.state_bytes},
         {"sc", ideal ? 0 : t.score_bytes},
         {"bytes", bytes},
         {"I", p.intensity},
         {"P_eff", t.peak_flops_per_s},
         {"ridge", p.ridge},
         {"ridge_fraction", p.fraction_of_ridge},
         {"attainable", p.attainable_flops_per_s},
         {"t_compute", t.compute_seconds},
         {"t_memory", bytes / r.ceilings.bytes_per_s},
         {"t_comm", t.network_seconds},
         {"t_ops", t.operator_seconds},
         {"t_serial", t.serial_seconds},
         {"t_step", t.step_seconds},
         {"comm", t.network_bytes}};
  // The vectors' roof takes the network as rings on one flat link.
  const double roof = std::max({t.compute_seconds, bytes / r.ceilings.bytes_per_s,
                                t.network_seconds});
  a["t_roof"] = roof;
  a["bound"] = roof == t.network_seconds && t.network_seconds > 0
                   ? name_of(Bound::network)
                   : name_of(t.compute_seconds > bytes / r.ceilings.bytes_per_s ? Bound::compute
                                                                                : Bound::memory);
  const double tokens = t.tokens / s.deploy.data;
  a["tokens_per_s_roof"] = tokens / roof;
  a["tokens_per_s_ops"] = tokens / t.step_seconds;
  Json by = Json::object();
  for (int c = 0; c < kComputes; ++c) {
    const double f = t.flops_by[static_cast<std::size_t>(c)];
    if (f > 0) by[name_of(static_cast<Compute>(c))] = f;
  }
  a["F_by_dtype"] = by;
  if (v["expect"].contains("ops")) a["ops"] = operators_answer(s, r, v["expect"]["ops"]);
  return a;
}

namespace {

Answer step(const File& file, const Json& v) { return step_answer(file, v, {}); }

Answer comm(const File& file, const Json& v) {
  const Setup s = setup(file, v["input"]);
  const Run r = run_step(s, groups_of(v["input"]["groups"]));
  double tensor = 0, expert = 0, pipeline = 0, logits = 0;
  for (const Operator& op : r.ops) {
    const double bytes =
        op.count *
        collective_cost(op.collective, op.payload_bytes, ranks_of(op, s.deploy)).bytes_per_rank;
    switch (op.collective) {
      case Collective::all_gather: logits += bytes; break;
      case Collective::all_to_all: expert += bytes; break;
      case Collective::p2p: pipeline += bytes; break;
      default: tensor += bytes;
    }
  }
  return {{"tp", tensor},   {"ep", expert},
          {"pp", pipeline}, {"logits", logits},
          {"total", r.totals.network_bytes}, {"latency_steps", r.totals.network_steps}};
}

Answer collective(const File&, const Json& v) {
  const Json& in = v["input"];
  static const std::map<std::string, Collective> names{
      {"allreduce", Collective::all_reduce},         {"allgather", Collective::all_gather},
      {"reducescatter", Collective::reduce_scatter}, {"alltoall", Collective::all_to_all},
      {"p2p", Collective::p2p}};
  const auto cost =
      collective_cost(names.at(in["kind"]), in["S"], in["n"],
                      in["algo"] == "oneshot" ? Algorithm::one_shot : Algorithm::ring);
  return {{"bytes_sent_per_rank", cost.bytes_per_rank}, {"latency_steps", cost.steps}};
}

Answer crossing(const File& file, const Json& v) {
  const Setup s = setup(file, v["input"]);
  const Ceilings c = ceilings(s.system, s.deploy);
  const auto at = [&](double context) {
    const auto b = crossing_batch(s.model, s.deploy, c, context, Part::whole_step);
    return b ? Json(*b) : Json(nullptr);
  };
  const auto never = never_above_context(s.model, s.deploy, c);
  return {{"B_at_L1", at(1)},
          {"B_at_L512", at(512)},
          {"B_at_L2048", at(2048)},
          {"never_above_L", never ? Json(*never) : Json(nullptr)}};
}

// What a measured rate means: the shared part of both check kinds.
Json check(const Setup& s, const Run& r, double rate, double tokens) {
  const StepTotals& t = r.totals;
  const double step_s = tokens / rate;
  const Position p = position_of(t, r.ceilings, t.bytes);
  return {{"achieved_flops_per_gpu", t.flops / step_s},
          {"fraction_of_compute_roof", t.flops / step_s / t.peak_flops_per_s},
          {"roof_toks", tokens / p.roof_seconds},
          {"fraction_of_roof", rate * p.roof_seconds / tokens},
          {"ops_toks", tokens / t.operator_seconds},
          {"fraction_of_ops", rate * t.operator_seconds / tokens},
          {"I", p.intensity},
          {"ridge", p.ridge},
          {"ridge_fraction", p.fraction_of_ridge},
          {"bound", name_of(p.bound)},
          {"F_per_token", t.flops * s.deploy.tensor / tokens},
          {"step_time", step_s},
          {"achieved_bw_per_gpu", t.bytes / step_s},
          {"fraction_of_bandwidth", t.bytes / step_s / r.ceilings.bytes_per_s}};
}

Answer check_prefill(const File& file, const Json& v) {
  const Json& in = v["input"];
  const Setup s = setup(file, in);
  return check(s, run_step(s, {{1, in["S"], 0, 1}}), in["toks"], in["S"]);
}

Answer check_decode(const File& file, const Json& v) {
  const Json& in = v["input"];
  const Setup s = setup(file, in);
  return check(s, run_step(s, {{in["B"], 1, in["L"], 1}}), in["toks"], in["B"]);
}

}  // namespace

void add_step_kinds(std::map<std::string, Kind>& k) {
  k["step"] = step;
  k["comm"] = comm;
  k["collective"] = collective;
  k["crossing"] = crossing;
  k["check_prefill"] = check_prefill;
  k["check_decode"] = check_decode;
}

}  // namespace rooflens::vectors
