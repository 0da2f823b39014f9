#include "rooflens/readers/hf_fields.h"

#include <cmath>

namespace rooflens {
namespace {

std::string joined(Fields::Keys keys) {
  std::string out;
  for (std::string_view key : keys) {
    if (!out.empty()) out += ", ";
    out += key;
  }
  return out;
}

Json default_value(std::string_view text) {
  Json value;
  if (text == "true" || text == "false") {
    value.kind = Json::Kind::boolean;
    value.boolean = text == "true";
    return value;
  }
  double number = 0, scale = 0;
  bool digits = !text.empty();
  for (char c : text) {
    if (c == '.' && scale == 0) {
      scale = 1;
    } else if (c >= '0' && c <= '9') {
      number = number * 10 + (c - '0');
      scale *= 10;
    } else {
      digits = false;
    }
  }
  if (digits) {
    value.kind = Json::Kind::number;
    value.number = scale > 1 ? number / scale : number;
    return value;
  }
  value.kind = Json::Kind::string;
  value.string = text;
  return value;
}

}  // namespace

Fields::Fields(const Json& text, const Json& top, const Family& family,
               std::string_view extra_defaults, std::string_view where, Model& model)
    : text_(text), top_(top), family_(family), where_(where), model_(model) {
  add_defaults(extra_defaults);
  add_defaults(family.defaults);
}

void Fields::add_defaults(std::string_view defaults) {
  while (!defaults.empty()) {
    const std::size_t comma = defaults.find(',');
    const std::string_view entry = defaults.substr(0, comma);
    const std::size_t equals = entry.find('=');
    if (equals != std::string_view::npos) {
      defaults_.emplace_back(entry.substr(0, equals), default_value(entry.substr(equals + 1)));
    }
    if (comma == std::string_view::npos) break;
    defaults = defaults.substr(comma + 1);
  }
}

std::string Fields::origin(bool from_file) const {
  return from_file ? "file" : "default for " + std::string(family_.model_type);
}

Fields::Found Fields::find(Keys keys) const {
  for (std::string_view key : keys) {
    if (const Json* value = text_.get(key)) return {value, key, true};
  }
  for (const auto& [name, value] : defaults_) {
    for (std::string_view key : keys) {
      if (name == key) return {&value, key, false};
    }
  }
  return {};
}

const Json* Fields::find_shared(std::string_view key) const {
  const Json* value = text_.get(key);
  return value != nullptr ? value : top_.get(key);
}

double Fields::whole(const char* what, const Found& found, double least, double most) {
  const Json& value = *found.value;
  const std::string range =
      "a whole number from " + number_text(least) + " to " + number_text(most);
  if (!value.is(Json::Kind::number)) {
    error(ErrorCode::malformed,
          std::string(what) + ": " + std::string(found.key) + " = " + brief(value) + " is " +
              name_of(value.kind) + ", not a number",
          found.key, "write " + range);
    return least;
  }
  if (!(value.number >= least && value.number <= most) ||
      std::floor(value.number) != value.number) {
    error(ErrorCode::invalid,
          std::string(what) + ": " + std::string(found.key) + " = " + brief(value) +
              " cannot be; it must be " + range,
          found.key, "check the file against the model's own config.json");
    return least;
  }
  fact(what, found.key, value, found.from_file);
  return value.number;
}

double Fields::size(const char* what, Keys keys, double most) {
  const Found found = find(keys);
  if (found.value == nullptr) {
    error(ErrorCode::invalid, std::string(what) + " is missing (" + joined(keys) + ")",
          *keys.begin(), "add the key, or give the model's own config.json");
    return 1;
  }
  return whole(what, found, 1, most);
}

double Fields::size_or(const char* what, Keys keys, double fallback, const char* why, double most) {
  const Found found = find(keys);
  if (found.value != nullptr) return whole(what, found, 1, most);
  derived(what, number_text(fallback), why);
  return fallback;
}

double Fields::count(const char* what, Keys keys, double most) {
  const Found found = find(keys);
  return found.value != nullptr ? whole(what, found, 0, most) : 0;
}

double Fields::real_or(const char* what, Keys keys, double fallback) {
  const Found found = find(keys);
  if (found.value == nullptr) return fallback;
  if (!found.value->is(Json::Kind::number)) {
    error(ErrorCode::malformed,
          std::string(what) + ": " + std::string(found.key) + " = " + brief(*found.value) +
              " is not a number",
          found.key, "write a number");
    return fallback;
  }
  fact(what, found.key, *found.value, found.from_file);
  return found.value->number;
}

bool Fields::flag_or(const char* what, Keys keys, bool fallback) {
  const Found found = find(keys);
  if (found.value == nullptr) return fallback;
  if (!found.value->is(Json::Kind::boolean)) {
    error(ErrorCode::malformed,
          std::string(what) + ": " + std::string(found.key) + " = " + brief(*found.value) +
              " is neither true nor false",
          found.key, "write true or false");
    return fallback;
  }
  fact(what, found.key, *found.value, found.from_file);
  return found.value->boolean;
}

std::string Fields::text(const char* what, Keys keys) {
  const Found found = find(keys);
  if (found.value == nullptr) return {};
  if (!found.value->is(Json::Kind::string)) {
    error(ErrorCode::malformed,
          std::string(what) + ": " + std::string(found.key) + " = " + brief(*found.value) +
              " is not a string",
          found.key, "write a string");
    return {};
  }
  fact(what, found.key, *found.value, found.from_file);
  return found.value->string;
}

const Json* Fields::list(std::string_view key, double length) {
  const Json* value = text_.get(key);
  if (value == nullptr) return nullptr;
  if (!value->is(Json::Kind::array)) {
    error(ErrorCode::malformed,
          std::string(key) + " = " + brief(*value) + " is " + name_of(value->kind) + ", not a list",
          key, "write one entry for each layer");
    return nullptr;
  }
  if (static_cast<double>(value->items.size()) != length) {
    error(ErrorCode::invalid,
          std::string(key) + " has " + std::to_string(value->items.size()) +
              " entries for num_hidden_layers = " + number_text(length),
          key, "the list must have one entry for each layer");
    return nullptr;
  }
  return value;
}

void Fields::fact(const char* what, std::string_view key, const Json& value, bool from_file) {
  model_.facts.push_back({what, std::string(key), brief(value), origin(from_file)});
}

void Fields::derived(const char* what, const std::string& value, const std::string& why) {
  model_.facts.push_back({what, "", value, why});
}

void Fields::warn(std::string message) { model_.warnings.push_back(std::move(message)); }

void Fields::error(ErrorCode code, std::string message, std::string_view key, std::string hint) {
  if (error_) return;
  std::string at = where_;
  if (!key.empty()) at += (at.empty() ? "" : ": ") + std::string(key);
  error_ = Error{code, std::move(message), std::move(at), std::move(hint)};
}

}  // namespace rooflens
