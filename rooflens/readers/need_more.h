// How a reader asks for more of a file: it is called with the first bytes of it and its whole size,
// and answers with its result, an error, or how many bytes of the beginning it needs. A file on
// disk, a slice in a browser and a socket feed the same code.
#pragma once

#include <cstdint>
#include <variant>

#include "rooflens/core/result.h"

namespace rooflens {

struct NeedMore {
  std::uint64_t bytes = 0;  // of the file's beginning, more than were given, at most its size
};

template <class T>
using Partial = Result<std::variant<T, NeedMore>>;

}  // namespace rooflens
