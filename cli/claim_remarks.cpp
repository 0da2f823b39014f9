#include "cli/claim_remarks.h"

#include <algorithm>

#include "rooflens/catalogue/format_names.h"
#include "rooflens/catalogue/names.h"
#include "rooflens/core/ascii.h"
#include "rooflens/core/quantity.h"
#include "rooflens/core/requantise.h"

namespace rooflens::cli {
namespace {

constexpr std::size_t kMostWords = 64;   // looked up; more are only named
constexpr std::size_t kLongestName = 6;  // words of a device's name
constexpr std::size_t kMostNamed = 12;   // in the note

enum class Says { nothing, agrees, contradicts };

std::vector<std::string> split(const std::string& phrase) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < phrase.size();) {
    const std::size_t end = std::min(phrase.find(' ', at), phrase.size());
    words.push_back(phrase.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::string joined(const std::vector<std::string>& words, std::size_t first, std::size_t count) {
  std::string out;
  for (std::size_t i = first; i < first + count; ++i) out += (i > first ? " " : "") + words[i];
  return out;
}

bool has_digit(std::string_view s) { return std::any_of(s.begin(), s.end(), is_digit); }
bool has_letter(std::string_view s) { return std::any_of(s.begin(), s.end(), is_letter); }

Says of_device(const std::string& name, const Device& on, const Catalogue& c) {
  if (!has_digit(name) || !has_letter(name)) return Says::nothing;
  const std::string ours = letters_and_digits(on.id) + " " + letters_and_digits(on.name);
  const bool in_name = ours.find(letters_and_digits(name)) != std::string::npos;
  if (const auto found = find_machine(c, name)) {
    const bool known = c.find(on.id) != nullptr;
    const bool same = known ? found->device.id == on.id : in_name;
    return same ? Says::agrees : Says::contradicts;
  } else if (found.error().code != ErrorCode::ambiguous) {
    return Says::nothing;
  }
  const auto family = list_devices(c, name);
  const bool one_of_them =
      std::any_of(family.begin(), family.end(), [&](const Device* d) { return d->id == on.id; });
  return one_of_them || in_name ? Says::agrees : Says::contradicts;
}

Says of_model(const std::string& name, const Model& m) {
  const std::vector<std::string> ours = name_words(m.name), told = name_words(name);
  const auto is_ours = [&](const std::string& w) {
    return std::find(ours.begin(), ours.end(), w) != ours.end();
  };
  const bool words = !told.empty() && std::all_of(told.begin(), told.end(), is_ours);
  // "llama3.1": written together.
  const std::string letters = letters_and_digits(name);
  const bool part = letters.size() >= 4 && has_digit(letters) &&
                    letters_and_digits(m.name).find(letters) != std::string::npos;
  return words || part ? Says::agrees : Says::nothing;
}

Says of_formats(const std::string& name, const Scenario& s) {
  const std::string& word = name;
  const NamedStorage* found = find_storage(word);
  // Files of mixed formats are named after the format of most of their weights: "Q4_K_M".
  const std::size_t tail = word.size() > 2 ? word.size() - 2 : 0;
  if (found == nullptr && tail > 0 && word[tail] == '_') found = find_storage(word.substr(0, tail));
  if (found == nullptr) return Says::nothing;
  const Deployment& d = s.deployment;
  const Storage& told = found->storage;
  const bool served =
      told == storage_of(s.model, Role::linear) || told == storage_of(s.model, Role::experts) ||
      told == d.key_cache || told == d.value_cache || told.element == d.gemm_input ||
      told.element == d.activation || told.element == storage_of(s.model, Role::linear).element;
  return served ? Says::agrees : Says::contradicts;
}

}  // namespace

std::vector<std::string> claim_remarks(const std::vector<std::string>& others, const Scenario& s,
                                       const Catalogue& c) {
  std::vector<std::string> remarks, unknown;
  std::size_t looked_up = 0;
  for (const std::string& phrase : others) {
    const std::vector<std::string> words = split(phrase);
    for (std::size_t at = 0; at < words.size();) {
      if (looked_up++ >= kMostWords) {
        unknown.push_back(joined(words, at, words.size() - at));
        break;
      }
      // The longest name that says something: "H100 SXM" before "H100".
      std::size_t used = 0;
      for (std::size_t n = std::min(kLongestName, words.size() - at); n > 0 && used == 0; --n) {
        const std::string name = joined(words, at, n);
        const auto told_by = [&](Says says, const std::string& against) {
          if (says == Says::nothing) return false;
          if (says == Says::contradicts) {
            std::string remark = "the claim speaks of ";
            remark.append(name).append("; it is held against ").append(against);
            remarks.push_back(std::move(remark));
          }
          return true;
        };
        const bool told = told_by(of_model(name, s.model), "") ||
                          told_by(of_formats(name, s),
                                  "weights in " + storage_name(storage_of(s.model, Role::linear)) +
                                      " (--weights says which)") ||
                          told_by(of_device(name, s.system.device, c),
                                  s.system.device.name + " (--on says which)");
        if (told) used = n;
      }
      if (used == 0) unknown.push_back(words[at]);
      at += std::max<std::size_t>(1, used);
    }
  }
  if (!unknown.empty()) {
    std::string text;
    for (std::size_t i = 0; i < std::min(unknown.size(), kMostNamed); ++i) {
      text += (i > 0 ? ", " : "") + rooflens::quoted(unknown[i]);
    }
    if (unknown.size() > kMostNamed) {
      text += " and " + std::to_string(unknown.size() - kMostNamed) + " more";
    }
    remarks.push_back("not understood in the claim: " + text);
  }
  return remarks;
}

}  // namespace rooflens::cli
