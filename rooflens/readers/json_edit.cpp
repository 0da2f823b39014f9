#include "rooflens/readers/json_edit.h"

namespace rooflens {

Json json_of(double value) {
  Json json;
  json.kind = Json::Kind::number;
  json.number = value;
  return json;
}

Json json_of(bool value) {
  Json json;
  json.kind = Json::Kind::boolean;
  json.boolean = value;
  return json;
}

Json json_of(std::string text) {
  Json json;
  json.kind = Json::Kind::string;
  json.string = std::move(text);
  return json;
}

Json json_of(std::string_view text) { return json_of(std::string(text)); }

Json json_of(const char* text) { return json_of(std::string(text)); }

void set_member(Json& object, const std::string& key, Json value) {
  for (std::size_t i = 0; i < object.keys.size(); ++i) {
    if (object.keys[i] == key) {
      object.items[i] = std::move(value);
      return;
    }
  }
  object.keys.push_back(key);
  object.items.push_back(std::move(value));
}

}  // namespace rooflens
