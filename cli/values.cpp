#include "cli/values.h"

#include "rooflens/catalogue/names.h"
#include "rooflens/core/quantity.h"
#include "rooflens/render/format.h"

namespace rooflens::cli {
namespace {

constexpr double kMostRanks = 65536;

Error at_option(Error e, const Given& g) {
  e.where = e.where.empty() ? g.option : g.option + " (" + e.where + ")";
  return e;
}

}  // namespace

void Values::refuse(Error e) {
  if (!error_) error_ = std::move(e);
}

double Values::read(const Maybe& g, double otherwise, Result<double> (*parse)(std::string_view)) {
  if (!g) return otherwise;
  auto r = parse(g->text);
  if (r) return *r;
  refuse(at_option(std::move(r.error()), *g));
  return otherwise;
}

double Values::count(const Maybe& g, double otherwise) { return read(g, otherwise, parse_count); }
double Values::bytes(const Maybe& g, double otherwise) { return read(g, otherwise, parse_bytes); }
double Values::seconds(const Maybe& g, double otherwise) {
  return read(g, otherwise, parse_seconds);
}
double Values::fraction(const Maybe& g, double otherwise) {
  return read(g, otherwise, parse_fraction);
}
double Values::link_rate(const Maybe& g, double otherwise) {
  return read(g, otherwise, parse_link_rate);
}

double Values::number(const Maybe& g, double otherwise, double least, double most) {
  if (!g) return otherwise;
  const auto value = parse_number(g->text);
  if (value && *value >= least && *value <= most) return *value;
  refuse({ErrorCode::invalid, rooflens::quoted(g->text) + " is not a number that can be used here",
          g->option,
          "give a number from " + significant(least, 3) + " to " + significant(most, 3)});
  return otherwise;
}

std::vector<double> Values::list(const Maybe& g, double otherwise) {
  if (!g) return {otherwise};
  auto r = parse_list(g->text);
  if (r) return std::move(*r);
  refuse(at_option(std::move(r.error()), *g));
  return {otherwise};
}

int Values::rank(double value, const Given& g) {
  if (value >= 1 && value <= kMostRanks) return static_cast<int>(value);
  refuse({value < 1 ? ErrorCode::invalid : ErrorCode::out_of_range,
          "the number of ranks cannot be " + grouped(std::min(value, 1e14)), g.option,
          "give a value from 1 to 65,536"});
  return 1;
}

int Values::ranks(const Maybe& g, int otherwise) {
  return g ? rank(count(g, otherwise), *g) : otherwise;
}

std::vector<int> Values::ranks_list(const Maybe& g, int otherwise) {
  if (!g) return {otherwise};
  std::vector<int> all;
  for (double v : list(g, otherwise)) all.push_back(rank(v, *g));
  return all;
}

void Values::refuse_word(const Given& g, const std::vector<std::string_view>& names) {
  std::string hint;
  for (std::size_t i = 0; i < names.size(); ++i) {
    hint += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + std::string(names[i]);
  }
  refuse({ErrorCode::invalid, rooflens::quoted(g.text) + " is not known here", g.option, hint});
}

}  // namespace rooflens::cli
