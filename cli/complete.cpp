// rooflens complete: a completion script, made from the verb and option tables.
#include "cli/exit_code.h"
#include "cli/verbs.h"
#include "rooflens/core/quantity.h"
#include "rooflens/readers/builtin_models.h"

namespace rooflens::cli {
namespace {

std::string verb_names() {
  std::string s;
  for (const Verb& v : verb_table()) {
    if (!v.name.empty()) s += (s.empty() ? "" : " ") + std::string(v.name);
  }
  return s;
}

std::string option_names(VerbId verb) {
  std::string s;
  for (const OptionSpec& spec : option_table()) {
    if (!spec.takes(verb)) continue;
    for (std::string_view name : spellings(spec)) s += (s.empty() ? "" : " ") + std::string(name);
  }
  return s;
}

std::string model_names() {
  std::string s;
  for (const BuiltinModel& m : builtin_models()) s += (s.empty() ? "" : " ") + std::string(m.name);
  return s;
}

std::string device_ids() {
  std::string s;
  for (const Device& d : built_in_catalogue().devices) s += (s.empty() ? "" : " ") + d.id;
  return s;
}

// One function serves bash and, through bashcompinit, zsh.
std::string bash_script() {
  std::string s =
      "_rooflens() {\n  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n";
  s += "  local models=\"" + model_names() + "\"\n  local words\n  case $prev in\n";
  s += "    --on|--device) COMPREPLY=($(compgen -W \"this " + device_ids() +
       "\" -- \"$cur\")); return ;;\n";
  s += "    --format) COMPREPLY=($(compgen -W \"text json csv md\" -- \"$cur\")); return ;;\n";
  s += "    --color|--colour) COMPREPLY=($(compgen -W \"auto always never\" -- \"$cur\")); return "
       ";;\n";
  s += "    --output|-o|--plot|--devices) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n  "
       "esac\n";
  s += "  if [[ $cur == -* ]]; then\n    case ${COMP_WORDS[1]} in\n";
  for (const Verb& v : verb_table()) {
    if (v.name.empty() || v.id == VerbId::analyze) continue;
    s += "      " + std::string(v.name) + ") words=\"" + option_names(v.id) + "\" ;;\n";
  }
  s += "      *) words=\"" + option_names(VerbId::analyze) + "\" ;;\n    esac\n";
  s += "  elif [[ $COMP_CWORD == 1 ]]; then\n    words=\"" + verb_names() + " $models\"\n";
  s += "  else\n    case ${COMP_WORDS[1]} in\n      help) words=\"" + verb_names() +
       "\" ;;\n      complete) words=\"bash zsh fish\" ;;\n      *) words=$models ;;\n    esac\n  "
       "fi\n";
  s += "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\") $(compgen -f -- \"$cur\"))\n}\n";
  return s + "complete -o filenames -F _rooflens rooflens\n";
}

std::string fish_script() {
  std::string s = "complete -c rooflens -n __fish_use_subcommand -a '" + verb_names() + "'\n";
  s += "complete -c rooflens -n '__fish_seen_subcommand_from help' -f -a '" + verb_names() + "'\n";
  s += "complete -c rooflens -a '" + model_names() + "'\n";
  s += "complete -c rooflens -l on -x -a 'this " + device_ids() + "'\n";
  for (const OptionSpec& spec : option_table()) {
    if (spec.name() == "--on") continue;
    s += "complete -c rooflens";
    for (std::string_view name : spellings(spec)) {
      const bool is_long = name.substr(0, 2) == "--";
      s += (is_long ? " -l " : " -s ") + std::string(name.substr(is_long ? 2 : 1));
    }
    s += spec.value != nullptr ? " -r\n" : "\n";
  }
  return s;
}

}  // namespace

int complete_verb(const Options& o, Context& c) {
  const std::string& shell = o.words[0];
  if (shell == "bash") return print_text(bash_script(), c, kDone);
  if (shell == "zsh") {
    return print_text("autoload -U +X bashcompinit && bashcompinit\n" + bash_script(), c, kDone);
  }
  if (shell == "fish") return print_text(fish_script(), c, kDone);
  return complain(c.io, {ErrorCode::not_found, "no completions for " + rooflens::quoted(shell),
                         "complete", "bash, zsh or fish"});
}

}  // namespace rooflens::cli
