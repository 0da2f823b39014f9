#include "rooflens/views/check_many.h"

#include <algorithm>
#include <array>

#include "rooflens/render/format.h"
#include "rooflens/views/check_report.h"
#include "rooflens/views/sections.h"

namespace rooflens {
namespace {

constexpr std::size_t kAboveTold = 4;
constexpr std::size_t kFew = 2;  // of a phase, which are told each
constexpr std::array kPhases = {MeasuredPhase::prefill, MeasuredPhase::decode, MeasuredPhase::mixed,
                                MeasuredPhase::unknown};

bool above(const Diagnosis& d) { return d.verdict == Bound::above_roof; }

std::string counted(std::size_t n) { return format(static_cast<double>(n), Unit::count); }

// "5 good, 1 partial"
std::string standings(const std::vector<const Diagnosis*>& of) {
  std::string out;
  for (const Standing s : {Standing::good, Standing::partial, Standing::far, Standing::above_clock,
                           Standing::above_roof, Standing::unreachable}) {
    const auto n =
        std::count_if(of.begin(), of.end(), [&](const Diagnosis* d) { return d->standing == s; });
    if (n == 0) continue;
    out += (out.empty() ? "" : ", ") + counted(static_cast<std::size_t>(n)) + " " + name_of(s);
  }
  return out;
}

}  // namespace

Section verdicts_of_many(const std::vector<Diagnosis>& all) {
  Section s = prose_section("verdicts", "");
  for (const MeasuredPhase phase : kPhases) {
    std::vector<const Diagnosis*> of;
    for (const Diagnosis& d : all) {
      if (d.phase == phase) of.push_back(&d);
    }
    if (of.empty()) continue;
    std::sort(of.begin(), of.end(), [](const Diagnosis* a, const Diagnosis* b) {
      return a->fraction_of_roof < b->fraction_of_roof;
    });
    if (of.size() <= kFew) {
      for (const Diagnosis* d : of) {
        if (!above(*d)) s.lines.push_back({text_of(d->sentence) + ".", severity_of(d->standing)});
      }
      continue;
    }
    const auto share = [&](std::size_t i) {
      return format(of[i]->fraction_of_roof, Unit::fraction);
    };
    s.lines.push_back({counted(of.size()) + " figures of " + name_of(phase) + " reach " + share(0) +
                           " to " + share(of.size() - 1) + " of their roofs, " +
                           share(of.size() / 2) + " in the middle: " + standings(of) + ".",
                       Severity::none});
  }
  std::size_t less = 0, more = 0, placed = 0;
  for (const Diagnosis& d : all) {
    if (above(d) || d.expectation.empty()) continue;
    ++placed;
    less += d.tokens_per_s < d.expected_tokens_per_s.low ? 1 : 0;
    more += d.tokens_per_s > d.expected_tokens_per_s.high ? 1 : 0;
  }
  if (placed > kFew) {
    s.lines.push_back({counted(placed - less - more) + " of " + counted(placed) +
                           " are as expected here, " + counted(less) + " less, " + counted(more) +
                           " more.",
                       Severity::none});
  }
  std::size_t told = 0;
  for (const Diagnosis& d : all) {
    if (above(d) && told++ < kAboveTold) {
      s.lines.push_back({text_of(d.sentence) + ".", Severity::bad});
    }
  }
  return s;
}

Section causes_of_many(const std::vector<Diagnosis>& all) {
  struct Told {
    MeasuredPhase phase;
    const Cause* cause;
    std::size_t others;
  };
  std::vector<Told> told;
  for (const Diagnosis& d : all) {
    if (d.causes.empty() || !d.causes.front().explains) continue;
    const Cause& c = d.causes.front();
    const auto at = std::find_if(told.begin(), told.end(), [&](const Told& t) {
      return t.phase == d.phase && t.cause->tag == c.tag;
    });
    if (at == told.end()) {
      told.push_back({d.phase, &c, 0});
    } else {
      ++at->others;
    }
  }
  Section s = prose_section("causes", "Likely causes");
  for (const Told& t : told) {
    std::string text = std::string(name_of(t.phase)) + ": " + text_of(t.cause->text) + ".";
    if (t.others == 1) text += " So with another figure.";
    if (t.others > 1) text += " So with " + counted(t.others) + " other figures.";
    s.lines.push_back({std::move(text), Severity::note});
  }
  return s;
}

}  // namespace rooflens
