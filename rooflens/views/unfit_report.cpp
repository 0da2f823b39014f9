#include "rooflens/core/nearest_fit.h"
#include "rooflens/views/analysis_views.h"

namespace rooflens {
namespace {

void offer(Section& s, const char* tag, const char* label, const std::optional<double>& v, Unit u,
           std::string note) {
  if (v) s.values.push_back(number(tag, label, *v, u, std::move(note)));
}

}  // namespace

Report unfit_report(const Analysis& a) {
  const Scenario& s = a.scenario;
  const Capacity& m = a.memory;
  const double context = longest_tokens(s.workload);
  const NearestFit n = nearest_fit(s, context);
  Report r;
  r.title = scenario_title(s) + ": does not fit";

  Section what{.tag = "missing"};
  const std::string each = s.system.count > 1 ? " on each device" : "";
  what.lines.push_back({"Batch " + grouped(s.workload.batch) + " of " + grouped(context) +
                            " tokens needs " + format(n.missing_bytes, Unit::bytes) +
                            " more than there is" + each + ".",
                        Severity::bad});
  r.sections.push_back(std::move(what));

  Section sum{.tag = "memory", .title = "Memory of one device", .kind = SectionKind::values};
  sum.values = {
      number("capacity_bytes", "capacity", m.capacity_bytes, Unit::bytes),
      number("usable_bytes", "may be used", m.usable_bytes, Unit::bytes,
             format(s.deployment.utilisation, Unit::fraction) + " of it"),
      number("weight_bytes", "weights", m.weight_bytes, Unit::bytes, format_words(s.model)),
      number("activation_bytes", "activations", m.activation_bytes, Unit::bytes,
             grouped(s.deployment.batched_tokens) + " tokens in the largest step"),
      number("overhead_bytes", "context, graphs, buffers", m.overhead_bytes, Unit::bytes),
      number("free_bytes", "left for the cache", m.free_bytes, Unit::bytes),
      number("bytes_per_sequence", "one sequence", m.bytes_per_sequence, Unit::bytes,
             grouped(context) + " tokens"),
  };
  r.sections.push_back(std::move(sum));

  Section fits{.tag = "fits", .title = "One change that fits", .kind = SectionKind::values};
  offer(fits, "batch", "a smaller batch", n.batch, Unit::count, "--batch");
  offer(fits, "context", "shorter sequences", n.context, Unit::tokens, "prompt + output");
  if (n.kv) fits.values.push_back(words("kv", "a smaller cache type", *n.kv, "--kv fp8"));
  if (n.weights)
    fits.values.push_back(words("weights", "smaller weights", *n.weights, "--weights"));
  if (n.devices) {
    fits.values.push_back(number("devices", "more devices, TP", *n.devices, Unit::count, "--gpus"));
  }
  if (fits.values.empty()) {
    fits.kind = SectionKind::prose;
    fits.lines.push_back(
        {"No single change of batch, context, cache type, weights or device "
         "count makes it fit."});
  }
  r.sections.push_back(std::move(fits));
  return r;
}

}  // namespace rooflens
