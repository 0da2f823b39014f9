#include "rooflens/render/report.h"

#include <cmath>
#include <utility>

namespace rooflens {

const char* name_of(Severity s) {
  switch (s) {
    case Severity::none:
      return "none";
    case Severity::good:
      return "good";
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::bad:
      return "bad";
  }
  return "none";
}

Cell number(std::string tag, std::string label, double value, Unit unit, std::string note) {
  Cell c;
  c.tag = std::move(tag);
  c.label = std::move(label);
  c.value = value;
  c.unit = unit;
  c.note = std::move(note);
  return c;
}

Cell words(std::string tag, std::string label, std::string value, std::string note) {
  Cell c;
  c.tag = std::move(tag);
  c.label = std::move(label);
  c.value = std::move(value);
  c.note = std::move(note);
  return c;
}

Cell nothing(std::string tag, std::string label, std::string absent) {
  Cell c;
  c.tag = std::move(tag);
  c.label = std::move(label);
  c.absent = std::move(absent);
  return c;
}

std::string text_of(const Cell& c) {
  if (const auto* text = std::get_if<std::string>(&c.value)) return *text;
  const auto* v = std::get_if<double>(&c.value);
  if (!v || !std::isfinite(*v)) return c.absent;
  return format(*v, c.unit);
}

}  // namespace rooflens
