// The verbs: one file each.
#pragma once

#include <span>
#include <string_view>

#include "cli/context.h"
#include "cli/options.h"

namespace rooflens::cli {

[[nodiscard]] int analyze_verb(const Options& o, Context& c);
[[nodiscard]] int check_verb(const Options& o, Context& c);
[[nodiscard]] int validate_verb(const Options& o, Context& c);
[[nodiscard]] int devices_verb(const Options& o, Context& c);
[[nodiscard]] int model_verb(const Options& o, Context& c);
[[nodiscard]] int explain_verb(const Options& o, Context& c);
[[nodiscard]] int help_verb(const Options& o, Context& c);
[[nodiscard]] int complete_verb(const Options& o, Context& c);
[[nodiscard]] int bare_command(const Options& o, Context& c);

struct Verb {
  VerbId id;
  std::string_view name, summary;
  std::size_t least_words, most_words;  // besides options
  std::string_view word;                // what they are, for messages
  int (*run)(const Options&, Context&);
};

// `bare` (no verb at all) has the empty name and is last.
[[nodiscard]] std::span<const Verb> verb_table();
[[nodiscard]] const Verb* find_verb(std::string_view name);
[[nodiscard]] const Verb& verb_of(VerbId id);

}  // namespace rooflens::cli
