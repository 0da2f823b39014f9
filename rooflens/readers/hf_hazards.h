// Keys that would change the arithmetic and are not modelled: found, they stop the reading.
#pragma once

#include "rooflens/readers/hf_fields.h"

namespace rooflens {

// Sets an error for the first key that stands for something not modelled, and warns of those that
// change little. Keys the family reads itself are not looked at.
// `assumed` = the user said the model is llama-like: what would stop the reading is a warning, but
// for experts.
void check_hazards(Fields& f, bool assumed = false);

}  // namespace rooflens
