// rooflens check: claims against the roofline; files are read by check_files.
#include <algorithm>
#include <iterator>

#include "cli/check_figures.h"
#include "cli/check_files.h"
#include "cli/claim_remarks.h"
#include "cli/exit_code.h"
#include "cli/verbs.h"
#include "rooflens/check/claim.h"
#include "rooflens/core/quantity.h"

namespace rooflens::cli {
namespace {

// Ends as logs and results do, and no model's name does.
bool looks_like_a_file(std::string_view word) {
  constexpr std::string_view kEndings[] = {".json", ".jsonl", ".csv",  ".txt",
                                           ".log",  ".md",    ".yaml", ".yml"};
  return std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](std::string_view e) { return word.ends_with(e); });
}

// The figures of all claims.
Result<Claim> read_claims(const Options& o, const Io& io) {
  if (o.claims.empty()) {
    const FileKind kind = o.words.empty() ? FileKind::file : io.files->kind(o.words[0]);
    if (kind == FileKind::none && looks_like_a_file(o.words[0])) {
      return fail(ErrorCode::not_found, "there is no file " + rooflens::quoted(o.words[0]), {},
                  "check takes logs and results by their path, or a model with --claim TEXT");
    }
    std::string hint = "as in --claim \"3288 tok/s prefill, 108 tok/s decode\"";
    if (kind == FileKind::none) {
      hint += "; as a log: there is no file " + rooflens::quoted(o.words[0]);
    } else if (kind == FileKind::folder) {
      hint += "; as a log: " + rooflens::quoted(o.words[0]) + " is a folder";
    }
    return fail(ErrorCode::invalid, "a claim is missing", "--claim", std::move(hint));
  }
  Claim all;
  for (const Given& claim : o.claims) {
    auto found = parse_claim(claim.text);
    if (!found) {
      Error e = std::move(found.error());
      e.where = e.where.empty() ? claim.option : claim.option + " (" + e.where + ")";
      return Failure(std::move(e));
    }
    std::move(found->figures.begin(), found->figures.end(), std::back_inserter(all.figures));
    std::move(found->others.begin(), found->others.end(), std::back_inserter(all.others));
  }
  return all;
}

}  // namespace

int check_verb(const Options& o, Context& c) {
  if (names_files(o, c.io)) return check_files(o, c);
  if (o.words.size() > 1) {
    return complain(
        c.io, {ErrorCode::invalid,
               rooflens::quoted(o.words[1]) + " is one word too many",
               {},
               "claims are held against one model; several words are files: logs or results"});
  }
  if (o.model) {
    return complain(c.io, {ErrorCode::invalid, "--model is for files: logs and results",
                           o.model->option, "the model of a claim is the word behind check"});
  }
  auto claim = read_claims(o, c.io);
  if (!claim) return complain(c.io, claim.error());
  auto scenario = case_of(o, c);
  if (!scenario) return complain(c.io, scenario.error());
  auto catalogue = catalogue_of(o, c);
  if (!catalogue) return complain(c.io, catalogue.error());
  for (std::string& r : claim_remarks(claim->others, scenario->scenario, **catalogue)) {
    c.warn(std::move(r));
  }
  return check_figures({&claim->figures, 1}, *scenario, o, c);
}

}  // namespace rooflens::cli
