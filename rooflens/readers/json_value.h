// A JSON document as a plain tree: what readers look at once json_text.h has parsed and bounded it.
// Nothing here knows the JSON library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rooflens {

struct Json {
  enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

  Kind kind = Kind::null;
  bool boolean = false;
  double number = 0;
  std::string string;
  std::vector<Json> items;        // of an array, or the values of an object
  std::vector<std::string> keys;  // of an object, one for each item

  [[nodiscard]] bool is(Kind k) const { return kind == k; }

  // The member of an object, the last one when a key is repeated; nullptr when there is none, or
  // when this is not an object. O(members).
  [[nodiscard]] const Json* find(std::string_view key) const;

  // As find, but a null member counts as absent: `"head_dim": null` means "use the default".
  [[nodiscard]] const Json* get(std::string_view key) const;
};

// The value as it would be written, cut to about 60 characters (for messages and facts).
[[nodiscard]] std::string brief(const Json& value);

// A whole number without exponent or decimals, anything else as %.15g.
[[nodiscard]] std::string number_text(double value);

[[nodiscard]] const char* name_of(Json::Kind kind);

}  // namespace rooflens
