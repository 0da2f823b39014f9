#include "cli/optional_module.h"

#include <dlfcn.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#include <climits>
#include <vector>

namespace rooflens::cli {
namespace {

// The folder of this executable with a slash at its end; empty when the system does not tell.
std::string own_folder() {
  std::string path(PATH_MAX, '\0');
#ifdef __APPLE__
  auto size = static_cast<std::uint32_t>(path.size());
  if (_NSGetExecutablePath(path.data(), &size) != 0) return {};
  path.resize(path.find('\0'));
#else
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
  if (size <= 0) return {};
  path.resize(static_cast<std::size_t>(size));
#endif
  return path.substr(0, path.rfind('/') + 1);
}

std::vector<std::string> folders(const Io& io) {
  const std::string given = io.env ? io.env("ROOFLENS_MODULES").value_or("") : "";
  if (!given.empty()) return {given + "/"};
  const std::string own = own_folder();
  if (own.empty()) return {};
  return {own, own + "../lib/rooflens/"};
}

}  // namespace

Result<OptionalModule> OptionalModule::open(const std::string& name, const char* package,
                                            const Io& io) {
  const std::string file = "librooflens_" + name + ".so";
  for (const std::string& folder : folders(io)) {
    const std::string path = folder + file;
    if (access(path.c_str(), F_OK) != 0) continue;
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      return OptionalModule(handle, path);
    }
    const char* why = dlerror();
    return fail(ErrorCode::unsupported,
                "the module " + name + " cannot be loaded" + (why ? std::string(": ") + why : ""),
                path, "install what it misses; it was built with " + std::string(package));
  }
  return fail(ErrorCode::not_found, "the module " + name + " (" + file + ") is not there", {},
              "install " + std::string(package) +
                  " and build rooflens again; ROOFLENS_MODULES "
                  "names the folder when it is elsewhere");
}

void* OptionalModule::find(const char* symbol) const { return dlsym(handle_, symbol); }

}  // namespace rooflens::cli
