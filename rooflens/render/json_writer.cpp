#include "rooflens/render/json_writer.h"

#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "rooflens/render/text.h"

namespace rooflens {

std::string json_number(double v) {
  if (!std::isfinite(v)) return "null";
  char buffer[40];
  if (v == std::floor(v) && std::fabs(v) < 1e15) {
    std::snprintf(buffer, sizeof buffer, "%lld", static_cast<long long>(v));
    return buffer;
  }
  for (int digits = 15; digits <= 17; ++digits) {
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, v);
    if (std::strtod(buffer, nullptr) == v) break;
  }
  // A host program may have set a locale whose decimal mark is not a point.
  for (char* c = buffer; *c; ++c)
    if (*c == ',') *c = '.';
  return buffer;
}

// Characters that move a terminal's cursor or turn its text around: C1 controls, bidi marks.
static bool steers(char32_t c) {
  return (c >= 0x80 && c < 0xa0) || (c >= 0x200e && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

std::string json_string(std::string_view s) {
  constexpr const char* kHex = "0123456789abcdef";
  std::string out = "\"";
  for (std::size_t at = 0; at < s.size();) {
    const char32_t c = next_char(s, at);
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (c < 0x20 || c == 0x7f) {
          out += "\\u00";
          out += kHex[c >> 4];
          out += kHex[c & 15];
        } else if (steers(c)) {
          out += "\\u";
          for (int shift = 12; shift >= 0; shift -= 4) out += kHex[(c >> shift) & 15];
        } else {
          append_utf8(out, c);
        }
    }
  }
  return out + '"';
}

void JsonWriter::new_line(std::size_t depth) {
  if (indent_ == 0) return;
  out_ += '\n';
  out_.append(depth * static_cast<std::size_t>(indent_), ' ');
}

void JsonWriter::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  assert(levels_.back().close == ']' && "a value in an object needs a key");
  if (!levels_.back().empty) out_ += ',';
  levels_.back().empty = false;
  new_line(levels_.size());
}

JsonWriter& JsonWriter::open(char bracket) {
  before_value();
  out_ += bracket;
  levels_.push_back({bracket == '{' ? '}' : ']', true});
  return *this;
}

JsonWriter& JsonWriter::end() {
  assert(!levels_.empty() && !after_key_);
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.empty) new_line(levels_.size());
  out_ += level.close;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view k) {
  assert(!levels_.empty() && levels_.back().close == '}' && !after_key_);
  if (!levels_.back().empty) out_ += ',';
  levels_.back().empty = false;
  new_line(levels_.size());
  out_ += json_string(k);
  out_ += indent_ ? ": " : ":";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(double v) { return raw(json_number(v)); }
JsonWriter& JsonWriter::value(bool v) { return raw(v ? "true" : "false"); }
JsonWriter& JsonWriter::value(std::string_view v) { return raw(json_string(v)); }
JsonWriter& JsonWriter::null() { return raw("null"); }

JsonWriter& JsonWriter::raw(std::string_view json) {
  before_value();
  out_ += json;
  return *this;
}

std::string JsonWriter::take() {
  assert(levels_.empty() && !after_key_);
  if (indent_) out_ += '\n';
  return std::move(out_);
}

}  // namespace rooflens
