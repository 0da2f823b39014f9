// The words of the field, for `rooflens explain`. data/glossary.tsv is the text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rooflens {

struct GlossaryEntry {
  std::string term;
  std::vector<std::string> aliases;
  std::string sentence;  // one, plain
  std::string formula;   // exact, with units; may be empty
  std::string section;   // of docs/, as in "model.md 4"
};

[[nodiscard]] const std::vector<GlossaryEntry>& glossary();

// The entry with this term or alias (case and punctuation do not matter), or null.
[[nodiscard]] const GlossaryEntry* find_term(std::string_view text);

// The terms most like the text, best first, at most `most`; empty when nothing is near.
[[nodiscard]] std::vector<const GlossaryEntry*> nearest_terms(std::string_view text,
                                                              std::size_t most = 3);

}  // namespace rooflens
