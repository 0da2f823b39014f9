#include "cli/args.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>

#include "cli/verbs.h"
#include "rooflens/catalogue/names.h"
#include "rooflens/core/ascii.h"
#include "rooflens/core/quantity.h"

namespace rooflens::cli {
namespace {

// Options of engines that are long behind one dash.
constexpr std::pair<std::string_view, std::string_view> kSingleDash[] = {{"-ctk", "--cache-type-k"},
                                                                         {"-ctv", "--cache-type-v"},
                                                                         {"-tp", "--tp"},
                                                                         {"-pp", "--pp"},
                                                                         {"-dp", "--dp"},
                                                                         {"-ep", "--ep"},
                                                                         {"-np", "--parallel"},
                                                                         {"-ub", "--ubatch-size"}};

std::string usual_spelling(std::string_view word) {
  for (const auto& [engine, ours] : kSingleDash) {
    if (word == engine) return std::string(ours);
  }
  std::string out(word);
  if (word.substr(0, 2) == "--") {
    const std::size_t end = std::min(word.find('='), word.size());
    std::replace(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(end), '_', '-');
  }
  return out;
}

const OptionSpec* find_option(std::string_view spelling) {
  for (const OptionSpec& spec : option_table()) {
    for (std::string_view s : spellings(spec)) {
      if (s == spelling) return &spec;
    }
  }
  return nullptr;
}

Failure unknown_option(std::string_view name, const Verb& verb) {
  std::vector<std::string_view> known;
  for (const OptionSpec& spec : option_table()) {
    if (!spec.takes(verb.id)) continue;
    for (std::string_view s : spellings(spec)) known.push_back(s);
  }
  const std::string_view near = nearest(name, known);
  const std::string help =
      verb.name.empty() ? "rooflens --help" : "rooflens help " + std::string(verb.name);
  return fail(ErrorCode::not_found, "unknown option " + rooflens::quoted(name), {},
              near.empty() ? "`" + help + "` lists the options"
                           : "did you mean " + std::string(near) + "?");
}

// What CLI11 will see, checked first: its own messages cannot name the nearest option.
struct Found {
  const OptionSpec* spec;
  std::string spelling;
};

bool is_option(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && !is_digit(word[1]) && word[1] != '.';
}

Result<std::vector<Found>> scan(const std::vector<std::string>& words, const Verb& verb) {
  std::vector<Found> found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") break;
    if (!is_option(word)) continue;
    const bool is_long = word[1] == '-';
    const std::size_t equals = is_long ? word.find('=') : std::string::npos;
    const std::string name = is_long ? word.substr(0, equals) : word.substr(0, 2);
    const OptionSpec* spec = find_option(name);
    if (spec == nullptr || (!is_long && spec->value == nullptr && word.size() > 2)) {
      return unknown_option(is_long ? name : word, verb);
    }
    if (!spec->takes(verb.id)) {
      return fail(ErrorCode::invalid,
                  verb.name.empty() ? name + " needs a model and a device"
                                    : "the verb " + std::string(verb.name) + " takes no " + name,
                  {}, "`rooflens help " + std::string(verb.name) + "` lists the options");
    }
    if (spec->value == nullptr && equals != std::string::npos) {
      return fail(ErrorCode::invalid, name + " takes no value", name, "leave out the '='");
    }
    const bool once = !std::holds_alternative<std::vector<Given> Options::*>(spec->field);
    for (const Found& f : found) {
      if (f.spec != spec || !once) continue;
      return fail(ErrorCode::invalid,
                  f.spelling == name ? name + " is given twice"
                                     : f.spelling + " and " + name + " are the same option",
                  name, "give one of them; several values are a list, as in 1,2,4");
    }
    found.push_back({spec, name});
    const bool attached = equals != std::string::npos || (!is_long && word.size() > 2);
    if (spec->value == nullptr || attached) continue;
    if (i + 1 == words.size() || (is_option(words[i + 1]) && words[i + 1] != "-")) {
      return fail(ErrorCode::malformed, name + " needs a value", name,
                  "as in " + name + " " + spec->value);
    }
    ++i;
  }
  return found;
}

// The spelling of the nth occurrence of an option.
std::string spelling_of(const std::vector<Found>& found, const OptionSpec& spec, std::size_t n) {
  for (const Found& f : found) {
    if (f.spec == &spec && n-- == 0) return f.spelling;
  }
  return std::string(spec.name());
}

Result<Options> parse_words(std::vector<std::string> words, const std::vector<Found>& found,
                            const Verb& verb) {
  Options options;
  CLI::App app;
  app.set_help_flag();
  struct Slot {
    const OptionSpec* spec;
    std::vector<std::string> values;
    CLI::Option* option;
  };
  // Only what occurs is declared: scan() has refused the rest, and seventy options cost time.
  std::vector<Slot> slots;
  slots.reserve(found.size());
  for (const Found& f : found) {
    const auto same = [&](const Slot& s) { return s.spec == f.spec; };
    if (std::any_of(slots.begin(), slots.end(), same)) continue;
    Slot& slot = slots.emplace_back(Slot{f.spec, {}, nullptr});
    const std::string names(f.spec->names);
    slot.option = f.spec->value == nullptr
                      ? app.add_flag(names)
                      : app.add_option(names, slot.values)->expected(1)->allow_extra_args(false);
    slot.option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  app.add_option("words", options.words);
  std::reverse(words.begin(), words.end());
  try {
    app.parse(words);
  } catch (const CLI::Error& e) {
    return fail(ErrorCode::malformed, e.what(), {},
                "`rooflens help " + std::string(verb.name) + "` lists the options");
  }
  for (const Slot& slot : slots) {
    const OptionSpec& spec = *slot.spec;
    if (const auto* flag = std::get_if<bool Options::*>(&spec.field)) {
      options.*(*flag) = slot.option->count() > 0;
    } else if (const auto* one = std::get_if<Maybe Options::*>(&spec.field)) {
      if (!slot.values.empty())
        options.*(*one) = Given{slot.values[0], spelling_of(found, spec, 0)};
    } else {
      auto& list = options.*std::get<std::vector<Given> Options::*>(spec.field);
      for (const std::string& v : slot.values)
        list.push_back({v, spelling_of(found, spec, list.size())});
    }
  }
  return options;
}

// A verb that the first word was probably meant to be.
std::string_view meant_verb(std::string_view word) {
  std::string_view best;
  std::size_t least = 3;
  for (const Verb& v : verb_table()) {
    if (v.name.size() < 4 || word.size() < 4) continue;
    const std::size_t d = edit_distance(word, v.name);
    if (d < least) {
      least = d;
      best = v.name;
    }
  }
  return best;
}

Result<void> check_words(const Options& o, const Verb& verb, bool verb_given) {
  if (o.help || o.version) return {};
  const std::string usage = "`rooflens help " + std::string(verb.name) + "` shows examples";
  if (!verb_given && !o.words.empty() && (o.words.size() > 1 || o.on.empty())) {
    if (const std::string_view meant = meant_verb(o.words[0]); !meant.empty()) {
      return fail(ErrorCode::not_found, "unknown verb " + rooflens::quoted(o.words[0]), {},
                  "did you mean " + std::string(meant) + "?");
    }
  }
  if (o.words.size() < verb.least_words) {
    return fail(ErrorCode::invalid, std::string(verb.word) + " is missing", {}, usage);
  }
  if (o.words.size() > verb.most_words) {
    const std::string& extra = o.words[verb.most_words];
    const bool late =
        !verb_given && (find_verb(o.words[0]) != nullptr || find_verb(extra) != nullptr);
    return fail(ErrorCode::invalid, rooflens::quoted(extra) + " is one word too many", {},
                late ? "the verb comes first, as in rooflens check MODEL --on DEVICE" : usage);
  }
  return {};
}

// An option that takes no value.
bool is_flag(const std::string& word) {
  for (const OptionSpec& spec : option_table()) {
    if (spec.value != nullptr) continue;
    const std::vector<std::string_view> names = spellings(spec);
    if (std::find(names.begin(), names.end(), word) != names.end()) return true;
  }
  return false;
}

}  // namespace

Result<Parsed> parse_args(std::span<const std::string_view> args) {
  std::vector<std::string> words;
  bool literal = false;
  for (std::string_view a : args) {
    literal = literal || a == "--";
    words.push_back(literal ? std::string(a) : usual_spelling(a));
  }
  // Flags may stand before the verb: `rooflens --json model X`.
  const auto at = std::find_if_not(words.begin(), words.end(), is_flag);
  const Verb* verb = at == words.end() ? nullptr : find_verb(*at);
  const bool verb_given = verb != nullptr;
  if (verb_given) words.erase(at);
  if (!verb_given) verb = &verb_of(VerbId::analyze);
  auto found = scan(words, *verb);
  if (!found) return Failure(std::move(found.error()));
  auto options = parse_words(std::move(words), *found, *verb);
  if (!options) return Failure(std::move(options.error()));
  if (!verb_given && options->words.empty() && options->on.empty()) verb = &verb_of(VerbId::bare);
  for (const Found& f : *found) {
    if (!f.spec->takes(verb->id)) {
      return fail(ErrorCode::invalid, "a model is missing", f.spelling,
                  "as in rooflens Qwen/Qwen3-8B --on h100-sxm");
    }
  }
  if (auto r = check_words(*options, *verb, verb_given); !r) return Failure(std::move(r.error()));
  return Parsed{verb->id, std::move(*options)};
}

}  // namespace rooflens::cli
