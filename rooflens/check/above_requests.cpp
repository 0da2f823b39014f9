#include "rooflens/check/above_requests.h"

#include <algorithm>
#include <cmath>

namespace rooflens {
namespace {

using M = Measure;

constexpr double kMostPerPass = 6;      // tokens a pass that drafts may yield
constexpr double kMostStreams = 65536;  // sequences at once

// Seconds of a request at the roof, by phase, with so many sequences at once.
struct Need {
  double prefill = 0, decode = 0;
};
Need need_at(const Basis& b, double batch) {
  Need n;
  n.prefill = b.fresh / b.analysis.prefill.roof_tokens_per_s;
  if (b.output > 0) {
    const double roof = batch == b.batch
                            ? b.analysis.decode.roof_tokens_per_s
                            : decode_at(b.analysis, batch, b.context).roof_tokens_per_s;
    n.decode = b.output / roof;
  }
  return n;
}

}  // namespace

std::vector<Cause> causes_of_requests(const Basis& b, const Held& h) {
  const Need need = need_at(b, b.batch);
  // What the figure leaves for one request, with its rounding.
  const double has = (need.prefill + need.decode) / h.fraction * kRounding;
  std::vector<Cause> causes;
  const auto add = [&](const char* tag, bool explains, Sentence text) {
    causes.push_back({tag, std::move(text), h.fraction, explains});
  };
  if (need.prefill > 0) {
    const double hit = (need.prefill + need.decode - has) / need.prefill;
    add("cached_prefix", hit <= 1,
        hit <= 1 ? Sentence{"Prompt tokens that were cached are counted as computed: {} of the "
                            "prompt would do",
                            {{hit, M::fraction}}}
                 : Sentence{"Cached prompts are not enough: decode alone needs {} of the {} a "
                            "request has",
                            {{need.decode, M::seconds}, {has, M::seconds}}});
  }
  if (need.decode > 0) {
    double streams = b.batch;
    Need wide = need;
    while (streams < kMostStreams && wide.prefill + wide.decode > has) {
      streams *= 2;
      wide = need_at(b, streams);
    }
    const bool enough = wide.prefill + wide.decode <= has;
    add("more_streams", enough,
        enough ? Sentence{"More sequences ran than {}: {} at once allow it",
                          {{b.batch, M::number}, {streams, M::number}}}
               : Sentence{"No number of sequences at once allows it", {}});
    const double left = has - need.prefill;
    const double per_pass = left > 0 ? need.decode / left : HUGE_VAL;
    if (left > 0) {
      add("speculation", per_pass <= kMostPerPass,
          {"Speculative decoding: {} tokens a pass would do", {{per_pass, M::number}}});
      add("early_stop", true,
          {"Outputs were shorter than told: {} tokens instead of {} would do",
           {{b.output / per_pass, M::number}, {b.output, M::number}}});
    }
  }
  const double devices = std::ceil(b.devices * h.fraction / kRounding);
  add("more_devices", devices <= std::max(8.0, 2 * b.devices),
      {"More devices served it: {} at least, where {} counted",
       {{devices, M::number}, {b.devices, M::number}}});
  add("timer", false, {"A request count that includes failures, or a clock that missed work", {}});
  std::stable_sort(causes.begin(), causes.end(),
                   [](const Cause& x, const Cause& y) { return x.explains && !y.explains; });
  return causes;
}

}  // namespace rooflens
