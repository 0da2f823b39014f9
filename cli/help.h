// The help is docs/cli.md: its section for a verb, made readable in a terminal.
#pragma once

#include <string>
#include <string_view>

#include "cli/context.h"

namespace rooflens::cli {

// docs/cli.md, as the build embeds it.
[[nodiscard]] std::string_view cli_document();

// The text below the heading "## <title>" up to the next of that level, with each line
// "<!-- help: a, b -->" replaced by those sections' texts; empty when there is no such section.
[[nodiscard]] std::string help_section(std::string_view title);

// Markdown as plain text of this width: headings in capitals, no backticks, code indented.
[[nodiscard]] std::string readable(std::string_view markdown, const TextOptions& options);

// The section of a verb; of "rooflens" for the empty name.
[[nodiscard]] int print_help(std::string_view verb, Context& c);

}  // namespace rooflens::cli
