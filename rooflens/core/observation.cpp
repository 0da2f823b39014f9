#include "rooflens/core/observation.h"

namespace rooflens {

const char* name_of(MeasuredPhase p) {
  switch (p) {
    case MeasuredPhase::unknown:
      return "unknown";
    case MeasuredPhase::prefill:
      return "prefill";
    case MeasuredPhase::decode:
      return "decode";
    case MeasuredPhase::mixed:
      return "mixed";
  }
  return "";
}

const char* name_of(Figure f) {
  switch (f) {
    case Figure::tokens_per_s:
      return "tokens_per_s";
    case Figure::requests_per_s:
      return "requests_per_s";
    case Figure::time_to_first_token_s:
      return "time_to_first_token_s";
    case Figure::time_per_token_s:
      return "time_per_token_s";
    case Figure::request_s:
      return "request_s";
    case Figure::step_s:
      return "step_s";
    case Figure::bytes_per_s:
      return "bytes_per_s";
    case Figure::flops_per_s:
      return "flops_per_s";
    case Figure::bandwidth_share:
      return "bandwidth_share";
    case Figure::peak_share:
      return "peak_share";
  }
  return "";
}

const char* name_of(Counting c) {
  switch (c) {
    case Counting::unknown:
      return "unknown";
    case Counting::aggregate:
      return "aggregate";
    case Counting::per_stream:
      return "per_stream";
    case Counting::per_device:
      return "per_device";
    case Counting::same_wall:
      return "same_wall";
  }
  return "";
}

}  // namespace rooflens
