#include "rooflens/catalogue/efficiency_fitted.h"

#include "rooflens/catalogue/built_in.h"
#include "rooflens/catalogue/efficiency_priors.h"
#include "rooflens/core/csv.h"
#include "rooflens/core/quantity.h"

namespace rooflens {
namespace {

// An empty range: nothing was fitted. False when it is malformed.
bool read_fitted_range(const CsvTable& t, const char* name, int shift, std::optional<Range>& out) {
  if (t.at(t.column(std::string(name) + "_mid")).empty()) return true;
  Range r;
  if (!read_range(t, name, shift, r)) return false;
  out = r;
  return true;
}

int read_int(const CsvTable& t, const char* name) {
  return static_cast<int>(parse_number(t.at(t.column(name))).value_or(0));
}

}  // namespace

DeviceClass device_class(const Device& d) {
  return {std::string(memory_family(d)), d.kind == "cpu" ? "cpu" : d.vendor};
}

Result<std::vector<FittedEfficiency>> parse_fitted(std::string_view csv, std::string where) {
  auto t = CsvTable::open(csv, std::move(where));
  if (!t) return Failure(std::move(t.error()));
  std::vector<FittedEfficiency> rows;
  for (;;) {
    const auto more = t->next();
    if (!more) return Failure(more.error());
    if (!*more) return rows;
    const auto text = [&](const char* c) { return std::string(t->at(t->column(c))); };
    FittedEfficiency f;
    f.device = {text("memory"), text("who")};
    f.served = {text("engine"), text("format")};
    f.memory_points = read_int(*t, "memory_points");
    f.compute_points = read_int(*t, "compute_points");
    f.sources = read_int(*t, "sources");
    f.date = text("date");
    if (!read_fitted_range(*t, "memory", 0, f.memory) ||
        !read_fitted_range(*t, "compute", 0, f.compute) ||
        !read_fitted_range(*t, "launch_us", -6, f.launch_s) ||
        !read_fitted_range(*t, "fixed_us", -6, f.fixed_s) || f.device.memory.empty()) {
      return fail(ErrorCode::malformed, "a range is incomplete or not in order", t->where(),
                  "`rooflens validate --fit` writes this table");
    }
    rows.push_back(std::move(f));
  }
}

const std::vector<FittedEfficiency>& built_in_fitted() {
  // A malformed table is empty here: a test reads it.
  static const std::vector<FittedEfficiency> rows =
      parse_fitted(embedded::efficiency_fitted_csv, "efficiency_fitted.csv")
          .value_or(std::vector<FittedEfficiency>{});
  return rows;
}

Efficiency efficiency_for(const Device& d, const ServedClass& served) {
  return with_fitted(prior_for(d), built_in_fitted(), device_class(d), served);
}

}  // namespace rooflens
