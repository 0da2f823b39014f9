#include "rooflens/catalogue/glossary.h"

#include <algorithm>

#include "rooflens/catalogue/built_in.h"
#include "rooflens/catalogue/names.h"

namespace rooflens {
namespace {

std::string_view take_until(std::string_view& s, char c) {
  const std::size_t end = std::min(s.find(c), s.size());
  std::string_view part = s.substr(0, end);
  s.remove_prefix(std::min(end + 1, s.size()));
  while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
  while (!part.empty() && (part.back() == ' ' || part.back() == '\r')) part.remove_suffix(1);
  return part;
}

// Lines of term, aliases (';' between), sentence, formula, section, with tabs between; the first
// line is the header.
std::vector<GlossaryEntry> parse(std::string_view text) {
  std::vector<GlossaryEntry> list;
  take_until(text, '\n');
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    if (line.empty()) continue;
    GlossaryEntry e;
    e.term = take_until(line, '\t');
    std::string_view aliases = take_until(line, '\t');
    while (!aliases.empty()) e.aliases.emplace_back(take_until(aliases, ';'));
    e.sentence = take_until(line, '\t');
    e.formula = take_until(line, '\t');
    e.section = take_until(line, '\t');
    list.push_back(std::move(e));
  }
  return list;
}

}  // namespace

const std::vector<GlossaryEntry>& glossary() {
  static const std::vector<GlossaryEntry> kGlossary = parse(embedded::glossary_tsv);
  return kGlossary;
}

const GlossaryEntry* find_term(std::string_view text) {
  const std::string wanted = letters_and_digits(text);
  if (wanted.empty()) return nullptr;
  for (const GlossaryEntry& e : glossary()) {
    if (letters_and_digits(e.term) == wanted) return &e;
  }
  for (const GlossaryEntry& e : glossary()) {
    for (const std::string& a : e.aliases) {
      if (letters_and_digits(a) == wanted) return &e;
    }
  }
  return nullptr;
}

std::vector<const GlossaryEntry*> nearest_terms(std::string_view text, std::size_t most) {
  struct Scored {
    double score;
    const GlossaryEntry* entry;
  };
  std::vector<Scored> scored;
  for (const GlossaryEntry& e : glossary()) {
    double score = likeness(text, e.term);
    for (const std::string& a : e.aliases) score = std::max(score, likeness(text, a));
    if (score >= kAlike + 0.1) scored.push_back({score, &e});
  }
  std::stable_sort(scored.begin(), scored.end(),
                   [](const Scored& a, const Scored& b) { return a.score > b.score; });
  std::vector<const GlossaryEntry*> list;
  for (std::size_t i = 0; i < scored.size() && i < most; ++i) list.push_back(scored[i].entry);
  return list;
}

}  // namespace rooflens
