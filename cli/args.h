// From the words of the command line to a verb and its Options.
#pragma once

#include <span>
#include <string_view>

#include "cli/options.h"
#include "rooflens/core/result.h"

namespace rooflens::cli {

struct Parsed {
  VerbId verb = VerbId::bare;
  Options options;
};

// The verb is the first word when it names one; without it, `analyze`, or `bare` when there is
// neither a model nor a device. In long options '_' counts as '-'. Errors: an unknown or doubled
// option (hint: the nearest), a missing value, words too many or too few.
[[nodiscard]] Result<Parsed> parse_args(std::span<const std::string_view> args);

}  // namespace rooflens::cli
