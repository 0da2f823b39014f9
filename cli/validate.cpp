// rooflens validate FILE: published measurements against their roofs; --fit: the efficiencies that
// they tell.
#include "cli/exit_code.h"
#include "cli/point_case.h"
#include "cli/verbs.h"
#include "rooflens/catalogue/efficiency_fitted.h"
#include "rooflens/catalogue/efficiency_priors.h"
#include "rooflens/check/validation.h"
#include "rooflens/core/analyze.h"
#include "rooflens/readers/points.h"
#include "rooflens/views/validation_report.h"

namespace rooflens::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;

JudgedPoint judged(const MeasuredPoint& p, const Catalogue& catalogue) {
  auto found = case_of_point(p, catalogue);
  if (!found) {
    JudgedPoint j;
    j.point = &p;
    j.reason = std::move(found.error().message);
    j.detail = std::move(found.error().where);
    return j;
  }
  const Device& device = found->scenario.system.device;
  const Efficiency efficiency = efficiency_for(device, found->served);
  JudgedPoint j = judge_point(p, analyze(found->scenario, efficiency), prior_for(device),
                              std::move(found->device), std::move(found->served));
  j.coarse = found->coarse;
  j.model = std::move(found->model);
  return j;
}

int fit(const std::vector<JudgedPoint>& all, Context& c) {
  std::vector<CalibrationSample> samples;
  for (const JudgedPoint& j : all) {
    if (use_of(j) == PointUse::usable) samples.push_back(j.sample);
  }
  return print_text(fitted_csv(Calibration(samples).rows()), c, kDone);
}

}  // namespace

int validate_verb(const Options& o, Context& c) {
  auto text = c.io.files->read(o.words[0], kMostBytes);
  if (!text) return complain(c.io, text.error());
  auto points = read_points(*text, o.words[0]);
  if (!points) return complain(c.io, points.error());
  auto catalogue = catalogue_of(o, c);
  if (!catalogue) return complain(c.io, catalogue.error());
  std::vector<JudgedPoint> all;
  all.reserve(points->size());
  for (const MeasuredPoint& p : *points) all.push_back(judged(p, **catalogue));
  if (o.fit) return fit(all, c);
  const bool rows = c.format == Format::csv;
  const Validation v = validate_points(all);
  const Report report = rows ? points_report(all) : validation_report(v, all);
  Output output{.report = &report, .table = "points"};
  output.inputs = [&](JsonWriter& j) { j.begin_object().member("file", o.words[0]).end(); };
  output.results = [&](JsonWriter& j) { validation_json(v, all, j); };
  bool met = true;
  for (const Bar& b : v.bars) met = met && b.met();
  return print(output, c, met ? kDone : kNo);
}

}  // namespace rooflens::cli
