#include "rooflens/readers/prometheus_text.h"

#include <cmath>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/server_facts.h"

namespace rooflens {
namespace {

constexpr std::size_t kMostSeries = 20000, kMostScrapes = 64;
constexpr double kEpoch = 1e9;  // a line that is one number above it is a time

bool of_a_server(std::string_view name) {
  for (const std::string_view prefix : {"vllm:", "sglang:", "llamacpp:"}) {
    if (name.substr(0, prefix.size()) == prefix) return true;
  }
  return false;
}

bool name_ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// The value of a label; values that hold an escaped quote end there.
std::string_view metric_label(std::string_view labels, std::string_view name) {
  std::size_t at = labels.find(name);
  while (at != std::string_view::npos) {
    const bool whole = at == 0 || labels[at - 1] == ',' || labels[at - 1] == '{';
    const std::string_view rest = labels.substr(at + name.size());
    if (whole && rest.substr(0, 2) == "=\"") return rest.substr(2, rest.find('"', 2) - 2);
    at = labels.find(name, at + 1);
  }
  return {};
}

// Past the closing brace of labels; quotes may hold braces.
std::size_t metric_labels_end(std::string_view line, std::size_t open) {
  bool quoted = false;
  for (std::size_t i = open; i < line.size(); ++i) {
    if (quoted && line[i] == '\\') {
      ++i;
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == '}' && !quoted) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

struct MetricSample {
  std::string_view series, name, labels;
  double value = 0, at = 0;
};

bool read_sample(std::string_view line, MetricSample& s) {
  std::size_t end = line.find_first_of("{ \t");
  if (end == std::string_view::npos) return false;
  s.name = line.substr(0, end);
  if (!of_a_server(s.name)) return false;
  if (line[end] == '{') {
    const std::size_t open = end;
    end = metric_labels_end(line, open);
    if (end == std::string_view::npos) return false;
    s.labels = line.substr(open, end - open);
  }
  s.series = line.substr(0, end);
  std::string_view rest = trim(line.substr(end));
  s.value = number_in(rest);
  const std::size_t space = rest.find(' ');
  if (space != std::string_view::npos) {
    const double stamp = number_in(rest.substr(space + 1));
    if (stamp > kEpoch * 100) s.at = stamp * 1e-3;  // milliseconds
  }
  return std::isfinite(s.value);
}

void keep_sample(const MetricSample& s, std::string_view line, int at, Metrics& m) {
  m.series.insert(s.series);
  if (s.at > 0) m.at = s.at;
  const std::string_view model = metric_label(s.labels, "model_name");
  if (!model.empty()) m.model = model;
  if (name_ends_with(s.name, "cache_config_info")) m.cache = metric_label(s.labels, "cache_dtype");
  std::string name(s.name.substr(s.name.find(':') + 1));
  const std::string_view source = metric_label(s.labels, "source");
  if (!source.empty()) {
    name += '/';
    name += source;
  }
  MetricSum& sum = m.sums[name];
  sum.value += s.value;
  sum.line = at;
  sum.text = line;
}

}  // namespace

std::vector<Metrics> scrapes_of(std::string_view text) {
  std::vector<Metrics> all;
  double clock = 0;
  for_each_line(text, [&](std::string_view line, int at) {
    line = trim(line);
    if (line.empty() || line.front() == '#' || line.size() > 20000) return;
    if (is_digit(line.front())) {
      const double time = number_in(line);
      if (time > kEpoch && line.find(' ') == std::string_view::npos) clock = time;
      return;
    }
    MetricSample s;
    if (!read_sample(line, s) || name_ends_with(s.name, "_bucket") ||
        name_ends_with(s.name, "_created")) {
      return;
    }
    const bool again = !all.empty() && all.back().series.count(s.series) > 0;
    if (again && all.size() >= kMostScrapes) return;
    if (all.empty() || again) {
      all.emplace_back();
      all.back().at = clock;
    }
    if (all.back().series.size() < kMostSeries) keep_sample(s, line, at, all.back());
  });
  return all;
}

}  // namespace rooflens
