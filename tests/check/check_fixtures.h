// Scenarios for the check tests: geometry and hardware of the shared vectors, formats put on.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "rooflens/check/claim.h"
#include "rooflens/check/diagnose.h"
#include "vectors/vector_file.h"

namespace rooflens::check_tests {

inline const vectors::File& vector_file() {
  static const vectors::File file = [] {
    std::ifstream in(ROOFLENS_SOURCE_DIR "/tests/vectors.json");
    vectors::Loaded loaded = vectors::load(std::string(std::istreambuf_iterator<char>(in), {}));
    EXPECT_EQ(loaded.error, "");
    return std::move(loaded.file);
  }();
  return file;
}

inline Scenario scenario(const std::string& model, const std::string& hw,
                         const vectors::Json& deploy) {
  vectors::Setup s = vectors::setup(vector_file(), model, hw, deploy);
  Scenario out;
  out.model = std::move(s.model);
  out.system = std::move(s.system);
  out.system.count = s.deploy.tensor * s.deploy.data * s.deploy.pipeline;
  out.deployment = s.deploy;
  return out;
}

// A device of which only bandwidth, one peak and memory matter.
inline System device(double bytes_per_s, double peak, double capacity, int count = 1) {
  System s;
  s.count = count;
  s.device.name = "test device";
  s.device.bytes_per_s = bytes_per_s;
  s.device.capacity_bytes = capacity;
  for (Compute c : {Compute::bf16, Compute::fp16}) {
    s.device.peak[static_cast<std::size_t>(c)] = peak;
  }
  s.device.peak[static_cast<std::size_t>(Compute::fp32)] = peak / 2;
  return s;
}

inline std::vector<Diagnosis> check(const std::string& claim, const Scenario& s) {
  const auto valid = validate(s);
  EXPECT_TRUE(valid) << claim << ": " << (valid ? "" : valid.error().message);
  const auto observed = parse_claim(claim);
  EXPECT_TRUE(observed) << claim << ": " << (observed ? "" : observed.error().message);
  return observed ? diagnose_all(observed->figures, analyze(s, Efficiency{}))
                  : std::vector<Diagnosis>{};
}

inline Diagnosis check_one(const std::string& claim, const Scenario& s) {
  auto all = check(claim, s);
  EXPECT_EQ(all.size(), 1U) << claim;
  return all.empty() ? Diagnosis{} : std::move(all.front());
}

inline const Reading* reading(const Diagnosis& d, const std::string& tag) {
  for (const Reading& r : d.readings) {
    if (r.tag == tag) return &r;
  }
  return nullptr;
}

inline const Cause* cause(const Diagnosis& d, const std::string& tag) {
  for (const Cause& c : d.causes) {
    if (c.tag == tag) return &c;
  }
  return nullptr;
}

}  // namespace rooflens::check_tests
