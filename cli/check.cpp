// rooflens check: measured or claimed speeds against the roofline; start-up logs are in check_log.
#include <iterator>

#include "cli/check_files.h"
#include "cli/claim_remarks.h"
#include "cli/exit_code.h"
#include "cli/picture.h"
#include "cli/scenario_options.h"
#include "cli/verbs.h"
#include "rooflens/check/claim.h"
#include "rooflens/check/diagnose.h"
#include "rooflens/core/quantity.h"
#include "rooflens/views/analysis_views.h"
#include "rooflens/views/check_report.h"

namespace rooflens::cli {
namespace {

// The figures of all claims.
Result<Claim> read_claims(const Options& o, const Io& io) {
  if (o.claims.empty()) {
    const FileKind kind = o.words.empty() ? FileKind::file : io.files->kind(o.words[0]);
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
    return complain(c.io, {ErrorCode::invalid,
                           rooflens::quoted(o.words[1]) + " is one word too many",
                           {},
                           "claims are held against one model; several files are start-up logs"});
  }
  if (o.model) {
    return complain(c.io, {ErrorCode::invalid, "--model is for a start-up log", o.model->option,
                           "the model of a claim is the word behind check"});
  }
  auto claim = read_claims(o, c.io);
  if (!claim) return complain(c.io, claim.error());
  auto cases = cases_of(o, c);
  if (!cases) return complain(c.io, cases.error());
  if (cases->several) {
    return complain(c.io, {ErrorCode::invalid,
                           "figures are held against one scenario, not a list of them",
                           {},
                           "give one device and one value of each option"});
  }
  auto catalogue = catalogue_of(o, c);
  if (!catalogue) return complain(c.io, catalogue.error());
  for (std::string& r : claim_remarks(claim->others, cases->all.front().scenario, **catalogue)) {
    c.warn(std::move(r));
  }
  const Analysis a = analyze(cases->all.front().scenario, cases->all.front().efficiency);
  if (!a.memory.fits) {
    // Nothing was measured on what cannot run: say what is missing instead.
    c.warn("the figures cannot come from this configuration: it does not fit");
    const Report report = unfit_report(a);
    Output output{.report = &report};
    output.inputs = [&](JsonWriter& j) { inputs_json(a.scenario, j); };
    output.results = [&](JsonWriter& j) { analysis_json(a, j); };
    return print(output, c, kNo);
  }
  const std::vector<Diagnosis> all = diagnose_all(claim->figures, a);
  const auto chart = [&] { return check_chart(all, a); };
  if (auto r = draw_plot(o, c, chart); !r) return complain(c.io, r.error());
  bool possible = true;
  for (const Diagnosis& d : all) possible = possible && d.standing != Standing::unreachable;
  const Report report = check_report(all, a);
  Output output{.report = &report};
  output.picture = terminal_picture(o, c, chart);
  output.inputs = [&](JsonWriter& j) { inputs_json(a.scenario, j); };
  output.results = [&](JsonWriter& j) {
    j.begin_object().key("observations");
    check_json(all, j);
    j.end();
  };
  return print(output, c, possible ? kDone : kNo);
}

}  // namespace rooflens::cli
