// Typed access to the keys of a config.json: aliases, defaults of the family, limits, and where
// each value came from. The first error sticks; later reads return harmless values, so that a
// reader is written as a plain list of facts and asks `failed()` once.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rooflens/core/model.h"
#include "rooflens/core/result.h"
#include "rooflens/readers/hf_families.h"
#include "rooflens/readers/json_value.h"

namespace rooflens {

inline constexpr double kMaxDimension = 1 << 24;
inline constexpr double kMaxLayers = 1000;
inline constexpr double kMaxExperts = 65536;
inline constexpr double kMaxContext = 1e12;

class Fields {
 public:
  using Keys = std::initializer_list<std::string_view>;

  // `text` holds the language model's keys, `top` the whole file (the same object when the keys are
  // at the top). `extra_defaults` is looked at before the family's own. Both JSON trees and the
  // model outlive this object; facts and warnings go to the model.
  Fields(const Json& text, const Json& top, const Family& family, std::string_view extra_defaults,
         std::string_view where, Model& model);

  // Keys the user has set: they go before the other names of the same thing.
  void prefer(std::vector<std::string> keys) { preferred_ = std::move(keys); }

  // Where several keys name one thing, the file may give more than one of them, but not with
  // different values: that is an error which names both.

  // A whole number from 1 to `most`, or a list of equal ones. Missing, of another type or outside:
  // an error that names the key, the value and what is allowed.
  double size(const char* what, Keys keys, double most = kMaxDimension);

  // The same, with a value for a missing key; `why` is its origin ("derived: hidden / heads").
  double size_or(const char* what, Keys keys, double fallback, const char* why,
                 double most = kMaxDimension);

  // A whole number from 0 to `most`, 0 when missing.
  double count(const char* what, Keys keys, double most = kMaxDimension);

  // Any finite number.
  double real_or(const char* what, Keys keys, double fallback);

  bool flag_or(const char* what, Keys keys, bool fallback);

  // The same; a missing key is told in the facts.
  bool flag_told(const char* what, Keys keys, bool fallback);

  // A string, empty when missing.
  std::string text(const char* what, Keys keys);

  // True when the family's row says that it reads this key itself.
  [[nodiscard]] bool reads(std::string_view key) const;

  // A list with exactly `length` entries, or nullptr when missing.
  const Json* list(std::string_view key, double length);

  // Yes or no for each of `length` layers: 0, 1, false or true. Empty when the key is missing (or
  // an empty list); any other entry is an error that names its index.
  std::vector<bool> layer_flags(std::string_view key, std::size_t length);

  // A list of layers, each a whole number from `least` to `most`, of which there can be any number.
  // `inside` is the object that holds the key (the text model when null), `path` its name.
  std::vector<std::size_t> layer_numbers(std::string_view key, double least, double most,
                                         const Json* inside = nullptr, std::string_view path = "");

  // The raw value of the first key present and not null in the text model or in the defaults.
  struct Found {
    const Json* value = nullptr;
    std::string_view key;
    bool from_file = false;
  };
  [[nodiscard]] Found find(Keys keys) const;

  // The key in the text model first, then at the top of the file.
  [[nodiscard]] const Json* find_shared(std::string_view key) const;

  void derived(const char* what, const std::string& value, const std::string& why);
  void fact(const char* what, std::string_view key, const Json& value, bool from_file);
  void warn(std::string message);

  void error(ErrorCode code, std::string message, std::string_view key, std::string hint);
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] const Error& first_error() const { return error_; }

  [[nodiscard]] const Json& text_keys() const { return text_; }
  [[nodiscard]] const Json& top_keys() const { return top_; }
  [[nodiscard]] const Family& family() const { return family_; }
  [[nodiscard]] const std::string& where() const { return where_; }

 private:
  void add_renames(std::string_view defaults);
  void add_defaults(std::string_view defaults);
  double whole(const char* what, const Found& found, double least, double most);
  // find(), and an error when the file gives two of the names different values.
  Found find_agreed(const char* what, Keys keys);
  [[nodiscard]] std::string origin(bool from_file) const;

  const Json& text_;
  const Json& top_;
  const Family& family_;
  struct Entry {
    std::string_view key, written;  // written: the file's own name for it
    Json value;
    bool from_file = false;
  };
  std::vector<Entry> defaults_;  // renamed keys of the file first, then defaults
  [[nodiscard]] bool preferred(std::string_view key) const;
  std::vector<std::string> preferred_;
  std::string where_;
  Model& model_;
  bool failed_ = false;
  Error error_;  // the first
};

}  // namespace rooflens
