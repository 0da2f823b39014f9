// Parts of the program that need a heavy library: each a shared library of its own
// (modules/<name>), opened when it is first asked for, so that the plain command neither links them
// nor pays for them.
#pragma once

#include <string>

#include "cli/io.h"

namespace rooflens::cli {

class OptionalModule {
 public:
  // Opens librooflens_<name>.so: from the folder ROOFLENS_MODULES when it is set, else from beside
  // the executable, else from ../lib/rooflens. It stays open for good. Errors: not_found with what
  // to install (`package`, a Debian name), unsupported when it cannot be loaded.
  [[nodiscard]] static Result<OptionalModule> open(const std::string& name, const char* package,
                                                   const Io& io);

  // Address of a symbol, nullptr when the module has none of that name.
  [[nodiscard]] void* find(const char* symbol) const;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  OptionalModule(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  void* handle_;
  std::string path_;
};

}  // namespace rooflens::cli
