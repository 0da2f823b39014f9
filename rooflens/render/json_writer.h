// Writes JSON text. A writer, not a document: calls come in the order of the output.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace rooflens {

// Shortest of %.15g, %.16g, %.17g that reads back as the same double; integers below 1e15 without
// exponent. NaN and infinities: "null".
[[nodiscard]] std::string json_number(double v);

// With quotes. Control characters escaped, malformed UTF-8 replaced by U+FFFD.
[[nodiscard]] std::string json_string(std::string_view s);

// `indent` 0 writes one line. Commas, colons and line ends are the writer's business; nesting is
// the caller's: key() only inside an object, and every begin has its end.
//
//   JsonWriter j(2);
//   j.begin_object().key("ridge").value(214.0).key("notes").begin_array().end().end();
//   std::string text = j.take();
class JsonWriter {
 public:
  explicit JsonWriter(int indent = 0) : indent_(indent) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end();  // of the innermost object or array
  JsonWriter& key(std::string_view k);
  JsonWriter& value(double v);
  JsonWriter& value(bool v);
  template <std::integral T>
  JsonWriter& value(T v) {
    return value(static_cast<double>(v));
  }
  JsonWriter& value(std::string_view v);
  JsonWriter& value(const char* v) { return value(std::string_view(v)); }
  JsonWriter& value(const std::string& v) { return value(std::string_view(v)); }
  JsonWriter& null();
  JsonWriter& raw(std::string_view json);  // a value that is JSON already

  // key and value in one.
  template <class T>
  JsonWriter& member(std::string_view k, const T& v) {
    return key(k).value(v);
  }

  // The text, ended by a line feed when indented; the writer is empty afterwards.
  [[nodiscard]] std::string take();

 private:
  JsonWriter& open(char bracket);
  void before_value();
  void new_line(std::size_t depth);

  struct Level {
    char close = '}';
    bool empty = true;
  };
  std::string out_;
  std::vector<Level> levels_;
  int indent_ = 0;
  bool after_key_ = false;
};

}  // namespace rooflens
