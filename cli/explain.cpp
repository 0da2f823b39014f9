// rooflens explain: a word of the field with its formula, or all words.
#include "cli/exit_code.h"
#include "cli/verbs.h"
#include "rooflens/catalogue/glossary.h"
#include "rooflens/core/quantity.h"

namespace rooflens::cli {
namespace {

void term_json(const GlossaryEntry& e, JsonWriter& j) {
  j.begin_object().member("term", e.term).key("aliases").begin_array();
  for (const std::string& a : e.aliases) j.value(a);
  j.end().member("sentence", e.sentence).key("formula");
  if (e.formula.empty()) {
    j.null();
  } else {
    j.value(e.formula);
  }
  j.member("section", e.section).end();
}

int show_one(const GlossaryEntry& e, Context& c) {
  Report report;
  report.title = e.term;
  Section text;
  text.tag = "term";
  text.lines.push_back({e.sentence});
  if (!e.formula.empty()) text.lines.push_back({e.formula});
  std::string also;
  for (const std::string& a : e.aliases) also += (also.empty() ? "Also called: " : ", ") + a;
  if (!also.empty()) text.lines.push_back({also + "."});
  if (!e.section.empty()) text.lines.push_back({"More: docs/" + e.section});
  report.sections.push_back(std::move(text));
  Output output{.report = &report};
  output.results = [&](JsonWriter& j) { term_json(e, j); };
  return print(output, c, kDone);
}

int list_terms(Context& c) {
  Report report;
  Section s;
  s.tag = "terms";
  s.kind = SectionKind::table;
  s.columns = {{"term", "term"}, {"sentence", "meaning"}};
  for (const GlossaryEntry& e : glossary()) {
    s.rows.push_back({words("", "", e.term), words("", "", e.sentence)});
  }
  report.sections.push_back(std::move(s));
  Output output{.report = &report, .table = "terms"};
  output.results = [](JsonWriter& j) {
    j.begin_object().key("terms").begin_array();
    for (const GlossaryEntry& e : glossary()) term_json(e, j);
    j.end().end();
  };
  return print(output, c, kDone);
}

}  // namespace

int explain_verb(const Options& o, Context& c) {
  if (o.words.empty()) return list_terms(c);
  std::string text;
  for (const std::string& w : o.words) text += (text.empty() ? "" : " ") + w;
  if (const GlossaryEntry* e = find_term(text)) return show_one(*e, c);
  std::string hint;
  for (const GlossaryEntry* e : nearest_terms(text)) {
    hint += (hint.empty() ? "nearest: " : ", ") + e->term;
  }
  if (hint.empty()) hint = "`rooflens explain` lists the terms";
  return complain(c.io,
                  {ErrorCode::not_found, "no term is called " + rooflens::quoted(text), {}, hint});
}

}  // namespace rooflens::cli
