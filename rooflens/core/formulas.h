// The closed formulas people know, beside the exact ones. docs/model.md sections 3-6, 10-14.
#pragma once

namespace rooflens {

// The textbook limit 2T / weight bytes: activations free.
[[nodiscard]] double textbook_intensity(double tokens, double weight_bytes);

// Textbook: ridge * weight bytes / 2.
[[nodiscard]] double textbook_crossing(double ridge, double weight_bytes);

// Tokens one verification of `drafts` yields when each is accepted with probability `acceptance`.
[[nodiscard]] double expected_tokens(double acceptance, double drafts);

// Share of the roof when one wall clock covers both phases: X_p/R_p + X_d/R_d.
[[nodiscard]] double mixed_fraction(double prefill_rate, double prefill_roof, double decode_rate,
                                    double decode_roof);

// (m + stages - 1) slots for m microbatches; the bubble is what of them is idle.
struct Pipeline {
  double seconds = 0, bubble = 0;
};
[[nodiscard]] Pipeline pipeline(double stage_seconds, double stages, double microbatches);

}  // namespace rooflens
