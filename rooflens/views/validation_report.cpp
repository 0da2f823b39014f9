#include "rooflens/views/validation_report.h"

#include <algorithm>
#include <utility>

#include "rooflens/views/check_report.h"

namespace rooflens {
namespace {

// Points of classes with fewer are in the CSV, not on the screen.
constexpr std::size_t kLeastShown = 10;

Section table(std::string tag, std::string title, std::vector<Column> columns) {
  return {.tag = std::move(tag),
          .title = std::move(title),
          .kind = SectionKind::table,
          .columns = std::move(columns)};
}

Cell count(const char* tag, std::size_t n) {
  return number(tag, "", static_cast<double>(n), Unit::count);
}

Cell share(const char* tag, double v) { return number(tag, "", v, Unit::fraction); }

Section bars(const Validation& v) {
  Section s = table("bars", "Bars",
                    {{"bar", "bar"}, {"value", "value"}, {"bound", "bound"}, {"met", "met"}});
  for (const Bar& b : v.bars) {
    const Unit unit =
        b.tag == "coverage" || b.tag.rfind("error", 0) == 0 ? Unit::fraction : Unit::count;
    Cell met = words("met", "", b.met() ? "yes" : "NO");
    met.severity = b.met() ? Severity::good : Severity::bad;
    s.rows.push_back({words("bar", "", b.what), number("value", "", b.value, unit),
                      number("bound", "", b.bound, unit), std::move(met)});
  }
  return s;
}

Section figures(std::string tag, std::string title, const std::vector<ClassFigures>& all,
                bool fine) {
  std::vector<Column> columns{{"device", "device"}};
  if (fine) {
    columns.insert(columns.end(), {{"engine", "engine"}, {"format", "format"}, {"phase", "phase"}});
  }
  columns.insert(columns.end(), {{"points", "points"},
                                 {"sources", "sources"},
                                 {"p10", "10 %"},
                                 {"median", "median"},
                                 {"p90", "90 %"},
                                 {"covered", "in range"},
                                 {"width", "width"},
                                 {"error", "error"},
                                 {"covered_unseen", "unseen: in"},
                                 {"width_unseen", "width"},
                                 {"error_unseen", "error"}});
  Section s = table(std::move(tag), std::move(title), std::move(columns));
  for (const ClassFigures& c : all) {
    if (fine && c.points < kLeastShown) continue;
    std::vector<Cell>& row = s.rows.emplace_back();
    row.push_back(words("device", "", name_of(c.of.device)));
    if (fine) {
      row.push_back(words("engine", "", c.of.engine.empty() ? "other" : c.of.engine));
      row.push_back(words("format", "", c.of.format));
      row.push_back(words("phase", "", c.of.phase));
    }
    row.push_back(count("points", c.points));
    row.push_back(count("sources", c.sources));
    row.push_back(share("p10", c.low));
    row.push_back(share("median", c.median));
    row.push_back(share("p90", c.high));
    row.push_back(share("covered", c.covered));
    row.push_back(number("width", "", c.width, Unit::ratio));
    row.push_back(share("error", c.error));
    row.push_back(share("covered_unseen", c.covered_unseen));
    row.push_back(number("width_unseen", "", c.width_unseen, Unit::ratio));
    row.push_back(share("error_unseen", c.error_unseen));
  }
  return s;
}

// What would settle a point above its roof: the roof, the device's row, or the point itself.
std::string settles(const JudgedPoint& j) {
  if (j.coarse)
    return "point: its model is known by size alone, and the head counted for each token";
  for (const Cause& c : j.diagnosis.causes) {
    if (!c.explains) continue;
    const bool roof = c.tag == "in_cache" || c.tag == "fp16_accumulate" ||
                      c.tag == "narrower_arithmetic" || c.tag == "prompts_together";
    const char* who = c.tag == "above_clock" ? "device row" : roof ? "roof" : "point";
    return std::string(who) + ": " + text_of(c.text);
  }
  return "point: no cause that is known explains it";
}

bool honest(const JudgedPoint& j) {
  return use_of(j) == PointUse::usable || use_of(j) == PointUse::coarse;
}

Section above(std::span<const JudgedPoint> all) {
  Section s = table("above_roof", "Honest points above their roof, and what settles each",
                    {{"id", "id"},
                     {"device", "device"},
                     {"model", "model"},
                     {"phase", "phase"},
                     {"fraction", "of roof"},
                     {"settles", "what settles it"}});
  for (const JudgedPoint& j : all) {
    if (!honest(j) || !above_roof(j)) continue;
    s.rows.push_back({words("id", "", j.point->id), words("device", "", j.device),
                      words("model", "", j.point->run.model),
                      words("phase", "", name_of(j.point->phase)),
                      number("fraction", "", j.diagnosis.fraction_of_roof, Unit::ratio),
                      words("settles", "", settles(j))});
  }
  return s;
}

Section rejected(std::span<const JudgedPoint> all) {
  Section s =
      table("rejected", "Points that must be rejected",
            {{"id", "id"}, {"model", "model"}, {"fraction", "of roof"}, {"flag", "flagged"}});
  for (const JudgedPoint& j : all) {
    if (use_of(j) != PointUse::rejected) continue;
    const std::string flag = flagged(j);
    Cell said = words("flag", "", flag.empty() ? "NOT FLAGGED" : flag);
    said.severity = flag.empty() ? Severity::bad : Severity::none;
    s.rows.push_back({words("id", "", j.point->id), words("model", "", j.point->run.model),
                      j.reason.empty()
                          ? number("fraction", "", j.diagnosis.fraction_of_roof, Unit::ratio)
                          : nothing("fraction", "", j.reason),
                      std::move(said)});
  }
  return s;
}

Section speculative(std::span<const JudgedPoint> all) {
  Section s = table("speculative", "Speculative points",
                    {{"id", "id"},
                     {"model", "model"},
                     {"tokens_per_pass", "tokens a pass"},
                     {"fraction", "of roof"},
                     {"explained", "explained"}});
  for (const JudgedPoint& j : all) {
    if (use_of(j) != PointUse::speculative) continue;
    const double each = j.point->run.tokens_per_pass;
    s.rows.push_back({words("id", "", j.point->id), words("model", "", j.point->run.model),
                      each > 0 ? number("tokens_per_pass", "", each, Unit::none)
                               : nothing("tokens_per_pass", "", "not told"),
                      number("fraction", "", j.diagnosis.fraction_of_roof, Unit::ratio),
                      words("explained", "", speculation_explains(j) ? "yes" : "NO")});
  }
  return s;
}

Section not_held(const Validation& v) {
  Section s =
      table("not_held", "Not held against a roof", {{"reason", "because"}, {"points", "points"}});
  for (const auto& [reason, n] : v.reasons) {
    s.rows.push_back({words("reason", "", reason), count("points", n)});
  }
  return s;
}

Section counts(const Validation& v) {
  Section s{.tag = "counts", .title = "Points", .kind = SectionKind::values};
  const auto add = [&](const char* tag, const char* label, std::size_t n, std::string note = {}) {
    s.values.push_back(number(tag, label, static_cast<double>(n), Unit::count, std::move(note)));
  };
  add("points", "in the file", v.points);
  add("held", "held against a roof", v.held);
  add("usable", "usable", v.usable, "fitted and counted below");
  add("coarse", "model coarse", v.coarse, "known by bytes and parameters alone");
  add("doubtful", "doubtful", v.doubtful,
      "cached prompts, failed requests, outliers, short answers");
  add("rejected", "must be rejected", v.rejected);
  add("speculative", "speculative", v.speculative);
  return s;
}

void figures_json(const std::vector<ClassFigures>& all, JsonWriter& j) {
  j.begin_array();
  for (const ClassFigures& c : all) {
    j.begin_object().member("device", name_of(c.of.device)).member("engine", c.of.engine);
    j.member("format", c.of.format).member("phase", c.of.phase);
    j.member("points", c.points).member("sources", c.sources);
    j.key("fraction_of_roof").begin_object();
    j.member("p10", c.low).member("median", c.median).member("p90", c.high).end();
    j.member("covered", c.covered).member("median_error", c.error).member("range_width", c.width);
    j.member("covered_source_left_out", c.covered_unseen);
    j.member("median_error_source_left_out", c.error_unseen);
    j.member("range_width_source_left_out", c.width_unseen).end();
  }
  j.end();
}

}  // namespace

Report validation_report(const Validation& v, std::span<const JudgedPoint> all) {
  Report r;
  r.title = std::to_string(v.points) + " published measurements, " + std::to_string(v.held) +
            " held against their roofs";
  r.sections = {counts(v), bars(v), figures("devices", "Per class of devices", v.devices, false),
                figures("streams", "Decode of one stream", v.streams, false),
                figures("classes", "Per engine, format and phase", v.classes, true)};
  for (Section s : {above(all), rejected(all), speculative(all), not_held(v)}) {
    if (!s.rows.empty()) r.sections.push_back(std::move(s));
  }
  return r;
}

Report points_report(std::span<const JudgedPoint> all) {
  Section s = table("points", "",
                    {{"id", "id"},
                     {"source", "source"},
                     {"device", "device"},
                     {"class", "class"},
                     {"engine", "engine"},
                     {"format", "format"},
                     {"model", "model"},
                     {"model_found", "model found"},
                     {"phase", "phase"},
                     {"use", "use"},
                     {"tokens_per_s", "measured"},
                     {"roof_tokens_per_s", "roof"},
                     {"fraction_of_roof", "of roof"},
                     {"expected_low_tokens_per_s", "low"},
                     {"expected_mid_tokens_per_s", "mid"},
                     {"expected_high_tokens_per_s", "high"},
                     {"expected_origin", "origin"},
                     {"standing", "standing"},
                     {"flagged", "flagged"},
                     {"not_held", "not held"}});
  for (const JudgedPoint& j : all) {
    const Diagnosis& d = j.diagnosis;
    const bool held = j.reason.empty();
    const auto rate = [&](const char* tag, double v) {
      return held ? number(tag, "", v, Unit::tokens_per_s) : nothing(tag, "", "");
    };
    std::string why = j.reason;
    if (!j.detail.empty()) why += ": " + j.detail;
    s.rows.push_back(
        {words("id", "", j.point->id),
         words("source", "", j.point->group),
         words("device", "", held ? j.device : j.point->run.device),
         words("class", "", name_of(j.sample.device)),
         words("engine", "", j.sample.served.engine),
         words("format", "", j.sample.served.format),
         words("model", "", j.point->run.model),
         words("model_found", "", j.model),
         words("phase", "", name_of(j.point->phase)),
         words("use", "", name_of(use_of(j))),
         number("tokens_per_s", "", j.point->run.figures.front().value, Unit::tokens_per_s),
         rate("roof_tokens_per_s", d.roof_tokens_per_s),
         held ? number("fraction_of_roof", "", d.fraction_of_roof, Unit::fraction)
              : nothing("fraction_of_roof", "", ""),
         rate("expected_low_tokens_per_s", d.expected_tokens_per_s.low),
         rate("expected_mid_tokens_per_s", d.expected_tokens_per_s.mid),
         rate("expected_high_tokens_per_s", d.expected_tokens_per_s.high),
         words("expected_origin", "", j.efficiency.origin),
         words("standing", "", held ? name_of(d.standing) : ""),
         words("flagged", "", flagged(j)),
         words("not_held", "", why)});
  }
  return {.title = "points", .sections = {std::move(s)}};
}

void validation_json(const Validation& v, std::span<const JudgedPoint> all, JsonWriter& j) {
  j.begin_object().member("points", v.points).member("held", v.held).member("coarse", v.coarse);
  j.member("usable", v.usable).member("doubtful", v.doubtful);
  j.member("rejected", v.rejected).member("rejected_flagged", v.rejected_flagged);
  j.member("speculative", v.speculative).member("speculative_explained", v.speculative_explained);
  j.key("bars").begin_array();
  for (const Bar& b : v.bars) {
    j.begin_object().member("bar", b.tag).member("what", b.what).member("value", b.value);
    j.member(b.at_least ? "at_least" : "at_most", b.bound).member("met", b.met()).end();
  }
  j.end().key("devices");
  figures_json(v.devices, j);
  figures_json(v.streams, j.key("decode_of_one_stream"));
  figures_json(v.classes, j.key("classes"));
  j.key("above_roof").begin_array();
  for (const JudgedPoint& p : all) {
    if (!honest(p) || !above_roof(p)) continue;
    j.begin_object().member("id", p.point->id).member("device", p.device);
    j.member("fraction_of_roof", p.diagnosis.fraction_of_roof).member("settles", settles(p)).end();
  }
  j.end().key("not_held").begin_array();
  for (const auto& [reason, n] : v.reasons) {
    j.begin_object().member("reason", reason).member("points", n).end();
  }
  j.end().end();
}

}  // namespace rooflens
