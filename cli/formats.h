// --weights, --kv, --dtype and their like: which number format everything is in.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/values.h"
#include "rooflens/core/scenario.h"

namespace rooflens::cli {

// Puts the formats of the options on a model and its deployment: activations as the file's 16-bit
// type, the cache as the file asks, GEMM inputs as the weights and the device allow. `device` may
// be null (facts of the model alone). What differs from the file is told in `notes`.
void set_formats(const Options& o, const Device* device, Model& m, Deployment& d, Values& values,
                 std::vector<std::string>& notes);

}  // namespace rooflens::cli
