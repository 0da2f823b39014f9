// Which build this is.
#pragma once

#include <string_view>

#include "cli/context.h"

namespace rooflens::cli {

extern const std::string_view kVersion, kCommit;  // commit: "" outside a git checkout

// `rooflens --version`: version, commit, and how much the built-in tables hold.
[[nodiscard]] int print_version(Context& c);

}  // namespace rooflens::cli
