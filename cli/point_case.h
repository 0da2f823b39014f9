// A published measurement -> the scenario it is held against.
#pragma once

#include <string>

#include "rooflens/catalogue/catalogue.h"
#include "rooflens/core/fitted_efficiency.h"
#include "rooflens/core/measured_point.h"
#include "rooflens/core/scenario.h"

namespace rooflens::cli {

struct PointCase {
  Scenario scenario;
  DeviceClass device;
  ServedClass served;
  bool coarse = false;  // the model is from bytes and parameters alone
  std::string model;    // how it was found
};

// Errors are reasons why a point cannot be held against a roof: `message` is the same for all
// points of one kind, `where` is what this one says.
[[nodiscard]] Result<PointCase> case_of_point(const MeasuredPoint& p, const Catalogue& catalogue);

}  // namespace rooflens::cli
