// The verb table, and what happens around a verb.
#include <algorithm>
#include <array>
#include <exception>

#include "cli/args.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/io.h"
#include "cli/verbs.h"
#include "cli/version.h"

namespace rooflens::cli {
namespace {

constexpr std::array kVerbs{
    Verb{VerbId::analyze, "analyze", "the roofline of a model on a machine (the default)", 1, 1,
         "the model", analyze_verb},
    Verb{VerbId::check, "check", "hold measured or claimed speeds, or a start-up log, against it", 1, 64,
         "the model or a log", check_verb},
    Verb{VerbId::validate, "validate", "hold a table of published measurements against it", 1, 1,
         "the table", validate_verb},
    Verb{VerbId::devices, "devices", "the machines that are known, or one with every figure", 0, 64,
         "a filter", devices_verb},
    Verb{VerbId::model, "model", "what is read from a model: sizes, bytes, cache, state", 0, 1,
         "the model", model_verb},
    Verb{VerbId::explain, "explain", "a word of the field, with its formula", 0, 64, "a term",
         explain_verb},
    Verb{VerbId::help, "help", "the help of a verb", 0, 1, "a verb", help_verb},
    Verb{VerbId::complete, "complete", "completions for bash, zsh or fish", 1, 1, "the shell",
         complete_verb},
    Verb{VerbId::bare, "", "", 0, 0, "", bare_command},
};

int run_parsed(const Parsed& parsed, Io& io) {
  auto context = make_context(parsed.options, io);
  if (!context) return complain(io, context.error());
  if (parsed.options.version) return print_version(*context);
  if (parsed.options.help) return print_help(verb_of(parsed.verb).name, *context);
  return verb_of(parsed.verb).run(parsed.options, *context);
}

}  // namespace

std::span<const Verb> verb_table() { return kVerbs; }

const Verb* find_verb(std::string_view name) {
  for (const Verb& v : kVerbs) {
    if (v.name == name && !name.empty()) return &v;
  }
  return nullptr;
}

const Verb& verb_of(VerbId id) {
  return *std::find_if(kVerbs.begin(), kVerbs.end(), [id](const Verb& v) { return v.id == id; });
}

int run(std::span<const std::string_view> args, Io& io) {
  try {
    auto parsed = parse_args(args);
    return parsed ? run_parsed(*parsed, io) : complain(io, parsed.error());
  } catch (const std::exception& e) {  // memory ran out, or an error of our own
    io.err << "rooflens: error: " << e.what() << '\n';
    return kUsage;
  }
}

}  // namespace rooflens::cli
