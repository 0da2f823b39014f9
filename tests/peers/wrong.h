// Ways to be wrong: a changed question, operator, model, machine or answer.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "core/fixture.h"
#include "vectors/vector_file.h"

namespace rooflens::vectors {

inline const File& file() {
  static const File f = load(fixture::source_text("tests/vectors.json")).file;
  return f;
}

struct Wrong {
  const char* what;  // who does it, and where the spec says so
  std::map<std::string, Kind> answers;
  // Of the vectors of these kinds, those on which it makes a difference; empty = all.
  std::function<bool(const Json&)> touches = {};
};

inline Kind twisted(Twist t) {
  return [t = std::move(t)](const File& f, const Json& v) { return step_answer(f, v, t); };
}
inline Kind each_operator(
    std::function<void(const Setup&, const std::vector<Group>&, Operator&)> change) {
  return twisted({{}, std::move(change)});
}
inline Kind question(std::function<void(Setup&, std::vector<Group>&)> change) {
  return twisted({std::move(change), {}});
}

// Our arithmetic on models or machines that are not what they are.
inline std::map<std::string, Kind> elsewhere(const std::set<std::string>& names,
                                             const std::function<void(Model&)>& model,
                                             const std::function<void(System&)>& machine) {
  auto other = std::make_shared<File>();
  other->models = file().models;
  other->systems = file().systems;
  if (model) {
    for (auto& [name, m] : other->models) model(m);
  }
  if (machine) {
    for (auto& [name, s] : other->systems) machine(s);
  }
  std::map<std::string, Kind> all;
  for (const std::string& kind : names) {
    all[kind] = [other, right = kinds().at(kind)](const File&, const Json& v) {
      return right(*other, v);
    };
  }
  return all;
}
inline std::map<std::string, Kind> with_models(const std::set<std::string>& names,
                                               const std::function<void(Model&)>& change) {
  return elsewhere(names, change, {});
}
inline std::map<std::string, Kind> with_machines(const std::set<std::string>& names,
                                                 const std::function<void(System&)>& change) {
  return elsewhere(names, {}, change);
}

// Our answer with something done to it afterwards.
inline std::map<std::string, Kind> answered(
    const std::string& kind, const std::function<void(const Json&, Answer&)>& change) {
  return {{kind, [=](const File& f, const Json& v) {
             Answer a = kinds().at(kind)(f, v);
             change(v, a);
             return a;
           }}};
}

}  // namespace rooflens::vectors
