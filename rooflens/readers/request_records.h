// Requests written one by one: AIPerf's profile_export.jsonl, whose lines together are one run, and
// the time stamps of genai-perf's profile_export.json.
#pragma once

#include <string_view>
#include <vector>

#include "rooflens/readers/server_json.h"

namespace rooflens {

// What single requests tell, in seconds and tokens; values that are not told are left out.
struct RequestTimes {
  std::vector<double> first, step, whole;
  double prompt = 0, output = 0;  // tokens of all
  double completed = 0, failed = 0;
  double start = 0, end = 0;  // of the run; 0 = not told

  void span(double from, double to);
  // Means, medians, and the wall clock between the first start and the last end.
  [[nodiscard]] ServingFacts facts(Source about) const;
};

class RequestRecords {
 public:
  static constexpr std::string_view kMark = "\"request_start_ns\"";

  // Takes an object that is a record; false when it is none.
  bool take(const JsonPart& part);
  // Adds the run of all records; false when there was none.
  bool finish(ResultFile& file);

 private:
  RequestTimes times_;
  Source about_;
};

}  // namespace rooflens
