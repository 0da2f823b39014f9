#include "rooflens/readers/hf_fields.h"

#include <algorithm>
#include <cmath>

#include "rooflens/core/ascii.h"

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
    } else if (is_digit(c)) {
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

// A list of equal numbers, one for each layer, stands for the number.
const Json* same_entries(const Json* value, const Fields::Found& layers) {
  const std::vector<Json>& items = value->items;
  if (!value->is(Json::Kind::array) || items.empty() || layers.value == nullptr ||
      static_cast<double>(items.size()) != layers.value->number) {
    return value;
  }
  for (const Json& item : items) {
    if (!item.is(Json::Kind::number) || item.number != items[0].number) return value;
  }
  return &items[0];
}

// Two values of one kind that say different things.
bool differ(const Json& a, const Json& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Json::Kind::number:
      return a.number != b.number;
    case Json::Kind::boolean:
      return a.boolean != b.boolean;
    case Json::Kind::string:
      return a.string != b.string;
    default:
      return false;
  }
}

template <class F>
void for_each_entry(std::string_view defaults, F&& f) {
  while (!defaults.empty()) {
    const std::size_t blank = defaults.find(' ');
    const std::string_view entry = defaults.substr(0, blank);
    const std::size_t equals = entry.find('=');
    if (equals != std::string_view::npos) f(entry.substr(0, equals), entry.substr(equals + 1));
    defaults = blank == std::string_view::npos ? std::string_view() : defaults.substr(blank + 1);
  }
}

}  // namespace

Fields::Fields(const Json& text, const Json& top, const Family& family,
               std::string_view extra_defaults, std::string_view where, Model& model)
    : text_(text), top_(top), family_(family), where_(where), model_(model) {
  add_renames(family.defaults);
  add_defaults(extra_defaults);
  add_defaults(family.defaults);
}

void Fields::add_renames(std::string_view defaults) {
  for_each_entry(defaults, [&](std::string_view key, std::string_view value) {
    if (value.substr(0, 1) != "@") return;
    value.remove_prefix(1);
    const bool opposite = value.substr(0, 1) == "!";
    if (opposite) value.remove_prefix(1);
    const std::size_t dot = value.find('.');
    const Json* found = text_.get(value.substr(0, dot));
    if (found != nullptr && dot != std::string_view::npos)
      found = found->get(value.substr(dot + 1));
    if (found == nullptr) return;
    Entry entry{key, value, *found, true};
    if (opposite) entry.value.boolean = !entry.value.boolean;
    defaults_.push_back(std::move(entry));
  });
}

void Fields::add_defaults(std::string_view defaults) {
  for_each_entry(defaults, [&](std::string_view key, std::string_view value) {
    if (value.substr(0, 1) == "@") return;
    if (key.substr(0, 5) == "only:") {
      key.remove_prefix(5);
      const Found found = find({key});
      if (found.value == nullptr || brief(*found.value) == brief(default_value(value))) return;
      error(ErrorCode::unsupported,
            std::string(found.key) + " = " + brief(*found.value) + " is not modelled for " +
                std::string(family_.model_type),
            found.key, "read: " + std::string(key) + " = " + std::string(value));
      return;
    }
    defaults_.push_back({key, key, default_value(value), false});
  });
}

bool Fields::reads(std::string_view key) const {
  bool found = false;
  for_each_entry(family_.defaults, [&](std::string_view name, std::string_view value) {
    if (name != "reads") return;
    while (!value.empty()) {
      const std::size_t plus = value.find('+');
      found = found || value.substr(0, plus) == key;
      value = plus == std::string_view::npos ? std::string_view() : value.substr(plus + 1);
    }
  });
  return found;
}

std::string Fields::origin(bool from_file) const {
  return from_file ? "file" : "default for " + std::string(family_.model_type);
}

bool Fields::preferred(std::string_view key) const {
  return std::find(preferred_.begin(), preferred_.end(), key) != preferred_.end();
}

Fields::Found Fields::find(Keys keys) const {
  if (!preferred_.empty()) {
    for (std::string_view key : keys) {
      const Json* value = preferred(key) ? text_.get(key) : nullptr;
      if (value != nullptr) return {value, key, true};
      for (const Entry& entry : defaults_) {
        if (entry.key == key && entry.from_file && preferred(entry.written)) {
          return {&entry.value, entry.written, true};
        }
      }
    }
  }
  for (std::string_view key : keys) {
    if (const Json* value = text_.get(key)) return {value, key, true};
  }
  for (const Entry& entry : defaults_) {
    for (std::string_view key : keys) {
      if (entry.key == key) return {&entry.value, entry.written, entry.from_file};
    }
  }
  return {};
}

