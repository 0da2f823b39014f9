// One published point: held, and what it counts as.
#include <algorithm>

#include "rooflens/check/validation.h"

namespace rooflens {
namespace {

// A cold prompt that took this much longer than the repeated one was not read anew.
constexpr double kColder = 1.1;
// Generations shorter than this are no evidence: N tokens over N - 1 steps, warm-up.
constexpr double kLeastTokens = 32;

constexpr std::string_view kDoubtful[] = {"prefix_cache_suspect",
                                          "prefix_cache_inflated",
                                          "outlier_low",
                                          "early_eos_short_outputs",
                                          "not_all_requests_completed",
                                          "suspect_duplicate_of_q8",
                                          "throughput_excludes_or_includes_ttft_unclear",
                                          "device_variant_unknown",
                                          "experimental",
                                          "split_not_told"};

bool speculative(const MeasuredPoint& p) { return p.has("spec_decode"); }

// A rate over the whole request, and a first token that alone took longer.
bool contradicts_itself(const MeasuredPoint& p) {
  const Observation& o = p.run.figures.front();
  return p.phase == MeasuredPhase::mixed && o.batch.value_or(0) == 1 && o.output &&
         p.first_token_s > *o.output / o.value;
}

}  // namespace

const char* name_of(PointUse u) {
  switch (u) {
    case PointUse::usable:
      return "usable";
    case PointUse::rejected:
      return "must be rejected";
    case PointUse::speculative:
      return "speculative";
    case PointUse::coarse:
      return "coarse model";
    case PointUse::doubtful:
      return "doubtful";
    case PointUse::left_out:
      return "left out";
  }
  return "";
}

JudgedPoint judge_point(const MeasuredPoint& p, const Analysis& a, const Efficiency& prior,
                        DeviceClass device, ServedClass served) {
  JudgedPoint j;
  j.point = &p;
  j.device = a.scenario.system.device.id;
  j.efficiency = a.efficiency;
  // The scenario has the point's own sizes already.
  Observation o = p.run.figures.front();
  o.batch = o.prompt = o.output = o.context = o.cached_prefix = std::nullopt;
  j.diagnosis = diagnose(o, a);
  CalibrationSample& s = j.sample;
  s.device = std::move(device);
  s.served = std::move(served);
  s.group = p.group;
  s.date = p.date;
  s.ceilings = a.ceilings;
  s.phase = p.phase;
  s.parts = load_of(a, p.phase);
  s.seconds = j.diagnosis.step_seconds;
  s.prior = prior;
  return j;
}

PointUse use_of(const JudgedPoint& j) {
  const MeasuredPoint& p = *j.point;
  if (p.has("must_be_rejected")) return PointUse::rejected;
  if (!j.reason.empty()) return PointUse::left_out;
  if (speculative(p)) return PointUse::speculative;
  for (const std::string_view flag : kDoubtful) {
    if (p.has(flag)) return PointUse::doubtful;
  }
  if (contradicts_itself(p)) return PointUse::doubtful;
  const auto& made = p.run.figures.front().output;
  if (p.phase == MeasuredPhase::decode && made && *made < kLeastTokens) return PointUse::doubtful;
  return j.coarse ? PointUse::coarse : PointUse::usable;
}

bool above_roof(const JudgedPoint& j) {
  if (!j.reason.empty()) return false;
  const Standing s = j.diagnosis.standing;
  return s == Standing::above_roof || s == Standing::unreachable;
}

std::string flagged(const JudgedPoint& j) {
  const MeasuredPoint& p = *j.point;
  if (above_roof(j)) return "above the roof";
  if (p.first_token_s > 0 && p.cold_first_token_s > kColder * p.first_token_s) {
    return "its own cold run was slower: the prompt was cached";
  }
  return {};
}

bool speculation_explains(const JudgedPoint& j) {
  if (!j.reason.empty()) return false;
  if (!above_roof(j)) return true;
  // Over the clock of both phases drafts speed up one of them: the bound is the same.
  if (j.point->phase == MeasuredPhase::mixed) {
    return j.diagnosis.fraction_of_roof <= kMostTokensPerPass;
  }
  const auto& causes = j.diagnosis.causes;
  return std::any_of(causes.begin(), causes.end(),
                     [](const Cause& c) { return c.tag == "speculation" && c.explains; });
}

}  // namespace rooflens
