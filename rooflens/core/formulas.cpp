#include "rooflens/core/formulas.h"

#include <cmath>

namespace rooflens {

double textbook_intensity(double tokens, double weight_bytes) { return 2 * tokens / weight_bytes; }

double textbook_crossing(double ridge, double weight_bytes) { return ridge * weight_bytes / 2; }

double expected_tokens(double acceptance, double drafts) {
  if (acceptance >= 1) return drafts + 1;
  return (1 - std::pow(acceptance, drafts + 1)) / (1 - acceptance);
}

double mixed_fraction(double prefill_rate, double prefill_roof, double decode_rate,
                      double decode_roof) {
  return prefill_rate / prefill_roof + decode_rate / decode_roof;
}

Pipeline pipeline(double stage_seconds, double stages, double microbatches) {
  const double slots = microbatches + stages - 1;
  return {slots * stage_seconds, (stages - 1) / slots};
}

}  // namespace rooflens
