#include "rooflens/views/fit_report.h"

#include <algorithm>
#include <utility>

#include "rooflens/render/format.h"
#include "rooflens/views/check_report.h"
#include "rooflens/views/sections.h"

namespace rooflens {
namespace {

// The numbers of a fit, as rows and keys have them.
struct Number {
  const char* key;
  const char* name;
  Unit unit;
  const Fitted& fitted;
  double nominal;  // 0 = none
};

std::vector<Number> numbers_of(const Fit& f) {
  return {{"fixed_seconds", "fixed time", Unit::seconds, f.fixed_s, 0},
          {"bytes_per_s", "bandwidth", Unit::bytes_per_s, f.bytes_per_s, f.nominal_bytes_per_s},
          {"flops_per_s", "compute", Unit::flops_per_s, f.flops_per_s, f.nominal_flops_per_s}};
}

std::string range_words(const char* what, const Spread& s) {
  std::string out = std::string(", ") + what + " " + format(s.low, Unit::count);
  if (s.high > s.low) out += " to " + format(s.high, Unit::count);
  return out;
}

std::string capital(std::string s) {
  if (!s.empty() && s[0] >= 'a' && s[0] <= 'z') s[0] = static_cast<char>(s[0] - 'a' + 'A');
  return s;
}

// "Prefill"; "b6865: prefill" where there are several runs.
std::string name_of_fit(const Fit& f) {
  return f.label.empty() ? capital(name_of(f.phase)) : f.label + ": " + name_of(f.phase);
}

std::string basis_words(const Fit& f) {
  const bool sum = f.overlap == Overlap::none;
  std::string out = name_of_fit(f) + ": seconds = fixed + collectives + " +
                    (sum ? "bytes / bandwidth + FLOPs / compute (they do not overlap)"
                         : "max(bytes / bandwidth, FLOPs / compute)");
  out += ", over " + format(static_cast<double>(f.used), Unit::count) + " of " +
         format(static_cast<double>(f.sizes), Unit::count) + " sizes";
  if (f.phase == MeasuredPhase::prefill) {
    out += range_words("prompt", f.prompt);
  } else {
    out += range_words("batch", f.batch) + range_words("context", f.context);
  }
  return out + "; residual " +
         (f.residual < 0.001 ? "below 0.1 %" : format(f.residual, Unit::fraction));
}

const char* name_of_overlap(Overlap o) { return o == Overlap::full ? "max" : "sum"; }

void optional_json(const char* key, const std::optional<double>& v, JsonWriter& out) {
  out.key(key);
  if (v) {
    out.value(*v);
  } else {
    out.null();
  }
}

void words_json(const char* key, const std::string& text, JsonWriter& out) {
  out.key(key);
  if (text.empty()) {
    out.null();
  } else {
    out.value(text);
  }
}

void number_json(const Number& n, JsonWriter& out) {
  const Fitted& f = n.fitted;
  out.key(n.key).begin_object();
  optional_json("value", f.value, out);
  out.member("low", f.low).member("high", f.high);
  if (n.nominal > 0) {
    out.member("nominal", n.nominal);
    optional_json("fraction_of_nominal",
                  f.value ? std::optional<double>(*f.value / n.nominal) : std::nullopt, out);
  }
  words_json("doubt", name_of(f.doubt), out);
  words_json("why", text_of(f.why), out);
  words_json("next_experiment", text_of(f.next), out);
  out.end();
}

void spread_json(const char* key, const Spread& s, JsonWriter& out) {
  out.key(key).begin_object().member("low", s.low).member("high", s.high).end();
}

// The value of the preferred phase, else of the other.
const Fit* with(std::span<const Fit> fits, MeasuredPhase preferred, Fitted Fit::*number) {
  const Fit* found = nullptr;
  for (const Fit& f : fits) {
    if (!(f.*number).value) continue;
    if (found == nullptr || f.phase == preferred) found = &f;
  }
  return found;
}

std::string reached_label(double value, double nominal, Unit unit) {
  return format(value, unit) + " reached, " + format(value / nominal, Unit::fraction);
}

// The first in words, the others by their number.
void add_off(const Fit& f, Section& s) {
  for (const Apart kind : {Apart::cliff, Apart::slow, Apart::fast}) {
    std::size_t more = 0;
    double low = 0, high = 0;
    bool first = true;
    for (const OffFit& off : f.off) {
      if (off.apart != kind) continue;
      if (std::exchange(first, false)) {
        s.lines.push_back({text_of(off.text) + ".", Severity::warning});
        continue;
      }
      low = more == 0 ? off.ratio : std::min(low, off.ratio);
      high = more++ == 0 ? off.ratio : std::max(high, off.ratio);
    }
    if (more == 0) continue;
    s.lines.back().text += more == 1 ? " Another size does so, at " + format(low, Unit::ratio) + "."
                                     : " " + format(static_cast<double>(more), Unit::count) +
                                           " other sizes do so, at " + format(low, Unit::ratio) +
                                           " to " + format(high, Unit::ratio) + ".";
  }
}

}  // namespace

Section fit_table(std::span<const Fit> fits) {
  Section s = table_section("fits", "What the steps tell together",
                            {{"phase", "phase"},
                             {"number", "per device"},
                             {"value", "value"},
                             {"low", "at least"},
                             {"high", "at most"},
                             {"fraction_of_nominal", "of nominal"}});
  for (const Fit& f : fits) {
    for (const Number& n : numbers_of(f)) {
      const bool share = n.nominal > 0 && n.fitted.value;
      s.rows.push_back(
          {words("phase", "", f.label.empty() ? name_of(f.phase) : name_of_fit(f)),
           words("number", "", n.name),
           n.fitted.value ? number("value", "", *n.fitted.value, n.unit)
                          : nothing("value", "", "not determined"),
           number("low", "", n.fitted.low, n.unit), number("high", "", n.fitted.high, n.unit),
           share ? number("fraction_of_nominal", "", *n.fitted.value / n.nominal, Unit::fraction)
                 : nothing("fraction_of_nominal", "", "-")});
    }
  }
  return s;
}

Section fit_evidence(std::span<const Fit> fits) {
  Section s = prose_section("fit_evidence", "");
  for (const Fit& f : fits) {
    s.lines.push_back({basis_words(f) + "."});
    add_off(f, s);
    // One reason may hold for several numbers.
    std::vector<std::pair<std::string, std::string>> reasons;  // names, and the rest
    for (const Number& n : numbers_of(f)) {
      if (n.fitted.value) continue;
      const std::string rest = text_of(n.fitted.why) + ". " + text_of(n.fitted.next) + ".";
      auto at = std::find_if(reasons.begin(), reasons.end(),
                             [&](const auto& r) { return r.second == rest; });
      if (at == reasons.end()) {
        reasons.emplace_back(n.name, rest);
      } else {
        at->first += std::string(" and ") + n.name;
      }
    }
    for (const auto& [names, rest] : reasons) {
      std::string text = name_of_fit(f);
      text.append(", not determined: ").append(names).append(", since ").append(rest);
      s.lines.push_back({std::move(text)});
    }
    for (const Sentence& note : f.notes) {
      s.lines.push_back({name_of_fit(f) + ": " + text_of(note) + "."});
    }
  }
  return s;
}

void fits_json(std::span<const Fit> fits, JsonWriter& out) {
  out.begin_array();
  for (const Fit& f : fits) {
    out.begin_object();
    words_json("run", f.label, out);
    out.member("phase", name_of(f.phase)).member("overlap", name_of_overlap(f.overlap));
    for (const Number& n : numbers_of(f)) number_json(n, out);
    out.member("points", static_cast<double>(f.points));
    out.member("sizes", static_cast<double>(f.sizes));
    out.member("sizes_used", static_cast<double>(f.used));
    spread_json("batch", f.batch, out);
    spread_json("prompt_tokens", f.prompt, out);
    spread_json("context_tokens", f.context, out);
    out.member("residual", f.residual);
    out.key("apart").begin_array();
    for (const OffFit& off : f.off) {
      out.begin_object().member("observation", static_cast<double>(off.index));
      out.member("kind", name_of(off.apart)).member("ratio", off.ratio);
      out.member("text", text_of(off.text)).end();
    }
    out.end().key("notes").begin_array();
    for (const Sentence& note : f.notes) out.value(text_of(note));
    out.end().end();
  }
  out.end();
}

std::vector<ChartCeiling> reached_ceilings(std::span<const Fit> fits, double highest) {
  // The roofs of several engines would lie on each other.
  for (const Fit& f : fits) {
    if (f.label != fits.front().label) return {};
  }
  const Fit* bytes = with(fits, MeasuredPhase::decode, &Fit::bytes_per_s);
  const Fit* flops = with(fits, MeasuredPhase::prefill, &Fit::flops_per_s);
  if (bytes == nullptr && flops == nullptr) return {};
  ChartCeiling c;
  c.reached = true;
  c.bytes_per_s = (bytes != nullptr ? bytes : flops)->nominal_bytes_per_s;
  c.flops_per_s = highest;
  c.slope_only = flops == nullptr;
  if (bytes != nullptr) {
    c.bytes_per_s = bytes->bytes_per_s.value.value_or(c.bytes_per_s);
    c.slope_label = reached_label(c.bytes_per_s, bytes->nominal_bytes_per_s, Unit::bytes_per_s);
  }
  if (flops != nullptr) {
    c.flops_per_s = flops->flops_per_s.value.value_or(c.flops_per_s);
    c.label = reached_label(c.flops_per_s, flops->nominal_flops_per_s, Unit::flops_per_s);
  }
  return {c};
}

}  // namespace rooflens
