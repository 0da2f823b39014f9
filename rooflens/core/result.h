// Errors that cross layers. Nothing in the pure layers throws: a function that can fail returns
// Result<T>, and the caller decides how to say it.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace rooflens {

enum class ErrorCode {
  not_found,     // no such file, device, model, option
  ambiguous,     // a name that stands for several things
  malformed,     // the bytes are not what they claim to be (syntax, truncation, type)
  invalid,       // well-formed, but a value that cannot be (zero heads, negative size)
  unsupported,   // understood, and known not to be modelled
  out_of_range,  // a value past what the arithmetic can hold
};

// A failure told in three parts: what went wrong, where (file, key, offset, option), and what the
// reader can do about it. `where` and `hint` may be empty.
struct Error {
  ErrorCode code = ErrorCode::invalid;
  std::string message;
  std::string where;
  std::string hint;
  std::vector<std::string> choices;  // ambiguous: ids that the name can mean
};

template <class T>
using Result = tl::expected<T, Error>;

using Failure = tl::unexpected<Error>;

[[nodiscard]] inline Failure fail(ErrorCode code, std::string message, std::string where = {},
                                  std::string hint = {}) {
  return Failure(Error{code, std::move(message), std::move(where), std::move(hint)});
}

}  // namespace rooflens
