// Options that were given and change nothing, told as notes.
#pragma once

#include <span>

#include "cli/context.h"
#include "cli/options.h"
#include "rooflens/core/scenario.h"

namespace rooflens::cli {

// One way an option can be without effect. An option may have several.
struct IdleRule {
  std::variant<Maybe Options::*, bool Options::*> option;
  bool (*idle)(const Scenario&);
  const char* reason;  // "the model has no experts"
};
[[nodiscard]] std::span<const IdleRule> idle_rules();

// Warns "--zipf has no effect: the model has no experts" for each option that has none in any of
// the scenarios. A scenario without a machine (bandwidth 0) is a model alone.
void say_idle_options(const Options& o, std::span<const Scenario* const> all, Context& c);

}  // namespace rooflens::cli
