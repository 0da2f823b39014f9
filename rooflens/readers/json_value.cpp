#include "rooflens/readers/json_value.h"

#include <cmath>
#include <cstdio>

namespace rooflens {
namespace {

constexpr std::size_t kBrief = 60;

void write(const Json& value, std::string& out) {
  if (out.size() > kBrief) return;
  switch (value.kind) {
    case Json::Kind::null:
      out += "null";
      break;
    case Json::Kind::boolean:
      out += value.boolean ? "true" : "false";
      break;
    case Json::Kind::number:
      out += number_text(value.number);
      break;
    case Json::Kind::string:
      out += '"' + value.string.substr(0, kBrief) + '"';
      break;
    case Json::Kind::array:
    case Json::Kind::object: {
      const bool object = value.is(Json::Kind::object);
      out += object ? '{' : '[';
      for (std::size_t i = 0; i < value.items.size() && out.size() <= kBrief; ++i) {
        if (i > 0) out += ", ";
        if (object) out += '"' + value.keys[i] + "\": ";
        write(value.items[i], out);
      }
      out += object ? '}' : ']';
      break;
    }
  }
}

}  // namespace

const Json* Json::find(std::string_view key) const {
  if (kind != Kind::object) return nullptr;
  for (std::size_t i = keys.size(); i-- > 0;) {
    if (keys[i] == key) return &items[i];
  }
  return nullptr;
}

const Json* Json::get(std::string_view key) const {
  const Json* value = find(key);
  return value != nullptr && !value->is(Kind::null) ? value : nullptr;
}

std::string brief(const Json& value) {
  std::string out;
  write(value, out);
  if (out.size() > kBrief) out = out.substr(0, kBrief) + " ...";
  return out;
}

std::string number_text(double value) {
  char text[40];
  const bool whole = std::floor(value) == value && std::fabs(value) < 1e15;
  std::snprintf(text, sizeof text, whole ? "%.0f" : "%.15g", value);
  return text;
}

const char* name_of(Json::Kind kind) {
  switch (kind) {
    case Json::Kind::null:
      return "null";
    case Json::Kind::boolean:
      return "true or false";
    case Json::Kind::number:
      return "a number";
    case Json::Kind::string:
      return "a string";
    case Json::Kind::array:
      return "a list";
    case Json::Kind::object:
      return "an object";
  }
  return "";
}

}  // namespace rooflens
