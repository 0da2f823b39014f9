// Values of options, read one after another; the first error sticks, so that a list of options is
// read as a plain list of facts and `result()` is asked once.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "rooflens/core/result.h"

namespace rooflens::cli {

class Values {
 public:
  // The value of an option, or `otherwise` when it was not given. The parse_... functions of
  // core/quantity.h say what can be written.
  double count(const Maybe& g, double otherwise);
  double bytes(const Maybe& g, double otherwise);
  double link_rate(const Maybe& g, double otherwise);
  double seconds(const Maybe& g, double otherwise);
  double fraction(const Maybe& g, double otherwise);
  double number(const Maybe& g, double otherwise, double least, double most);

  // A list or range of counts.
  std::vector<double> list(const Maybe& g, double otherwise);

  // Devices or ranks: counts up to 65536.
  int ranks(const Maybe& g, int otherwise);
  std::vector<int> ranks_list(const Maybe& g, int otherwise);

  // One of the words, by its place in the list.
  template <class E, std::size_t N>
  E choice(const Maybe& g, E otherwise, const std::pair<std::string_view, E> (&words)[N]) {
    if (!g) return otherwise;
    std::vector<std::string_view> names;
    for (const auto& [name, value] : words) {
      if (name == g->text) return value;
      names.push_back(name);
    }
    refuse_word(*g, names);
    return otherwise;
  }

  // Keeps the first error.
  void refuse(Error e);
  // The first error, if there was one.
  [[nodiscard]] Result<void> result() const {
    return error_ ? Result<void>(Failure(*error_)) : Result<void>();
  }

 private:
  double read(const Maybe& g, double otherwise, Result<double> (*parse)(std::string_view));
  int rank(double value, const Given& g);
  void refuse_word(const Given& g, const std::vector<std::string_view>& names);

  std::optional<Error> error_;
};

}  // namespace rooflens::cli
