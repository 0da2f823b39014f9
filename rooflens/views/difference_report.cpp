#include "rooflens/views/difference_report.h"

#include <algorithm>

#include "rooflens/render/format.h"
#include "rooflens/views/check_report.h"
#include "rooflens/views/sections.h"

namespace rooflens {
namespace {

constexpr std::size_t kPairsTold = 4;  // in words; more are in the table alone

// The parts, in the order they are told.
struct TimePart {
  const char* key;
  const char* name;
  std::optional<double> seconds;  // empty = only fits of both would tell
};

std::vector<TimePart> parts_of(const Difference& d) {
  return {{"batch_seconds", "sizes", d.batch},
          {"bytes_seconds", "bytes", d.bytes},
          {"compute_seconds", "FLOPs", d.compute},
          {"network_seconds", "network", d.network},
          {"bandwidth_reached_seconds", "bandwidth reached", d.bandwidth_reached},
          {"compute_reached_seconds", "compute reached", d.compute_reached},
          {"fixed_seconds", "fixed time", d.fixed},
          {"unexplained_seconds", "unexplained", d.unexplained}};
}

// "batch 8, context 1,024"; "prompt 512"
std::string size_words(const Diagnosis& d, bool per_request) {
  std::string prompt = "prompt " + format(d.prompt, Unit::count);
  if (d.phase == MeasuredPhase::prefill && !per_request) return prompt;
  const std::string batch = "batch " + format(d.batch, Unit::count);
  if (per_request) return batch + ", " + prompt;
  return batch + ", context " + format(d.context, Unit::count);
}

std::string pair_words(const ComparedRuns& runs, const Difference& d) {
  const Diagnosis& a = *runs.before_steps[d.before].diagnosis;
  const Diagnosis& b = *runs.after_steps[d.after].diagnosis;
  const std::string first = size_words(a, d.per_request), second = size_words(b, d.per_request);
  std::string out = std::string(name_of(a.phase)) + ", " + first;
  if (first != second) out += " -> " + second;
  return d.per_request ? out + ", a request" : out;
}

std::string signed_seconds(double s) { return (s >= 0 ? "+" : "") + format(s, Unit::seconds); }

// "20.0 ms become 17.0 ms, -3.00 ms (-15.0 %): bytes -2.00 ms, unexplained -1.00 ms."
std::string sum_words(const ComparedRuns& runs, const Difference& d) {
  std::string out = pair_words(runs, d) + ": " + format(d.before_s, Unit::seconds) + " become " +
                    format(d.after_s, Unit::seconds) + ", " + signed_seconds(d.total()) + " (" +
                    (d.total() >= 0 ? "+" : "") + format(d.total() / d.before_s, Unit::fraction) +
                    ") = ";
  bool first = true;
  for (const TimePart& p : parts_of(d)) {
    if (!p.seconds || *p.seconds == 0) continue;
    out += (first ? "" : ", ") + std::string(p.name) + " " + signed_seconds(*p.seconds);
    first = false;
  }
  return out + (first ? "nothing" : "");
}

Section pairs_table(const ComparedRuns& runs) {
  Section s = table_section("difference", "From " + runs.before + " to " + runs.after,
                            {{"figure", "figure"},
                             {"before_seconds", "before"},
                             {"after_seconds", "after"},
                             {"difference_seconds", "difference"}});
  const std::vector<Difference>& pairs = runs.found.pairs;
  std::vector<bool> shown;
  for (std::size_t i = 0; !pairs.empty() && i < parts_of(pairs.front()).size(); ++i) {
    const auto counts = [&](const Difference& d) {
      return parts_of(d)[i].seconds.value_or(0) != 0;
    };
    shown.push_back(std::any_of(pairs.begin(), pairs.end(), counts));
    const TimePart p = parts_of(pairs.front())[i];
    if (shown.back()) s.columns.push_back({p.key, p.name});
  }
  for (const Difference& d : pairs) {
    std::vector<Cell> row = {words("figure", "", pair_words(runs, d)),
                             number("before_seconds", "", d.before_s, Unit::seconds),
                             number("after_seconds", "", d.after_s, Unit::seconds),
                             number("difference_seconds", "", d.total(), Unit::seconds)};
    const std::vector<TimePart> parts = parts_of(d);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!shown[i]) continue;
      const std::optional<double>& seconds = parts[i].seconds;
      row.push_back(seconds ? number(parts[i].key, "", *seconds, Unit::seconds)
                            : nothing(parts[i].key, "", "-"));
    }
    s.rows.push_back(std::move(row));
  }
  return s;
}

void figure_json(const char* key, const Diagnosis& d, JsonWriter& out) {
  out.key(key).begin_object().member("phase", name_of(d.phase)).member("batch", d.batch);
  out.member("prompt_tokens", d.prompt).member("context_tokens", d.context);
  out.member("tokens_per_s", d.tokens_per_s).member("seconds", d.step_seconds);
  out.member("file", d.observation.source.file).member("line", d.observation.source.line).end();
}

}  // namespace

std::vector<Section> difference_sections(const ComparedRuns& runs) {
  Section said = prose_section("difference_words", "");
  if (runs.found.pairs.empty()) {
    said.title = "From " + runs.before + " to " + runs.after;
    said.lines.push_back({text_of(runs.found.nothing) + ".", Severity::warning});
    return {std::move(said)};
  }
  std::size_t told = 0;
  for (const Difference& d : runs.found.pairs) {
    if (told++ < kPairsTold) said.lines.push_back({sum_words(runs, d) + "."});
  }
  for (const Difference& d : runs.found.pairs) {
    for (const Sentence& r : d.remarks) add_once(said, text_of(r) + ".", Severity::note);
  }
  said.lines.push_back({"The parts add up to the difference; those not shown are zero."});
  if (runs.found.left > 0) {
    said.lines.push_back({format(static_cast<double>(runs.found.left), Unit::count) +
                              " figures more are not compared.",
                          Severity::warning});
  }
  return {pairs_table(runs), std::move(said)};
}

void difference_json(const ComparedRuns& runs, JsonWriter& out) {
  out.begin_object().member("before", runs.before).member("after", runs.after);
  out.key("pairs").begin_array();
  for (const Difference& d : runs.found.pairs) {
    out.begin_object().member("per_request", d.per_request);
    figure_json("before", *runs.before_steps[d.before].diagnosis, out);
    figure_json("after", *runs.after_steps[d.after].diagnosis, out);
    out.member("difference_seconds", d.total());
    for (const TimePart& p : parts_of(d)) {
      out.key(p.key);
      if (p.seconds) {
        out.value(*p.seconds);
      } else {
        out.null();
      }
    }
    out.key("remarks").begin_array();
    for (const Sentence& r : d.remarks) out.value(text_of(r));
    out.end().end();
  }
  out.end().key("why_none");
  if (runs.found.pairs.empty()) {
    out.value(text_of(runs.found.nothing));
  } else {
    out.null();
  }
  out.end();
}

}  // namespace rooflens
