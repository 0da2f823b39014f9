// Published measurements held against their roofs, all together: how far the roof and the expected
// range can be trusted. docs/accuracy.md.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooflens/check/calibration.h"
#include "rooflens/check/diagnose.h"
#include "rooflens/core/measured_point.h"

namespace rooflens {

// A point, held against its roof - or the reason why it is not.
struct JudgedPoint {
  const MeasuredPoint* point = nullptr;
  std::string reason, detail;  // reason empty = held
  std::string device, model;   // ids, how they were found
  bool coarse = false;         // the model is from bytes and parameters alone
  Diagnosis diagnosis;
  CalibrationSample sample;
  Efficiency efficiency;  // what the program expects of such a run
};

// The judgement of a point on this analysis, whose scenario is the point's own.
[[nodiscard]] JudgedPoint judge_point(const MeasuredPoint& p, const Analysis& a,
                                      const Efficiency& prior, DeviceClass device,
                                      ServedClass served);

// What a point counts as. Only `usable` ones are fitted and counted in errors and coverage.
enum class PointUse : std::uint8_t {
  usable,
  rejected,     // marked as impossible on purpose
  speculative,  // several tokens a pass
  coarse,       // held, but the model is known by its size alone
  doubtful,     // cached prompts, failed requests, outliers, fewer than 32 tokens, contradictions
  left_out,     // not held; `reason` tells why
};
[[nodiscard]] const char* name_of(PointUse u);
[[nodiscard]] PointUse use_of(const JudgedPoint& j);

// The roof is exceeded, at the maximum clock as well.
[[nodiscard]] bool above_roof(const JudgedPoint& j);

// Why a point cannot be a speed of its phase: it lies above the roof, or its own cold run was
// slower, so that the prompt came from a cache. Empty = nothing says so.
[[nodiscard]] std::string flagged(const JudgedPoint& j);

// A speculative point at or below a roof that counts its tokens a pass, or above one that does not
// by no more than drafts can give.
[[nodiscard]] bool speculation_explains(const JudgedPoint& j);

// Usable points of one kind. Empty strings = all.
struct PointClass {
  DeviceClass device;
  std::string engine, format, phase;
};

struct ClassFigures {
  PointClass of;
  std::size_t points = 0, sources = 0;
  double low = 0, median = 0, high = 0;  // fraction of the roof: 10 %, 50 %, 90 %
  double covered = 0;                    // share within the expected range ...
  double error = 0;                      // ... and median error of its mid
  // The same with efficiencies fitted without the source that is tested.
  double covered_unseen = 0, error_unseen = 0;
  // Of the expected range, highest over lowest rate; the median.
  double width = 1, width_unseen = 1;
};

// A bar of docs/accuracy.md.
struct Bar {
  std::string tag, what;
  double value = 0, bound = 0;
  bool at_least = true;  // else at most
  [[nodiscard]] bool met() const { return at_least ? value >= bound : value <= bound; }
};

struct Validation {
  std::vector<ClassFigures> devices;  // one a class of devices, all phases
  std::vector<ClassFigures> classes;  // device x engine x format x phase
  std::vector<ClassFigures> streams;  // decode of one stream, one a class of devices
  std::vector<std::pair<std::string, std::size_t>> reasons;  // of points not held, most first
  std::size_t points = 0, held = 0, coarse = 0;
  std::size_t usable = 0, rejected = 0, rejected_flagged = 0, speculative = 0,
              speculative_explained = 0, doubtful = 0, above = 0, above_coarse = 0;
  std::vector<Bar> bars;
};

// Refits for every source, leaving it out. O(points x sources of its class of devices).
[[nodiscard]] Validation validate_points(std::span<const JudgedPoint> all);

}  // namespace rooflens
