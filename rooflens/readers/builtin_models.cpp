#include "rooflens/readers/builtin_models.h"

#include <algorithm>
#include <cmath>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/hf_config.h"
#include "rooflens/readers/words.h"

namespace rooflens {
namespace embedded {
extern const std::string_view models_tsv;
}

namespace {

constexpr std::size_t kNearest = 5;
constexpr std::size_t kLongestName = 200;

std::string_view without_organisation(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

std::vector<BuiltinModel> read_table(std::string_view text) {
  std::vector<BuiltinModel> rows;
  take(text, '\n');  // column names
  while (!text.empty()) {
    std::string_view line = take(text, '\n');
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    BuiltinModel row;
    row.name = take(line, '\t');
    row.model_type = take(line, '\t');
    row.facts = take(line, '\t');
    row.quantisation = take(line, '\t');
    row.source = take(line, '\t');
    row.note = take(line, '\t');
    rows.push_back(row);
  }
  return rows;
}

// Bare words become strings; numbers, lists, true, false and null stay.
std::string json_words(std::string_view value) {
  const char c = value.empty() ? '"' : value.front();
  const bool bare =
      value == "true" || value == "false" || value == "null" || c == '[' || c == '-' || is_digit(c);
  return bare ? std::string(value) : '"' + std::string(value) + '"';
}

struct Member {
  std::string object, text;  // object "" = top level
};

void add_members(std::string_view facts, std::vector<Member>& members) {
  while (!facts.empty()) {
    std::string_view entry = take(facts, ' ');
    std::string_view key = take(entry, '=');
    if (key.empty()) continue;
    const std::size_t dot = key.find('.');
    Member member;
    if (dot != std::string_view::npos) {
      member.object = key.substr(0, dot);
      key = key.substr(dot + 1);
    }
    member.text = '"' + std::string(key) + "\": " + json_words(entry);
    members.push_back(std::move(member));
  }
}

}  // namespace

const std::vector<BuiltinModel>& builtin_models() {
  static const std::vector<BuiltinModel> rows = read_table(embedded::models_tsv);
  return rows;
}

std::string builtin_config(const BuiltinModel& row) {
  std::vector<Member> members;
  members.push_back({"", "\"model_type\": \"" + std::string(row.model_type) + '"'});
  add_members(row.facts, members);
  add_members(row.quantisation, members);
  std::vector<std::string> objects;
  for (const Member& m : members) {
    if (!m.object.empty() && std::find(objects.begin(), objects.end(), m.object) == objects.end()) {
      objects.push_back(m.object);
    }
  }
  const auto list = [&](std::string_view object) {
    std::string out;
    for (const Member& m : members) {
      if (m.object != object) continue;
      out += (out.empty() ? "" : ", ") + m.text;
    }
    return out;
  };
  std::string text = "{" + list("");
  for (const std::string& object : objects) text += ", \"" + object + "\": {" + list(object) + "}";
  return text + "}";
}

std::vector<std::string_view> nearest_builtin_models(std::string_view name, std::size_t count) {
  const std::string wanted = lower(without_organisation(name.substr(0, kLongestName)));
  std::vector<std::pair<std::size_t, std::string_view>> scored;
  for (const BuiltinModel& row : builtin_models()) {
    const std::string known = lower(without_organisation(row.name));
    // A part of a name is nearer than any misspelling.
    const bool part = !wanted.empty() && known.find(wanted) != std::string::npos;
    scored.emplace_back(part ? 0 : 1 + letters_apart(wanted, known), row.name);
  }
  std::stable_sort(scored.begin(), scored.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < scored.size() && i < count; ++i) names.push_back(scored[i].second);
  return names;
}

Result<Model> builtin_model(std::string_view name, const HfOptions& options) {
  const std::string wanted = lower(name);
  const bool has_organisation = wanted.find('/') != std::string::npos;
  const BuiltinModel* found = nullptr;
  for (const BuiltinModel& row : builtin_models()) {
    const std::string known = lower(has_organisation ? row.name : without_organisation(row.name));
    if (known != wanted) continue;
    if (found != nullptr) {
      return fail(ErrorCode::ambiguous, "\"" + std::string(name) + "\" names several models",
                  "model", "write " + std::string(found->name) + " or " + std::string(row.name));
    }
    found = &row;
  }
  if (found == nullptr) {
    std::string hint = "nearest:";
    for (std::string_view near : nearest_builtin_models(name, kNearest)) {
      hint += (hint.back() == ':' ? " " : ", ") + std::string(near);
    }
    return fail(ErrorCode::not_found,
                "no built-in model is called \"" + std::string(name.substr(0, kLongestName)) + "\"",
                "model", hint + "; or give a config.json");
  }
  Result<Model> model = read_hf_config(builtin_config(*found), found->name, {}, options);
  if (!model) return model;
  model->name = found->name;
  // What the row says was not read from the user's file.
  for (Fact& fact : model->facts) {
    if (fact.origin.rfind("file", 0) == 0) fact.origin = "built in: " + std::string(found->source);
  }
  return model;
}

}  // namespace rooflens
