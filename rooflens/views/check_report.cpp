#include "rooflens/views/check_report.h"

#include <algorithm>
#include <utility>

#include "rooflens/check/compare.h"
#include "rooflens/views/analysis_views.h"
#include "rooflens/views/check_many.h"
#include "rooflens/views/fit_report.h"
#include "rooflens/views/sections.h"

namespace rooflens {
namespace {

constexpr std::size_t kCausesShown = 3;

Unit unit_of(Measure m) {
  switch (m) {
    case Measure::number:
      return Unit::none;
    case Measure::fraction:
      return Unit::fraction;
    case Measure::ratio:
      return Unit::ratio;
    case Measure::tokens:
      return Unit::tokens;
    case Measure::tokens_per_s:
      return Unit::tokens_per_s;
    case Measure::seconds:
      return Unit::seconds;
    case Measure::bytes:
      return Unit::bytes;
    case Measure::bytes_per_s:
      return Unit::bytes_per_s;
    case Measure::flops_per_s:
      return Unit::flops_per_s;
    case Measure::flop_per_byte:
      return Unit::flop_per_byte;
  }
  return Unit::none;
}

}  // namespace

Severity severity_of(Standing s) {
  switch (s) {
    case Standing::good:
      return Severity::good;
    case Standing::above_clock:
      return Severity::note;
    case Standing::partial:
    case Standing::far:
      return Severity::warning;
    case Standing::above_roof:
    case Standing::unreachable:
      return Severity::bad;
  }
  return Severity::none;
}

namespace {

// The figure as it was written, with what it was held against.
std::string name_of_figure(const Diagnosis& d) {
  std::string name = name_of(d.phase);
  const Source& source = d.observation.source;
  if (!source.file.empty()) {
    name += ", line " + std::to_string(source.line);
  } else if (!source.text.empty()) {
    name += ": " + source.text;
  }
  return name;
}

// What the step was of.
std::string name_of_step(const Diagnosis& d) {
  std::string name = name_of(d.phase);
  if (d.phase == MeasuredPhase::prefill) return name + ", prompt " + format(d.prompt, Unit::count);
  name += ", batch " + format(d.batch, Unit::count);
  return name + ", context " + format(d.context, Unit::count);
}

// Of the others the sentence itself, or the first cause, has it.
bool shows_evidence(const Diagnosis& d) {
  const Bound v = d.verdict;
  return d.gap.measured > 0 &&
         (v == Bound::memory || v == Bound::compute || v == Bound::vector || v == Bound::network);
}

Section verdicts(const std::vector<Diagnosis>& all) {
  Section s = prose_section("verdicts", "");
  for (const Diagnosis& d : all) {
    const std::size_t before = s.lines.size();
    add_once(s, text_of(d.sentence) + ".", severity_of(d.standing));
    if (s.lines.size() == before) continue;  // said of another figure of the same run
    const bool above = d.verdict == Bound::above_roof;
    if (!above && !d.expectation.empty()) s.lines.push_back({text_of(d.expectation) + "."});
    if (shows_evidence(d)) s.lines.push_back({text_of(d.evidence) + "."});
    const bool impossible =
        d.standing == Standing::above_roof || d.standing == Standing::unreachable;
    if (!impossible || d.needs.bytes_per_s <= 0) continue;
    const Sentence needs =
        d.roof_bound == Bound::compute
            ? Sentence{"To be reachable a device would need a peak of {}",
                       {{d.needs.flops_per_s, Measure::flops_per_s}}}
            : Sentence{
                  "To be reachable a device would need {} of bandwidth, or no more than {} to "
                  "move a step",
                  {{d.needs.bytes_per_s, Measure::bytes_per_s}, {d.needs.bytes, Measure::bytes}}};
    s.lines.push_back({text_of(needs) + ".", Severity::note});
  }
  return s;
}

// Few letters for a column; the readings below have the words.
const char* short_name(const Reading& r) {
  if (r.tag == "aggregate") return "aggregate";
  if (r.tag == "per_stream") return "per sequence";
  if (r.tag == "per_device") return "per device";
  if (r.tag == "same_wall") return "same clock";
  return "both phases";
}

// The engine and its version stand beside the fraction where they differ; else in the title.
Section figures(const std::vector<Diagnosis>& all) {
  const bool made = std::any_of(all.begin(), all.end(), [&](const Diagnosis& d) {
    return d.observation.made_by != all.front().observation.made_by;
  });
  Section s = table_section("observations", "Measured against the roof",
                            {{"observation", "observation"},
                             {"tokens_per_s", "measured"},
                             {"roof_tokens_per_s", "roof"},
                             {"fraction_of_roof", "of roof"},
                             {"fraction_of_operators", "per-op."},
                             {"reading", "reading"}});
  if (made) s.columns.push_back({"made_by", "engine"});
  for (const Diagnosis& d : all) {
    s.rows.push_back(
        {words("observation", "", name_of_figure(d)),
         number("tokens_per_s", "", d.tokens_per_s, Unit::tokens_per_s),
         number("roof_tokens_per_s", "", d.roof_tokens_per_s, Unit::tokens_per_s),
         number("fraction_of_roof", "", d.fraction_of_roof, Unit::fraction),
         number("fraction_of_operators", "", d.fraction_of_operators, Unit::fraction),
         words("reading", "", d.readings.empty() ? "" : short_name(d.readings.front()))});
    s.rows.back()[3].severity = severity_of(d.standing);
    if (made) s.rows.back().push_back(words("made_by", "", d.observation.made_by));
  }
  return s;
}

// Where a step's time went, for figures of one phase.
Section times(const std::vector<Diagnosis>& all) {
  Section s = table_section("time", "Time of a step, one operator after another",
                            {{"observation", "step"},
                             {"measured_s", "measured"},
                             {"memory_s", "memory"},
                             {"compute_s", "compute"},
                             {"network_s", "network"},
                             {"rest_s", "the rest"}});
  for (const Diagnosis& d : all) {
    if (d.gap.measured <= 0 || d.verdict == Bound::above_roof) continue;
    const auto seconds = [](const char* tag, double v) {
      return number(tag, "", v, Unit::seconds);
    };
    s.rows.push_back(
        {words("observation", "", name_of_step(d)), seconds("measured_s", d.gap.measured),
         seconds("memory_s", d.gap.memory), seconds("compute_s", d.gap.compute + d.gap.vector),
         seconds("network_s", d.gap.network), seconds("rest_s", d.gap.fixed - d.gap.overlapped)});
  }
  return s;
}

Section readings(const std::vector<Diagnosis>& all) {
  Section s = table_section("readings", "What the figures may mean",
                            {{"observation", "figure"},
                             {"reading", "read as"},
                             {"tokens_per_s", "all together"},
                             {"fraction_of_roof", "of roof"},
                             {"plausible", ""}});
  bool shared_told = false;  // the clock that two figures share is one reading
  for (const Diagnosis& d : all) {
    if (d.readings.size() < 2) continue;
    for (const Reading& r : d.readings) {
      const bool shared = r.name == kSharedClock;
      if (shared && std::exchange(shared_told, true)) continue;
      s.rows.push_back({words("observation", "", shared ? "both" : name_of(d.phase)),
                        words("reading", "", r.name),
                        number("tokens_per_s", "", r.tokens_per_s, Unit::tokens_per_s),
                        number("fraction_of_roof", "", r.fraction, Unit::fraction),
                        words("plausible", "", r.plausible ? "" : "impossible")});
      if (!r.plausible) s.rows.back()[3].severity = Severity::bad;
    }
  }
  std::stable_partition(s.rows.begin(), s.rows.end(), [](const std::vector<Cell>& row) {
    return std::get<std::string>(row[0].value) != "both";
  });
  return s;
}

Section causes(const std::vector<Diagnosis>& all) {
  Section s = prose_section("causes", "Likely causes");
  for (const Diagnosis& d : all) {
    std::size_t shown = 0;
    for (const Cause& c : d.causes) {
      // Under the roof a factor is worth knowing even where it is not the whole answer.
      const bool partly = d.fraction_of_roof < 1 && c.factor > 1;
      if (shown == kCausesShown || !(c.explains || partly || shown == 0)) continue;
      s.lines.push_back({std::string(name_of(d.phase)) + ": " + text_of(c.text) + ".",
                         c.explains ? Severity::note : Severity::none});
      ++shown;
    }
  }
  return s;
}

}  // namespace

std::string text_of(const Sentence& s) {
  std::string out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < s.text.size(); ++i) {
    if (s.text.compare(i, 2, "{}") == 0 && next < s.amounts.size()) {
      const Amount& a = s.amounts[next++];
      out += format(a.value, unit_of(a.measure));
      ++i;
    } else {
      out += s.text[i];
    }
  }
  return out;
}

