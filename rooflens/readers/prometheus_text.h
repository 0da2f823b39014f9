// The text form of Prometheus metrics: counters of servers, summed over their labels.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rooflens {

struct MetricSum {
  double value = 0;
  int line = 0;           // of the last series of the sum
  std::string_view text;  // of it
};

// One scrape. Names are without the server's prefix ("vllm:"); those that a label `source` parts
// have it behind a slash. The views are into the text.
struct Metrics {
  std::map<std::string, MetricSum, std::less<>> sums;
  std::set<std::string_view> series;
  std::string_view model, cache;
  double at = 0;

  [[nodiscard]] double operator[](std::string_view name) const {
    const auto found = sums.find(name);
    return found == sums.end() ? 0 : found->second.value;
  }
  [[nodiscard]] bool has(std::string_view name) const { return sums.count(name) > 0; }
};

// The scrapes of a text, one after the other: a series that comes again begins the next. A line
// that is one number is the time of what follows, in seconds since 1970; so are time stamps of
// samples. Only series of vLLM, SGLang and llama-server are kept, buckets left out. O(size x log).
[[nodiscard]] std::vector<Metrics> scrapes_of(std::string_view text);

}  // namespace rooflens
