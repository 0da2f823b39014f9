// What the start-up lines of a log say of the runs that its later lines tell.
#pragma once

#include "rooflens/core/measured_run.h"
#include "rooflens/readers/startup_log.h"

namespace rooflens {

// Fills in what the runs do not tell themselves: engine, model, its bytes and parameters, device,
// ranks, cache formats, layers on the device; and, of a share of the cache in use, the context of
// one sequence (share x tokens in the cache / sequences).
void tell_startup(const StartupLog& log, ResultFile& file);

}  // namespace rooflens