Report check_report(const std::vector<Diagnosis>& all, const Analysis& a,
                    std::span<const Fit> fits) {
  Report r;
  r.title = scenario_title(a.scenario);
  const auto made_by = [&](const Diagnosis& d) { return d.observation.made_by; };
  if (!all.empty() && !made_by(all[0]).empty() &&
      std::all_of(all.begin(), all.end(),
                  [&](const Diagnosis& d) { return made_by(d) == made_by(all[0]); })) {
    r.title += ", " + made_by(all[0]);
  }
  const bool many = all.size() > kManyFigures;
  Section together = prose_section("together", "Both phases together");
  if (const auto c = compare(all, a)) {
    for (const Sentence& remark : c->remarks) add_once(together, text_of(remark) + ".");
  }
  Section next = prose_section("next", "Measure next");
  Section notes = prose_section("notes", "Notes");
  for (const Diagnosis& d : all) {
    add_once(next, text_of(d.next_experiment) + ".");
    for (const Sentence& n : d.notes) {
      if (!many || n.amounts.empty()) add_once(notes, text_of(n) + ".");
    }
  }
  for (Section* s : {&together, &next, &notes}) {
    std::erase_if(s->lines, [](const Line& l) { return l.text == "."; });
  }
  r.sections = {many ? verdicts_of_many(all) : verdicts(all),
                figures(all),
                fit_table(fits),
                fit_evidence(fits),
                readings(all),
                together,
                many ? causes_of_many(all) : causes(all),
                next,
                times(all),
                notes};
  std::erase_if(r.sections, is_empty);
  return r;
}

