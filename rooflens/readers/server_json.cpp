#include "rooflens/readers/server_json.h"

#include <algorithm>
#include <array>
#include <limits>

#include "rooflens/core/ascii.h"
#include "rooflens/core/quantity.h"
#include "rooflens/readers/json_text.h"

namespace rooflens {
namespace {

constexpr std::size_t kSmallestObject = 30;  // bytes of an object that can hold a result
constexpr std::size_t kMostJsonNotes = 20;

// Past the end of the object that `text` begins with; npos = it does not end.
std::size_t json_object_end(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

constexpr std::size_t kLargeObject = std::size_t{64}
                                     << 10;  // an object that may list every request

// Keys of what benchmarks keep of single requests and tokens: no figure is read from them.
constexpr std::array<std::string_view, 12> kDetails{
    "itls",     "ttfts",       "input_lens",    "output_lens",
    "errors",   "start_times", "queue_times",   "generated_texts",
    "requests", "pdf",         "request_texts", "individual_request_metrics",
};

// Past the string that begins at i.
std::size_t json_string_end(std::string_view text, std::size_t i) {
  for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\' ? 1 : 0;
  return std::min(i + 1, text.size());
}

// Past the list or object that begins at i.
std::size_t json_value_end(std::string_view text, std::size_t i) {
  int depth = 0;
  while (i < text.size()) {
    const char c = text[i];
    if (c == '"') {
      i = json_string_end(text, i);
      continue;
    }
    depth += c == '[' || c == '{' ? 1 : 0;
    depth -= c == ']' || c == '}' ? 1 : 0;
    ++i;
    if (depth == 0) break;
  }
  return i;
}

// The text without the lists and objects of such keys: they alone may hold millions of values.
std::string without_details(std::string_view text) {
  std::string out;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '"') {
      ++i;
      continue;
    }
    const std::size_t end = json_string_end(text, i);
    const std::string_view key = text.substr(i + 1, end - std::min(end, i + 2));
    i = end;
    if (std::find(kDetails.begin(), kDetails.end(), key) == kDetails.end()) continue;
    const std::size_t colon = text.find_first_not_of(" \t\r\n", end);
    if (colon == std::string_view::npos || text[colon] != ':') continue;
    const std::size_t value = text.find_first_not_of(" \t\r\n", colon + 1);
    if (value == std::string_view::npos || (text[value] != '[' && text[value] != '{')) continue;
    out += text.substr(kept, value - kept);
    out += "null";
    i = kept = json_value_end(text, value);
  }
  out += text.substr(kept);
  return out;
}

}  // namespace

std::string_view next_object(std::string_view& text, int& line) {
  bool begins = true;  // of a line, or of an element
  std::size_t i = 0;
  if (text.substr(0, 3) == "\xEF\xBB\xBF") i = 3;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (c == '\n' || (begins && (c == '[' || c == ',' || c == ']'))) {
      begins = true;
    } else if (c == '{' && begins) {
      const std::size_t size = json_object_end(text.substr(i));
      if (size == std::string_view::npos) break;
      const std::string_view found = text.substr(i, size);
      line += static_cast<int>(std::count(found.begin(), found.end(), '\n'));
      if (size >= kSmallestObject) {
        text = text.substr(i + size);
        return found;
      }
      i += size - 1;
    } else if (!is_blank(c)) {
      begins = false;
    }
  }
  text = {};
  return {};
}

bool parse_part(std::string_view text, std::string_view file, int line, JsonPart& out,
                ResultFile& notes) {
  Result<JsonDocument> parsed =
      text.size() > kLargeObject ? parse_json(without_details(text), file) : parse_json(text, file);
  if (!parsed) {
    if (notes.notes.size() < kMostJsonNotes) {
      notes.notes.push_back("an object from line " + std::to_string(line) +
                            " on is passed over: " + parsed.error().message);
    }
    return false;
  }
  for (std::string& note : parsed->notes) {
    const bool known = std::find(notes.notes.begin(), notes.notes.end(), note) != notes.notes.end();
    if (!known && notes.notes.size() < kMostJsonNotes) notes.notes.push_back(std::move(note));
  }
  out = {std::move(parsed->root), text, file, line};
  return true;
}

Source source_of(const JsonPart& part, std::string_view key) {
  std::string quoted_key = "\"";
  quoted_key += key;
  quoted_key += '"';
  Source source{std::string(part.file), part.line, std::string(key)};
  const std::size_t at = part.text.find(quoted_key);
  if (at == std::string_view::npos) return source;
  const std::string_view before = part.text.substr(0, at);
  source.line += static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  const std::string_view rest = part.text.substr(at);
  source.text = words_of(rest.substr(0, rest.find_first_of(",}\n", quoted_key.size())));
  return source;
}

Told told(const JsonPart& part, std::string_view key, double scale) {
  const Json* value = part.json.find(key);
  Told t;
  if (value == nullptr) return t;
  t.told = true;
  t.value = std::numeric_limits<double>::quiet_NaN();
  if (value->is(Json::Kind::number)) t.value = value->number * scale;
  if (value->is(Json::Kind::string)) t.value = number_in(value->string) * scale;
  t.source = source_of(part, key);
  return t;
}

Told told_any(const JsonPart& part, std::initializer_list<std::string_view> keys, double scale) {
  for (const std::string_view key : keys) {
    Told t = told(part, key, scale);
    if (t.told) return t;
  }
  return {};
}

Told told_in(const JsonPart& part, const Json* inner, std::string_view name, std::string_view key,
             double scale) {
  Told t;
  const Json* value = inner != nullptr ? inner->get(key) : nullptr;
  if (value == nullptr || !value->is(Json::Kind::number)) return t;
  t.told = true;
  t.value = value->number * scale;
  t.source = source_of(part, name);
  t.source.text = name;
  if (name != key) {
    t.source.text += '.';
    t.source.text += key;
  }
  t.source.text += ": ";
  t.source.text += number_text(value->number);
  return t;
}

double number(const Json* object, std::string_view key, double otherwise) {
  const Json* value = object != nullptr ? object->get(key) : nullptr;
  if (value == nullptr) return otherwise;
  if (value->is(Json::Kind::number)) return value->number;
  if (value->is(Json::Kind::string)) return parse_number(value->string).value_or(otherwise);
  return otherwise;
}

std::string word(const Json* object, std::string_view key) {
  const Json* value = object != nullptr ? object->get(key) : nullptr;
  if (value == nullptr) return {};
  if (value->is(Json::Kind::string)) return value->string.substr(0, 500);
  return value->is(Json::Kind::number) ? number_text(value->number) : std::string();
}

bool has(const Json& object, std::initializer_list<std::string_view> keys) {
  return std::all_of(keys.begin(), keys.end(),
                     [&](std::string_view key) { return object.find(key) != nullptr; });
}

}  // namespace rooflens
