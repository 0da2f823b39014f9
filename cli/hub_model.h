// A model by its name: the local cache of hubs, the built-in rows, a hub.
#pragma once

#include <string>

#include "cli/hub_id.h"
#include "cli/io.h"
#include "cli/model_source.h"
#include "rooflens/core/model.h"

namespace rooflens::cli {

// The model of that name, from the first that has it:
//   1. the local cache: the very files this machine serves;
//   2. the built-in rows, unless a revision is named;
//   3. a hub, when access.online says that the network may be used; what is fetched is cached.
// Where it came from is a fact "read from" and, but for built-in rows, a note. A cache that has the
// model but not in order is told about whichever of the others answers.
[[nodiscard]] Result<Model> load_hub_model(const HubId& as_given, const ModelAccess& access,
                                           const Io& io);

}  // namespace rooflens::cli