void observation_members(const Diagnosis& d, JsonWriter& out) {
  const Observation& o = d.observation;
  out.member("phase", name_of(d.phase));
  out.member("tokens_per_s", d.tokens_per_s).member("batch", d.batch);
  out.member("prompt_tokens", d.prompt).member("context_tokens", d.context);
  out.member("kind", name_of(o.counting)).member("made_by", o.made_by);
  out.key("source").begin_object();
  out.member("file", o.source.file).member("line", o.source.line).member("text", o.source.text);
  out.end();
  out.key("measured").begin_object();
  out.member("figure", name_of(o.figure)).member("value", o.value).end();
  out.member("roof_tokens_per_s", d.roof_tokens_per_s);
  out.member("operator_tokens_per_s", d.operator_tokens_per_s);
  out.member("fraction_of_roof", d.fraction_of_roof);
  out.member("fraction_of_operators", d.fraction_of_operators);
  // A figure of both phases has no step of its own.
  const auto of_step = [&](const char* key, double v) {
    out.key(key);
    if (d.gap.measured > 0) {
      out.value(v);
    } else {
      out.null();
    }
  };
  const Range& x = d.expected_tokens_per_s;
  out.key("expected_tokens_per_s").begin_object();
  out.member("low", x.low).member("mid", x.mid).member("high", x.high).end();
  of_step("step_seconds", d.step_seconds);
  of_step("roof_seconds", d.roof_seconds);
  of_step("headroom_seconds", d.headroom_seconds);
  out.member("headroom_tokens_per_s", d.headroom_tokens_per_s);
  of_step("achieved_flops_per_s", d.achieved_flops_per_s);
  of_step("achieved_bytes_per_s", d.achieved_bytes_per_s);
  of_step("memory_seconds", d.gap.memory);
  of_step("compute_seconds", d.gap.compute + d.gap.vector);
  of_step("network_seconds", d.gap.network);
  of_step("fixed_seconds", d.gap.fixed);
  // What a device would need for it, where it is above the roof.
  out.key("needs");
  if (d.needs.bytes_per_s > 0) {
    out.begin_object().member("bytes_per_s", d.needs.bytes_per_s);
    out.member("flops_per_s", d.needs.flops_per_s).member("bytes", d.needs.bytes).end();
  } else {
    out.null();
  }
  out.key("expectation");
  if (d.expectation.empty()) {
    out.null();
  } else {
    out.value(text_of(d.expectation));
  }
  out.member("verdict", name_of(d.verdict)).member("standing", name_of(d.standing));
  out.member("summary", text_of(d.sentence)).member("evidence", text_of(d.evidence));
  out.key("explained_by");
  if (d.explained_by.empty()) {
    out.null();
  } else {
    out.value(d.explained_by);
  }
  out.key("causes").begin_array();
  for (const Cause& c : d.causes) {
    out.begin_object().member("tag", c.tag).member("explains", c.explains);
    out.member("factor", c.factor).member("text", text_of(c.text)).end();
  }
  out.end();
  out.key("readings").begin_array();
  for (const Reading& r : d.readings) {
    out.begin_object().member("tag", r.tag).member("name", r.name);
    out.member("fraction_of_roof", r.fraction).member("tokens_per_s", r.tokens_per_s);
    out.member("plausible", r.plausible).member("why", text_of(r.why)).end();
  }
  out.end();
  out.member("next_experiment", text_of(d.next_experiment));
  out.key("notes").begin_array();
  for (const Sentence& n : d.notes) out.value(text_of(n));
  out.end();
}

void check_json(const std::vector<Diagnosis>& all, JsonWriter& out) {
  out.begin_array();
  for (const Diagnosis& d : all) {
    out.begin_object();
    observation_members(d, out);
    out.end();
  }
  out.end();
}

}  // namespace rooflens