Fields::Found Fields::find_agreed(const char* what, Keys keys) {
  const Found first = find(keys);
  if (!first.from_file || preferred(first.key)) return first;
  const Found layers = find({"num_hidden_layers"});
  const Json& value = *same_entries(first.value, layers);
  const auto compare = [&](const Json& raw, std::string_view key) {
    const Json& other = *same_entries(&raw, layers);
    if (key == first.key || !differ(value, other)) return;
    error(ErrorCode::invalid,
          std::string(what) + ": " + std::string(first.key) + " = " + brief(value) + ", but " +
              std::string(key) + " = " + brief(other),
          key, "both name the same thing: leave the right one");
  };
  for (std::string_view key : keys) {
    if (const Json* other = text_.get(key)) compare(*other, key);
    for (const Entry& entry : defaults_) {
      if (entry.from_file && entry.key == key) compare(entry.value, entry.written);
    }
  }
  return first;
}

const Json* Fields::find_shared(std::string_view key) const {
  const Json* value = text_.get(key);
  return value != nullptr ? value : top_.get(key);
}

double Fields::whole(const char* what, const Found& found, double least, double most) {
  const Json& value = *same_entries(found.value, find({"num_hidden_layers"}));
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
  const Found found = find_agreed(what, keys);
  if (found.value == nullptr) {
    error(ErrorCode::invalid, std::string(what) + " is missing (" + joined(keys) + ")",
          *keys.begin(), "add the key, or give the model's own config.json");
    return 1;
  }
  return whole(what, found, 1, most);
}

double Fields::size_or(const char* what, Keys keys, double fallback, const char* why, double most) {
  const Found found = find_agreed(what, keys);
  if (found.value != nullptr) return whole(what, found, 1, most);
  derived(what, number_text(fallback), why);
  return fallback;
}

double Fields::count(const char* what, Keys keys, double most) {
  const Found found = find_agreed(what, keys);
  if (found.value != nullptr) return whole(what, found, 0, most);
  derived(what, "0", "default: no " + std::string(*keys.begin()));
  return 0;
}

double Fields::real_or(const char* what, Keys keys, double fallback) {
  const Found found = find_agreed(what, keys);
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
  const Found found = find_agreed(what, keys);
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

bool Fields::flag_told(const char* what, Keys keys, bool fallback) {
  if (find(keys).value == nullptr) {
    derived(what, fallback ? "true" : "false", "default: no " + std::string(*keys.begin()));
  }
  return flag_or(what, keys, fallback);
}

std::string Fields::text(const char* what, Keys keys) {
  const Found found = find_agreed(what, keys);
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

std::vector<bool> Fields::layer_flags(std::string_view key, std::size_t length) {
  const Json* given = text_.get(key);
  if (given == nullptr || (given->is(Json::Kind::array) && given->items.empty())) return {};
  const Json* value = list(key, static_cast<double>(length));
  if (value == nullptr) return {};
  std::vector<bool> flags;
  for (std::size_t l = 0; l < length; ++l) {
    const Json& entry = value->items[l];
    const bool number = entry.is(Json::Kind::number) && (entry.number == 0 || entry.number == 1);
    if (!number && !entry.is(Json::Kind::boolean)) {
      error(ErrorCode::invalid,
            std::string(key) + "[" + std::to_string(l) + "] = " + brief(entry) +
                " is neither 0 nor 1",
            key, "one entry for each layer, 0 or 1");
      return {};
    }
    flags.push_back(number ? entry.number == 1 : entry.boolean);
  }
  return flags;
}

std::vector<std::size_t> Fields::layer_numbers(std::string_view key, double least, double most,
                                               const Json* inside, std::string_view path) {
  const Json* value = (inside != nullptr ? *inside : text_).get(key);
  if (value == nullptr) return {};
  const std::string name = std::string(path) + std::string(key);
  const auto refuse = [&](const std::string& what) {
    error(ErrorCode::invalid,
          what + "; it must be a layer from " + number_text(least) + " to " + number_text(most),
          name, "the list names layers of the network");
    return std::vector<std::size_t>();
  };
  if (!value->is(Json::Kind::array))
    return refuse(name + " = " + brief(*value) + " is no list of layers");
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < value->items.size(); ++i) {
    const Json& entry = value->items[i];
    const double n = entry.number;
    if (!entry.is(Json::Kind::number) || n < least || n > most || std::floor(n) != n) {
      return refuse(name + "[" + std::to_string(i) + "] = " + brief(entry));
    }
    numbers.push_back(static_cast<std::size_t>(n));
  }
  return numbers;
}

void Fields::fact(const char* what, std::string_view key, const Json& value, bool from_file) {
  model_.facts.push_back({what, std::string(key), brief(value), origin(from_file)});
}

void Fields::derived(const char* what, const std::string& value, const std::string& why) {
  model_.facts.push_back({what, "", value, why});
}

void Fields::warn(std::string message) { model_.warnings.push_back(std::move(message)); }

void Fields::error(ErrorCode code, std::string message, std::string_view key, std::string hint) {
  if (failed_) return;
  failed_ = true;
  std::string at = where_;
  if (!key.empty()) at += (at.empty() ? "" : ": ") + std::string(key);
  error_ = Error{code, std::move(message), std::move(at), std::move(hint)};
}

}  // namespace rooflens
