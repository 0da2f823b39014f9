#include "rooflens/readers/json_text.h"

#include <algorithm>
#include <array>
#include <numeric>

#define JSON_NOEXCEPTION 1
#include <nlohmann/json.hpp>

#include "rooflens/readers/json_kind.h"

namespace rooflens {
namespace {

// The text after the normalising pass. `grown` holds the offsets where it is one byte longer than
// the original (NaN becomes null), so that positions can be told in the user's file.
struct Normal {
  std::string text;
  std::vector<std::size_t> grown;
  std::size_t dropped = 0;  // bytes of a byte order mark
  std::size_t not_numbers = 0;
  std::size_t too_deep = std::string_view::npos;  // offset in the original
};

bool word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

Normal normalise(std::string_view in) {
  Normal out;
  std::size_t i = 0;
  if (in.substr(0, 3) == "\xEF\xBB\xBF") i = out.dropped = 3;
  out.text.reserve(in.size() + 16);
  bool quoted = false;
  int depth = 0;
  while (i < in.size()) {
    const char c = in[i];
    if (quoted) {
      out.text += c;
      if (c == '\\' && i + 1 < in.size()) out.text += in[++i];
      if (c == '"') quoted = false;
      ++i;
      continue;
    }
    if (c == '"') quoted = true;
    if ((c == '{' || c == '[') && ++depth > kJsonDepth) {
      out.too_deep = i;
      return out;
    }
    if (c == '}' || c == ']') --depth;
    const bool starts = i == 0 || !word(in[i - 1]);
    const bool minus = c == '-';
    const std::string_view rest = in.substr(i + (minus ? 1 : 0));
    const auto is = [&](std::string_view w) {
      return starts && rest.substr(0, w.size()) == w &&
             (rest.size() == w.size() || !word(rest[w.size()]));
    };
    if (is("Infinity")) {
      out.text += minus ? "null     " : "null    ";
      i += minus ? 9 : 8;
      ++out.not_numbers;
    } else if (!minus && is("NaN")) {
      out.text += "null";
      out.grown.push_back(out.text.size() - 1);
      i += 3;
      ++out.not_numbers;
    } else {
      out.text += c;
      ++i;
    }
  }
  return out;
}

// Offset in the user's file of an offset in the normalised text.
std::size_t original(const Normal& n, std::size_t at) {
  const auto before = std::lower_bound(n.grown.begin(), n.grown.end(), at) - n.grown.begin();
  return at - static_cast<std::size_t>(before) + n.dropped;
}

std::string place(std::string_view where, std::string_view text, std::size_t at) {
  at = std::min(at, text.size());
  std::size_t line = 1, start = 0;
  for (std::size_t i = 0; i < at; ++i) {
    if (text[i] == '\n') {
      ++line;
      start = i + 1;
    }
  }
  return std::string(where) + ": line " + std::to_string(line) + ", column " +
         std::to_string(at - start + 1);
}

// Builds the tree from the parser's events. The open container is the back of `open`; its parent's
// vector does not grow while it is open, so the pointers stay good.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(Json& root) : root_(root) {}

  bool null() override {
    add({});
    return true;
  }
  bool boolean(bool value) override {
    add({}).boolean = value;
    last_->kind = Json::Kind::boolean;
    return true;
  }
  bool number_integer(std::int64_t value) override { return number(static_cast<double>(value)); }
  bool number_unsigned(std::uint64_t value) override { return number(static_cast<double>(value)); }
  bool number_float(double value, const std::string&) override { return number(value); }
  bool string(std::string& value) override {
    add({}).string = std::move(value);
    last_->kind = Json::Kind::string;
    return true;
  }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return start(Json::Kind::object); }
  bool start_array(std::size_t) override { return start(Json::Kind::array); }
  bool key(std::string& name) override {
    open_.back()->keys.push_back(std::move(name));
    return true;
  }
  bool end_object() override {
    find_repeated(*open_.back());
    open_.pop_back();
    return true;
  }
  bool end_array() override {
    open_.pop_back();
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::json::exception& what) override {
    error_at = position;
    error_token = token;
    error_text = what.what();
    return false;
  }

  std::size_t error_at = 0;
  std::string error_token, error_text;
  std::vector<std::string> repeated;

 private:
  Json& add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      last_ = &root_;
    } else {
      open_.back()->items.push_back(std::move(value));
      last_ = &open_.back()->items.back();
    }
    return *last_;
  }
  bool number(double value) {
    add({}).number = value;
    last_->kind = Json::Kind::number;
    return true;
  }
  bool start(Json::Kind kind) {
    add({}).kind = kind;
    open_.push_back(last_);
    return true;
  }
  void find_repeated(const Json& object) {
    std::vector<std::size_t> order(object.keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return object.keys[a] < object.keys[b]; });
    for (std::size_t i = 1; i < order.size() && repeated.size() < 8; ++i) {
      if (object.keys[order[i]] == object.keys[order[i - 1]]) {
        repeated.push_back(object.keys[order[i]]);
      }
    }
  }

  Json& root_;
  Json* last_ = nullptr;
  std::vector<Json*> open_;
};

// The library's message without its own prefix and position.
std::string plain_message(const std::string& text) {
  const std::size_t dash = text.find(" - ");
  std::string message = dash == std::string::npos ? text : text.substr(dash + 3);
  if (message.size() > 200) message = message.substr(0, 200) + " ...";
  return message;
}

}  // namespace

Result<JsonDocument> parse_json(std::string_view text, std::string_view where) {
  if (auto known = not_json(text, where)) return Failure(std::move(*known));
  const Normal normal = normalise(text);
  if (normal.too_deep != std::string_view::npos) {
    return fail(ErrorCode::malformed,
                "nested more than " + std::to_string(kJsonDepth) + " levels deep",
                place(where, text, normal.too_deep), "no model file needs this; check its source");
  }
  JsonDocument document;
  Builder builder(document.root);
  if (!nlohmann::json::sax_parse(normal.text, &builder)) {
    // The parser's position is one past the last byte it read.
    const std::size_t at =
        original(normal, builder.error_at > 0 ? builder.error_at - 1 : std::size_t{0});
    const std::size_t end = text.find_last_not_of(" \t\r\n");
    const bool cut = end == std::string_view::npos || at > end;
    return fail(
        ErrorCode::malformed,
        cut ? "the JSON ends too early" : "not valid JSON: " + plain_message(builder.error_text),
        place(where, text, cut ? end + 1 : at),
        cut ? "the file is cut off; fetch it again" : "correct the text at this place");
  }
  if (normal.not_numbers > 0) {
    document.notes.push_back(std::to_string(normal.not_numbers) +
                             " NaN or Infinity in the JSON, read as null");
  }
  for (const std::string& key : builder.repeated) {
    document.notes.push_back("key \"" + key + "\" is given twice; the last one counts");
  }
  return document;
}

}  // namespace rooflens
