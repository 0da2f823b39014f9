#include "cli/scenario_options.h"
#include "rooflens/catalogue/names.h"
#include "rooflens/core/quantity.h"

namespace rooflens::cli {
namespace {

using Parse = Result<double> (*)(std::string_view);

struct Part {
  std::string_view name;
  Range Efficiency::*range;
  Parse parse;
};

Result<double> share(std::string_view text) {
  auto r = parse_fraction(text);
  if (r && *r <= 0) return fail(ErrorCode::invalid, rooflens::quoted(text) + " leaves nothing");
  return r;
}

constexpr Part kParts[] = {{"memory", &Efficiency::memory, share},
                           {"compute", &Efficiency::compute, share},
                           {"communication", &Efficiency::communication, share},
                           {"launch", &Efficiency::launch_s, parse_seconds},
                           {"fixed", &Efficiency::fixed_s, parse_seconds}};

// "0.8", "0.7..0.9" (the middle between them) or "0.7..0.8..0.9".
Result<Range> parse_range(std::string_view text, Parse parse) {
  double values[3];
  std::size_t n = 0;
  std::string_view rest = text;
  while (true) {
    const std::size_t dots = rest.find("..");
    if (n == 3)
      return fail(ErrorCode::malformed, rooflens::quoted(text) + " has more than three values");
    auto v = parse(rest.substr(0, dots));
    if (!v) return Failure(std::move(v.error()));
    values[n++] = *v;
    if (dots == std::string_view::npos) break;
    rest.remove_prefix(dots + 2);
  }
  const Range r{values[0], n == 3 ? values[1] : (values[0] + values[n - 1]) / 2, values[n - 1]};
  if (r.low <= r.mid && r.mid <= r.high) return r;
  return fail(ErrorCode::invalid, rooflens::quoted(text) + " falls", {},
              "write the smallest value first");
}

}  // namespace

Result<Efficiency> parse_efficiency(std::string_view text, Efficiency prior) {
  Efficiency e = std::move(prior);
  const auto refuse = [](Error error) {
    error.where = error.where.empty() ? "--efficiency" : "--efficiency (" + error.where + ")";
    if (error.hint.empty()) error.hint = "as in 0.8, or memory=0.8..0.9,compute=0.7,fixed=100us";
    return Failure(std::move(error));
  };
  if (text.find('=') == std::string_view::npos) {
    auto r = parse_range(text, share);
    if (!r) return refuse(std::move(r.error()));
    e.memory = e.compute = *r;
    e.origin = "given";
    return e;
  }
  std::size_t given = 0;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view word = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const Part* part = nullptr;
    std::vector<std::string_view> names;
    for (const Part& p : kParts) {
      names.push_back(p.name);
      if (p.name == name) part = &p;
    }
    if (part == nullptr || equals == std::string_view::npos) {
      const std::string_view near = nearest(name, names);
      return refuse({ErrorCode::not_found,
                     rooflens::quoted(word) + " is not name=value",
                     {},
                     near.empty() ? "names: memory, compute, communication, launch, fixed"
                                  : "did you mean " + std::string(near) + "=?"});
    }
    auto r = parse_range(word.substr(equals + 1), part->parse);
    if (!r) return refuse(std::move(r.error()));
    e.*(part->range) = *r;
    ++given;
  }
  e.origin = given == std::size(kParts) ? "given" : "given, the rest " + e.origin;
  return e;
}

}  // namespace rooflens::cli
