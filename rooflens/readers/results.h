// Result files of benchmarks, engines and servers. Start here for their readers: every format is
// one file results_<format>.cpp and a line in the table of results.cpp.
#pragma once

#include <string_view>

#include "rooflens/core/measured_run.h"
#include "rooflens/core/result.h"

namespace rooflens {

inline constexpr std::size_t kResultBytes = std::size_t{32} << 20;  // largest text that is read

// Finds out the format by content, wherever in the text it begins (banners, prompts and other logs
// around it are passed over). Unknown keys are ignored. Errors: unsupported with what was looked
// for; malformed with line and column; out_of_range above the limits. Pure. O(size).
[[nodiscard]] Result<ResultFile> read_results(std::string_view text, std::string_view where);

}  // namespace rooflens
