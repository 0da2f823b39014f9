// Where a machine comes from: a name, figures, a device file, or the machine this runs on.
#pragma once

#include <string>

#include "cli/io.h"
#include "rooflens/catalogue/catalogue.h"

namespace rooflens::cli {

// What --on names: "this", a file of key=value words, or what find_machine accepts.
[[nodiscard]] Result<Machine> load_machine(const std::string& text, const Catalogue& c,
                                           const Io& io);

// What nvidia-smi, rocm-smi, sysctl or lscpu say about the machine this runs on, first that is
// found in the catalogue. `said` gets what they called it, found or not.
[[nodiscard]] Result<Machine> machine_here(const Catalogue& c, const Io& io,
                                           std::string* said = nullptr);

}  // namespace rooflens::cli
