// The data files as the build embeds them (rooflens_embed in CMakeLists.txt).
#pragma once

#include <string_view>

namespace rooflens::embedded {

extern const std::string_view devices_csv, aliases_csv, cloud_csv, links_csv, max_clock_csv;
extern const std::string_view efficiency_csv, efficiency_fitted_csv, glossary_tsv;

}  // namespace rooflens::embedded
