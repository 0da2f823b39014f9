// The JSON objects of a result file: alone, in arrays, one a line, or between the lines of a log.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "rooflens/readers/json_value.h"
#include "rooflens/readers/server_facts.h"

namespace rooflens {

struct JsonPart {
  Json json;              // an object
  std::string_view text;  // its own
  std::string_view file;  // its name
  int line = 1;           // it begins in
};

// The text of the next object that stands at the beginning of a line or inside a top-level array;
// `text` and `line` move past it. Empty = there is no more. O(what is passed).
[[nodiscard]] std::string_view next_object(std::string_view& text, int& line);

// Calls f(part) for every object that parses; the notes of the parser are kept once.
template <class F>
void for_each_object(std::string_view text, std::string_view file, ResultFile& out, F&& f);

// A number of the object times `scale`. A key that is missing is not told, null is NaN.
[[nodiscard]] Told told(const JsonPart& part, std::string_view key, double scale = 1);
// The first key of these that is there.
[[nodiscard]] Told told_any(const JsonPart& part, std::initializer_list<std::string_view> keys,
                            double scale = 1);
// A number inside: told(part, inner, "avg") names it "avg" of the path's last key.
[[nodiscard]] Told told_in(const JsonPart& part, const Json* inner, std::string_view name,
                           std::string_view key, double scale = 1);

[[nodiscard]] double number(const Json* object, std::string_view key, double otherwise = 0);
[[nodiscard]] std::string word(const Json* object, std::string_view key);
[[nodiscard]] bool has(const Json& object, std::initializer_list<std::string_view> keys);
// Where a key stands, with the words of the whole entry.
[[nodiscard]] Source source_of(const JsonPart& part, std::string_view key);

// Parses one object; false and nothing else when it does not parse.
[[nodiscard]] bool parse_part(std::string_view text, std::string_view file, int line, JsonPart& out,
                              ResultFile& notes);

template <class F>
void for_each_object(std::string_view text, std::string_view file, ResultFile& out, F&& f) {
  int line = 1;
  for (std::string_view one = next_object(text, line); !one.empty();
       one = next_object(text, line)) {
    int inside = 0;
    for (const char c : one) inside += c == '\n' ? 1 : 0;
    JsonPart part;
    if (out.runs.size() <= kMostRuns && parse_part(one, file, line - inside, part, out)) f(part);
  }
}

}  // namespace rooflens
