// rooflens check: measured or claimed speeds against the roofline.
#include "cli/exit_code.h"
#include "cli/scenario_options.h"
#include "cli/verbs.h"

namespace rooflens::cli {

int check_verb(const Options&, Context& c) {
  return complain(c.io, {ErrorCode::unsupported, "check is not built in yet", {}, {}});
}

}  // namespace rooflens::cli
