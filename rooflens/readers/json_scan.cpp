#include "rooflens/readers/json_scan.h"

#include "rooflens/core/ascii.h"

namespace rooflens {
namespace {

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char l = lower(c);
  return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// "\u" and four hexadecimal digits at `at` (of the first digit); -1 = none.
std::int64_t unicode(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return -1;
  std::int64_t code = 0;
  for (std::size_t i = at; i < at + 4; ++i) {
    const int digit = hex_digit(text[i]);
    if (digit < 0) return -1;
    code = code * 16 + digit;
  }
  return code;
}

// -? digits (. digits)? (e [+-]? digits)?
bool is_number(std::string_view w) {
  const auto digits = [&] {
    std::size_t n = 0;
    while (n < w.size() && is_digit(w[n])) ++n;
    w.remove_prefix(n);
    return n > 0;
  };
  if (!w.empty() && w[0] == '-') w.remove_prefix(1);
  if (!digits()) return false;
  if (!w.empty() && w[0] == '.') {
    w.remove_prefix(1);
    if (!digits()) return false;
  }
  if (w.empty()) return true;
  if (lower(w[0]) != 'e') return false;
  w.remove_prefix(1);
  if (!w.empty() && (w[0] == '+' || w[0] == '-')) w.remove_prefix(1);
  return digits() && w.empty();
}

char plain_escape(char c) {
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case '"':
    case '\\':
    case '/':
      return c;
    default:
      return '\0';
  }
}

}  // namespace

bool JsonScan::stop(const char* why) {
  if (trouble_.empty()) trouble_ = why;
  return false;
}

void JsonScan::blanks() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
}

char JsonScan::peek() {
  blanks();
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool JsonScan::takes(char c) {
  if (!trouble_.empty() || peek() != c) return false;
  ++at_;
  return true;
}

bool JsonScan::take(char c) {
  if (takes(c)) return true;
  return stop(at_ < text_.size() ? "the header is no valid JSON" : "the JSON ends too early");
}

bool JsonScan::open(char bracket) {
  if (!take(bracket)) return false;
  return ++depth_ <= kDepth || stop("nested too deep");
}

bool JsonScan::close(char bracket) {
  --depth_;
  return take(bracket);
}

bool JsonScan::closes(char bracket) {
  if (!takes(bracket)) return false;
  --depth_;
  return true;
}

bool JsonScan::string(std::string_view& out) {
  if (!take('"')) return false;
  const std::size_t from = at_;
  const std::size_t quote = text_.find('"', from);
  if (quote == std::string_view::npos) {
    at_ = text_.size();
    return stop("the JSON ends too early");
  }
  const std::string_view plain = text_.substr(from, quote - from);
  if (const std::size_t escape = plain.find('\\'); escape != std::string_view::npos) {
    at_ = from + escape;
    return escaped(from, out);
  }
  bool control = false;
  for (char c : plain) control |= static_cast<unsigned char>(c) < 0x20;
  if (control) return stop("a control character in a string");
  at_ = quote + 1;
  out = plain;
  return true;
}

// The rest of a string that has an escape at the position.
bool JsonScan::escaped(std::size_t from, std::string_view& out) {
  buffer_.assign(text_.substr(from, at_ - from));
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '"') {
      ++at_;
      out = buffer_;
      return true;
    }
    if (static_cast<unsigned char>(c) < 0x20) return stop("a control character in a string");
    if (c != '\\') {
      buffer_ += c;
      continue;
    }
    if (++at_ >= text_.size()) break;
    if (text_[at_] != 'u') {
      const char meant = plain_escape(text_[at_]);
      if (meant == '\0') return stop("an unknown escape in a string");
      buffer_ += meant;
      continue;
    }
    std::int64_t code = unicode(text_, at_ + 1);
    if (code < 0) return stop("an unknown escape in a string");
    at_ += 4;
    const bool high = code >= 0xD800 && code < 0xDC00;
    if (high && text_.substr(at_ + 1, 2) == "\\u") {
      const std::int64_t low = unicode(text_, at_ + 3);
      if (low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + (code - 0xD800) * 0x400 + (low - 0xDC00);
        at_ += 6;
      }
    }
    const bool half = code >= 0xD800 && code < 0xE000;
    append_utf8(buffer_, half ? 0xFFFD : static_cast<std::uint32_t>(code));
  }
  return stop("the JSON ends too early");
}

bool JsonScan::digits(std::uint64_t& out) {
  if (!is_digit(peek())) {
    const char c = peek();
    return stop(c == '-'    ? "a negative number"
                : c == '\0' ? "the JSON ends too early"
                            : "no whole number");
  }
  out = 0;
  for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
    const auto digit = static_cast<std::uint64_t>(text_[at_] - '0');
    if (out > (UINT64_MAX - digit) / 10) return stop("a number past 2^64");
    out = out * 10 + digit;
  }
  return true;
}

bool JsonScan::whole_part(std::uint64_t& out) {
  if (!digits(out)) return false;
  if (at_ < text_.size() && text_[at_] == '.') {
    do {
      ++at_;
    } while (at_ < text_.size() && is_digit(text_[at_]));
  }
  return true;
}

bool JsonScan::whole(std::uint64_t& out) {
  if (!digits(out)) return false;
  const char next = at_ < text_.size() ? text_[at_] : '\0';
  return (next != '.' && next != 'e' && next != 'E') || stop("a number that is not whole");
}

// A number, true, false or null.
bool JsonScan::literal() {
  const std::size_t from = at_;
  while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) ||
                                text_[at_] == '-' || text_[at_] == '+' || text_[at_] == '.')) {
    ++at_;
  }
  const std::string_view word = text_.substr(from, at_ - from);
  const bool known = word == "true" || word == "false" || word == "null" || is_number(word);
  return known ||
         stop(at_ < text_.size() ? "the header is no valid JSON" : "the JSON ends too early");
}

bool JsonScan::skip() {
  std::string_view text;
  switch (peek()) {
    case '{':
      return object([this](std::string_view) { return skip(); });
    case '[':
      return array([this] { return skip(); });
    case '"':
      return string(text);
    default:
      return literal();
  }
}

bool JsonScan::end() {
  return trouble_.empty() && (peek() == '\0' || stop("there is more after the end of the JSON"));
}

}  // namespace rooflens
