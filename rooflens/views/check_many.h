// Sections of a check of so many figures that not each can have its words.
#pragma once

#include <vector>

#include "rooflens/check/diagnose.h"
#include "rooflens/render/report.h"

namespace rooflens {

// Past it figures are told together; the tables, JSON and CSV have each.
inline constexpr std::size_t kManyFigures = 6;

// A line a phase: how many, and what share of their roofs they reach; one or two are told each.
// Those above a roof are told each, as far as there is room.
[[nodiscard]] Section verdicts_of_many(const std::vector<Diagnosis>& all);

// Each cause once a phase, in the words of the first figure, with the number of the others.
[[nodiscard]] Section causes_of_many(const std::vector<Diagnosis>& all);

}  // namespace rooflens
