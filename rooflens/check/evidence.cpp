#include "rooflens/check/evidence.h"

#include <algorithm>

namespace rooflens {
namespace {

using M = Measure;

// The cause that a verdict of this kind was made by.
const Cause* cause_of(const Diagnosis& d, std::initializer_list<const char*> tags) {
  for (const Cause& c : d.causes) {
    for (const char* tag : tags) {
      if (c.explains && c.tag == tag) return &c;
    }
  }
  return nullptr;
}

Sentence share_of_step(const char* what, double seconds, const Diagnosis& d) {
  return {std::string(what) + " take {} of the {} that one operator after another needs",
          {{seconds, M::seconds}, {d.operator_seconds, M::seconds}}};
}

}  // namespace

Sentence evidence_of(const Diagnosis& d) {
  const Gap& g = d.gap;
  switch (d.verdict) {
    case Bound::above_roof:
      return {"The roof leaves {} for it, {} were measured",
              {{d.roof_seconds, M::seconds}, {d.step_seconds, M::seconds}}};
    case Bound::capacity:
      if (const Cause* c =
              cause_of(d, {"preempted", "does_not_fit", "batch_does_not_fit", "slower_memory"})) {
        return c->text;
      }
      break;
    case Bound::queue:
      if (const Cause* c = cause_of(d, {"queue"})) return c->text;
      break;
    default:
      break;
  }
  if (g.measured <= 0) {
    return {"A request's share of the machine is {}, {} at the roof",
            {{d.step_seconds, M::seconds}, {d.roof_seconds, M::seconds}}};
  }
  switch (d.verdict) {
    case Bound::compute:
      return {
          "The FLOPs of a step run at {}, {} of the matrix peak; its bytes would take {} of its "
          "{}",
          {{d.achieved_flops_per_s, M::flops_per_s},
           {d.fraction_of_peak, M::fraction},
           {d.fraction_of_bandwidth * d.step_seconds, M::seconds},
           {d.step_seconds, M::seconds}}};
    case Bound::vector:
      return share_of_step("Work outside the matrix units", g.vector, d);
    case Bound::network:
      return share_of_step("Collectives", g.network, d);
    case Bound::memory:
      return {
          "The bytes of a step arrive at {}, {} of the bandwidth; its FLOPs would take {} of "
          "its {}",
          {{d.achieved_bytes_per_s, M::bytes_per_s},
           {d.fraction_of_bandwidth, M::fraction},
           {d.fraction_of_peak * d.step_seconds, M::seconds},
           {d.step_seconds, M::seconds}}};
    default:
      return {"{} of the {} are left when every operator runs at its own roof",
              {{g.fixed, M::seconds}, {g.measured, M::seconds}}};
  }
}

}  // namespace rooflens
