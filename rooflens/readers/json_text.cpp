#include "rooflens/readers/json_text.h"

#include <algorithm>
#include <array>
#include <numeric>

#define JSON_NOEXCEPTION 1
#include <nlohmann/json.hpp>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/json_kind.h"

namespace rooflens {
namespace {

// The text after the normalising pass. `shifts` tells from which offset on it lies by how many
// bytes elsewhere than in the original (NaN becomes null, long blanks one), so that positions can
// be told in the user's file.
struct Shift {
  std::size_t from = 0;
  std::ptrdiff_t by = 0;
};
struct Normal {
  std::string text;  // only when it differs from the original
  bool copied = false;
  std::vector<Shift> shifts;
  std::size_t dropped = 0;  // bytes of a byte order mark
  std::size_t not_numbers = 0;
  std::size_t too_deep = std::string_view::npos;  // offset in the original
  std::size_t too_long = std::string_view::npos;  // a string that is
};

constexpr std::size_t kLongBlank = 4096;

bool word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

Normal normalise(std::string_view in) {
  Normal out;
  std::size_t i = 0;
  if (in.substr(0, 3) == "\xEF\xBB\xBF") i = out.dropped = 3;
  bool quoted = false;
  std::size_t opened = 0;
  int depth = 0;
  const auto copy = [&](std::size_t n) {
    if (out.copied) out.text += in.substr(i, n);
    i += n;
  };
  std::ptrdiff_t shift = 0;
  const auto replace = [&](std::string_view by, std::size_t n) {
    if (!out.copied) {
      out.copied = true;
      out.text = in.substr(out.dropped, i - out.dropped);
    }
    out.text += by;
    i += n;
    shift += static_cast<std::ptrdiff_t>(n) - static_cast<std::ptrdiff_t>(by.size());
    out.shifts.push_back({out.text.size(), shift});
  };
  while (i < in.size()) {
    const char c = in[i];
    if (quoted) {
      if (c == '"') quoted = false;
      if (i - opened > kJsonString) {
        out.too_long = opened;
        return out;
      }
      copy(c == '\\' && i + 1 < in.size() ? 2 : 1);
      continue;
    }
    if (c == '"') {
      quoted = true;
      opened = i;
    }
    if ((c == '{' || c == '[') && ++depth > kJsonDepth) {
      out.too_deep = i;
      return out;
    }
    if (c == '}' || c == ']') --depth;
    if (out.not_numbers > kJsonValues) return out;  // the parser stops at as many values
    const bool starts = i == 0 || !word(in[i - 1]);
    const bool minus = c == '-';
    const std::string_view rest = in.substr(i + (minus ? 1 : 0));
    const auto is = [&](std::string_view w) {
      return starts && rest.substr(0, w.size()) == w &&
             (rest.size() == w.size() || !word(rest[w.size()]));
    };
    if ((minus || c == 'I') && is("Infinity")) {
      replace("null", minus ? 9 : 8);
      ++out.not_numbers;
    } else if (c == 'N' && is("NaN")) {
      replace("null", 3);
      ++out.not_numbers;
    } else if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      const std::size_t end = std::min(in.find_first_not_of(" \n\t\r", i), in.size());
      if (end - i < kLongBlank) {
        copy(end - i);
      } else {
        replace(" ", end - i);
      }
    } else {
      copy(1);
    }
  }
  return out;
}

// Offset in the user's file of an offset in the normalised text.
std::size_t original(const Normal& n, std::size_t at) {
  const auto after =
      std::upper_bound(n.shifts.begin(), n.shifts.end(), at,
                       [](std::size_t value, const Shift& shift) { return value < shift.from; });
  const std::ptrdiff_t by = after == n.shifts.begin() ? 0 : std::prev(after)->by;
  return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(at + n.dropped) + by);
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

  bool null() override { return take({}); }
  bool boolean(bool value) override {
    Json json;
    json.kind = Json::Kind::boolean;
    json.boolean = value;
    return take(std::move(json));
  }
  bool number_integer(std::int64_t value) override { return number(static_cast<double>(value)); }
  bool number_unsigned(std::uint64_t value) override { return number(static_cast<double>(value)); }
  bool number_float(double value, const std::string&) override { return number(value); }
  bool string(std::string& value) override {
    if (skipping_ > 0) return true;
    Json json;
    json.kind = Json::Kind::string;
    strings_ += value.size();
    json.string = value;  // a copy of the exact size
    return take(std::move(json));
  }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return start(Json::Kind::object); }
  bool start_array(std::size_t) override { return start(Json::Kind::array); }
  bool key(std::string& name) override {
    if (skipping_ > 0) return true;
    skip_next_ = open_.size() == 1 && name == "weight_map";
    strings_ += name.size();
    open_.back()->keys.push_back(name);
    return true;
  }
  // The end of something inside what is skipped; the end of all that is skipped is taken as any.
  bool leaves_skipped() {
    if (skipping_ == 0) return false;
    --skipping_;
    return skipping_ > 0;
  }
  bool end_object() override {
    if (leaves_skipped()) return true;
    find_repeated(*open_.back());
    open_.pop_back();
    return true;
  }
  bool end_array() override {
    if (leaves_skipped()) return true;
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
  bool too_large = false;

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
  bool take(Json value) {
    if (skipping_ > 0) return true;
    skip_next_ = false;
    too_large = ++values_ > kJsonValues || strings_ > kJsonText;
    if (too_large) return false;
    add(std::move(value));
    return true;
  }
  bool number(double value) {
    Json json;
    json.kind = Json::Kind::number;
    json.number = value;
    return take(std::move(json));
  }
  bool start(Json::Kind kind) {
    if (skipping_ > 0) {
      ++skipping_;
      return true;
    }
    if (skip_next_) skipping_ = 1;
    Json json;
    json.kind = kind;
    const int skip = skipping_;
    skipping_ = 0;
    if (!take(std::move(json))) return false;
    skipping_ = skip;
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
  std::size_t values_ = 0, strings_ = 0;
  bool skip_next_ = false;
  int skipping_ = 0;  // levels inside a member that is not kept
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
  if (normal.too_long != std::string_view::npos) {
    return fail(ErrorCode::out_of_range,
                "a string of more than " + std::to_string(kJsonString >> 10) + " KiB",
                place(where, text, normal.too_long), "no model file needs this; check its source");
  }
  if (normal.too_deep != std::string_view::npos) {
    return fail(ErrorCode::malformed,
                "nested more than " + std::to_string(kJsonDepth) + " levels deep",
                place(where, text, normal.too_deep), "no model file needs this; check its source");
  }
  JsonDocument document;
  Builder builder(document.root);
  const std::string_view body =
      normal.copied ? std::string_view(normal.text) : text.substr(normal.dropped);
  if (!nlohmann::json::sax_parse(body, &builder)) {
    if (builder.too_large) {
      return fail(ErrorCode::out_of_range,
                  "the JSON holds more than " + std::to_string(kJsonValues) + " values or " +
                      std::to_string(kJsonText >> 20) + " MiB of strings",
                  std::string(where), "no model file needs this; check its source");
    }
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
