#include "rooflens/catalogue/efficiency_priors.h"

#include "rooflens/catalogue/built_in.h"
#include "rooflens/core/csv.h"
#include "rooflens/core/quantity.h"

namespace rooflens {
namespace {

bool starts(std::string_view s, std::string_view with) { return s.substr(0, with.size()) == with; }

}  // namespace

std::string_view memory_family(const Device& d) {
  const std::string_view m = d.memory_type;
  if (d.vendor == "Apple") return "unified";
  if (starts(m, "LPDDR")) return "LPDDR";
  if (starts(m, "DDR") || starts(m, "MRDIMM")) return "DDR";
  if (starts(m, "GDDR5")) return "GDDR5";
  for (std::string_view known :
       {"GDDR6X", "GDDR6", "GDDR7", "HBM2e", "HBM2", "HBM3e", "HBM3", "HBM4"}) {
    if (m == known) return known;
  }
  return "unknown";
}

bool read_range(const CsvTable& t, const char* name, int shift, Range& out) {
  const std::string n(name);
  const auto low = parse_number(t.at(t.column(n + "_low")), shift);
  const auto mid = parse_number(t.at(t.column(n + "_mid")), shift);
  const auto high = parse_number(t.at(t.column(n + "_high")), shift);
  if (!low || !mid || !high || *low < 0 || *low > *mid || *mid > *high) return false;
  out = {*low, *mid, *high};
  return true;
}

Result<Efficiency> prior_from(std::string_view efficiency_csv, const Device& d) {
  auto opened = CsvTable::open(efficiency_csv, "efficiency.csv");
  if (!opened) return Failure(opened.error());
  CsvTable& t = *opened;
  const std::size_t memory = t.column("memory"), who = t.column("who"), corner = t.column("corner");
  const std::string_view wanted = memory_family(d);
  Efficiency best;
  int best_score = -1;
  for (;;) {
    const auto more = t.next();
    if (!more) return Failure(more.error());
    if (!*more) break;
    const bool same = t.at(memory) == wanted;
    if (!same && t.at(memory) != "unknown") continue;
    int score = same ? 10 : 0;
    if (const auto w = t.at(who); !w.empty()) {
      if (w == d.kind) {  // a CPU's reach is that of a CPU, whoever made it
        score += 2;
      } else if (w == d.vendor) {
        score += 1;
      } else {
        continue;
      }
    }
    if (score <= best_score) continue;
    Efficiency e;
    const auto softness = parse_number(t.at(corner));
    if (!read_range(t, "memory", 0, e.memory) || !read_range(t, "compute", 0, e.compute) ||
        !read_range(t, "communication", 0, e.communication) ||
        !read_range(t, "launch_us", -6, e.launch_s) || !read_range(t, "fixed_us", -6, e.fixed_s) ||
        !softness || *softness < 0 || *softness > 1) {
      return fail(ErrorCode::malformed, "a range is missing or not in order", t.where());
    }
    e.corner = *softness;
    e.origin = "prior (" + (wanted == "unknown" ? "unknown memory" : std::string(wanted));
    if (!t.at(who).empty() && wanted != "unified") e.origin += ", " + std::string(t.at(who));
    e.origin += ")";
    best = std::move(e);
    best_score = score;
  }
  if (best_score < 0) {
    return fail(ErrorCode::malformed, "no row for unknown memory", "efficiency.csv");
  }
  return best;
}

Efficiency prior_for(const Device& d) {
  return prior_from(embedded::efficiency_csv, d).value_or(Efficiency{});
}

}  // namespace rooflens
