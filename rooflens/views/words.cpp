#include <algorithm>
#include <cmath>

#include "rooflens/core/ascii.h"
#include "rooflens/core/groups.h"
#include "rooflens/core/requantise.h"
#include "rooflens/views/analysis_views.h"

namespace rooflens {
namespace {

std::string text(double v, Unit u) { return format(v, u); }

// The precision that a phase's matrix work is mostly charged to.
std::string main_precision(const StepTotals& t) {
  std::size_t most = 0;
  for (std::size_t i = 1; i < t.flops_by.size(); ++i) {
    if (t.flops_by[i] > t.flops_by[most]) most = i;
  }
  return upper(name_of(static_cast<Compute>(most)));
}

// "3.4 % of the ridge (405 FLOP/B)", "2.2x the ridge (420 FLOP/B)".
std::string beside_ridge(const StepTotals& t) {
  const std::string ridge = " (" + text(t.ridge, Unit::flop_per_byte) + ")";
  if (t.fraction_of_ridge < 1)
    return text(t.fraction_of_ridge, Unit::fraction) + " of the ridge" + ridge;
  return text(t.fraction_of_ridge, Unit::ratio) + " the ridge" + ridge;
}

std::string what_helps(Bound b, bool decode, const StepTotals& t) {
  switch (b) {
    case Bound::memory:
      return decode ? "Memory bandwidth is the ceiling: fewer bytes or more bandwidth help, more "
                      "FLOPs are futile."
                    : "Memory bandwidth is the ceiling: longer prompts, or more of them together, "
                      "would use the idle arithmetic.";
    case Bound::compute:
      return "The " + main_precision(t) +
             " matrix peak is the ceiling: more bandwidth would not help.";
    case Bound::network:
      return "The links between the devices are the ceiling (" +
             text(t.network_roof_seconds, Unit::seconds) + " against " +
             text(std::max(t.compute_seconds, t.memory_seconds), Unit::seconds) +
             " of one device): neither its bandwidth nor its FLOPs help.";
    default:
      return "";
  }
}

}  // namespace

std::string parallel_words(const Scenario& s) {
  const Deployment& d = s.deployment;
  std::string words;
  const auto say = [&](int n, const char* what) {
    if (n > 1) words += std::string(words.empty() ? "" : ", ") + what + " " + std::to_string(n);
  };
  say(d.tensor, "TP");
  say(d.pipeline, "PP");
  say(d.data, "DP");
  say(d.expert, "EP");
  return words;
}

std::string model_title(const Model& m) {
  std::string title = m.name;
  for (std::size_t i = 0; i < m.changes.size(); ++i)
    title += (i == 0 ? " with " : ", ") + m.changes[i];
  return title;
}

std::string scenario_title(const Scenario& s) {
  std::string title = model_title(s.model) + " on ";
  if (s.system.count > 1) title += std::to_string(s.system.count) + " x ";
  title += s.system.device.name;
  const std::string parallel = parallel_words(s);
  return parallel.empty() ? title : title + ", " + parallel;
}

namespace {

// The name the files give to most bytes of these purposes; "" = they do not say.
std::string stored_format(const Model& m, std::initializer_list<std::string_view> roles) {
  const StoredPart* most = nullptr;
  for (const StoredPart& p : m.stored) {
    if (std::find(roles.begin(), roles.end(), p.role) == roles.end()) continue;
    if (most == nullptr || p.bytes > most->bytes) most = &p;
  }
  return most != nullptr ? most->format : "";
}

struct FormatNames {
  std::string linear, experts, head;
};

FormatNames format_names(const Model& m) {
  const auto name = [&](Role role, std::initializer_list<std::string_view> purposes) {
    std::string stored = stored_format(m, purposes);
    return stored.empty() ? storage_name(storage_of(m, role)) : stored;
  };
  return {name(Role::linear, {"attention", "recurrent mixer", "feed-forward", "shared expert"}),
          name(Role::experts, {"experts"}), name(Role::head, {"head", "embedding and head"})};
}

}  // namespace

std::string format_words(const Model& m) {
  const auto [linear, experts, head] = format_names(m);
  bool has_experts = false;
  for (const Layer& layer : m.layers) {
    has_experts = has_experts || std::holds_alternative<MixtureOfExperts>(layer.ffn);
  }
  std::string words = has_experts ? experts : linear;
  if (has_experts && experts != linear) words += " experts, " + linear + " elsewhere";
  if (head != linear) words += ", " + head + " head";
  return words;
}

std::string verdict(const Analysis& a, const Phase& p, bool decode) {
  const StepTotals& t = p.totals;
  std::string s = decode ? "Decode is " : "Prefill is ";
  s += std::string(name_of(t.bound)) + "-bound: " + text(t.intensity, Unit::flop_per_byte) +
       " is " + beside_ridge(t) + ". " + what_helps(t.bound, decode, t);
  const BoundShares by = bound_shares(p);
  const Bound largest = by.largest();
  if (largest != t.bound) {
    const double share = largest == Bound::network   ? by.network
                         : largest == Bound::compute ? by.compute
                         : largest == Bound::vector  ? by.vector
                                                     : by.memory;
    s += " One operator after another, " + text(share, Unit::fraction) + " of the time is " +
         name_of(largest) + "-bound.";
  }
  if (!decode) {
    return s + " Roof " + text(p.roof_tokens_per_s, Unit::tokens_per_s) + ", TTFT at least " +
           text(t.roof_seconds, Unit::seconds) + ".";
  }
  s += " Roof " + text(p.roof_tokens_per_s, Unit::tokens_per_s);
  if (a.scenario.workload.batch > 1) {
    s += " in total, " + text(p.roof_tokens_per_s / a.scenario.workload.batch, Unit::tokens_per_s) +
         " per user";
  }
  return s + ", " + text(t.roof_seconds, Unit::seconds) + " a step.";
}

}  // namespace rooflens
