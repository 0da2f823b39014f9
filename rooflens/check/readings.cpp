#include "rooflens/check/readings.h"

#include <algorithm>
#include <cmath>

namespace rooflens {
namespace {

using P = MeasuredPhase;
using C = Counting;
using M = Measure;

Reading reading(const Basis& b, const Observation& o, P phase, C counting, std::string tag,
                std::string name) {
  const Held h = hold(b, o, phase, counting);
  Reading r;
  r.tag = std::move(tag);
  r.name = std::move(name);
  r.fraction = h.fraction;
  r.tokens_per_s = h.tokens_per_s;
  r.plausible = possible(h);
  if (!r.plausible) {
    r.why = {"{} of what the machine can do", {{h.fraction, M::ratio}}};
  } else if (h.fraction > kRounding && h.fraction_at_max_clock < h.fraction) {
    r.why = {"above the sheet's clock, below the maximum clock", {}};
  } else if (h.fraction > kRounding) {
    r.why = {"only with prefill and decode mixed in the same steps", {}};
  }
  return r;
}

// Rates are open in what they count; times say it themselves.
bool is_rate(const Observation& o) { return o.figure == Figure::tokens_per_s; }

std::string plain_name(const Basis& b, const Observation& o, P phase) {
  if (phase == P::mixed) return "prompt and output tokens over one clock";
  if (!is_rate(o)) return "as told";
  if (o.counting == C::per_stream) return "one sequence of the batch, as told";
  if (o.counting == C::per_device) return "one device, as told";
  if (o.counting == C::same_wall) return "average over a run of both phases, as told";
  return b.batch > 1 && phase == P::decode ? "all sequences together, decode alone"
                                           : "this phase alone";
}

}  // namespace

bool possible(const Held& h) {
  return std::min({h.fraction, h.fraction_at_max_clock, h.fraction_overlapped}) <= kRounding;
}

std::vector<Reading> readings_of(const Basis& b, const Observation& o) {
  std::vector<Reading> all;
  const C first = o.counting == C::unknown ? C::aggregate : o.counting;
  // FLOPs and bytes per second are what a profiler shows: of one device.
  const bool hardware = o.figure == Figure::bytes_per_s || o.figure == Figure::flops_per_s;
  const C counting = hardware && o.counting == C::unknown ? C::per_device : first;
  all.push_back(reading(b, o, b.phase, counting, b.phase == P::mixed ? "total" : name_of(counting),
                        hardware && b.devices > 1 ? "one device" : plain_name(b, o, b.phase)));
  if (o.counting != C::unknown) return all;
  if (hardware && b.devices > 1) {
    all.push_back(reading(b, o, b.phase, C::aggregate, "aggregate", "all devices together"));
  }
  if (!is_rate(o)) return all;
  if (b.phase != P::mixed) {
    const double streams = b.phase == P::decode ? b.batch : b.analysis.prefill.sequences;
    if (streams > 1) {
      all.push_back(
          reading(b, o, b.phase, C::per_stream, "per_stream", "one sequence of the batch"));
      all.back().why.text += all.back().why.empty() ? "then all together are {}" : "; all are {}";
      all.back().why.amounts.push_back({all.back().tokens_per_s, M::tokens_per_s});
    }
    if (b.devices > 1) {
      all.push_back(reading(b, o, b.phase, C::per_device, "per_device", "one of the devices"));
    }
    if (b.output > 0) {
      all.push_back(
          reading(b, o, b.phase, C::same_wall, "same_wall", "average over a run of both phases"));
      Reading& r = all.back();
      r.why.text += std::string(r.why.empty() ? "" : "; ") + "for {} prompt and {} output tokens";
      r.why.amounts.push_back({b.fresh, M::number});
      r.why.amounts.push_back({b.output, M::number});
    }
  }
  if (o.phase == P::unknown) {
    all.push_back(reading(b, o, P::prefill, C::aggregate, "as_prefill", "prompt tokens, prefill"));
    if (b.output > 0) {
      all.push_back(reading(b, o, P::mixed, C::aggregate, "total",
                            "prompt and output tokens over one clock"));
    }
  }
  return all;
}

Reading shared_clock(double prefill_fraction, double decode_fraction, double ratio,
                     double prompt_per_output, double tokens_per_s) {
  Reading r;
  r.tag = "same_wall";
  r.name = kSharedClock;
  r.fraction = prefill_fraction + decode_fraction;
  r.tokens_per_s = tokens_per_s;
  r.plausible = r.fraction <= kRounding;
  r.why = {"{} + {}; one run gives the ratio of prompt to output, here {}, and the figures give {}",
           {{prefill_fraction, M::fraction},
            {decode_fraction, M::fraction},
            {prompt_per_output, M::number},
            {ratio, M::number}}};
  return r;
}

}  // namespace rooflens
