#include "modules/yaml/yaml.h"

#include <yaml-cpp/yaml.h>

#include <cctype>
#include <string>

namespace rooflens::yaml {
namespace {

// Quotes and escapes make a text longer, but not so much: anchors would.
constexpr std::size_t kMostGrowth = 8, kAlways = 65536;
constexpr int kDeepest = 200;

struct TooLarge {};

// The plain scalars that are JSON as they stand: YAML's numbers of other forms stay strings.
bool is_json_number(const std::string& s) {
  std::size_t i = s[0] == '-' ? 1 : 0;
  const auto digits = [&] {
    const std::size_t from = i;
    while (i < s.size() && std::isdigit(static_cast<unsigned char>(s[i])) != 0) ++i;
    return i > from;
  };
  const bool zero = i < s.size() && s[i] == '0';
  const std::size_t whole = i;
  if (!digits() || (zero && i > whole + 1)) return false;
  if (i < s.size() && s[i] == '.') {
    ++i;
    if (!digits()) return false;
  }
  if (i < s.size() && (s[i] == 'e' || s[i] == 'E')) {
    ++i;
    if (i < s.size() && (s[i] == '+' || s[i] == '-')) ++i;
    if (!digits()) return false;
  }
  return i == s.size();
}

class Writer {
 public:
  explicit Writer(std::size_t yaml_size) : most_(kMostGrowth * yaml_size + kAlways) {}

  void document(const YAML::Node& node) {
    write(node, 0);
    put("\n");
    ++line_;
  }
  [[nodiscard]] const std::string& text() const { return out_; }

 private:
  void put(std::string_view text) {
    if (out_.size() + text.size() > most_) throw TooLarge{};
    out_ += text;
  }

  // Line ends up to where the node stands.
  void go_to(const YAML::Node& node) {
    for (const int line = node.Mark().line; line_ < line; ++line_) put("\n");
  }

  void quoted(const std::string& s) {
    constexpr char kHex[] = "0123456789abcdef";
    put("\"");
    for (const char c : s) {
      const auto u = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        put(std::string{'\\', c});
      } else if (u < 0x20) {
        put(std::string{"\\u00"} + kHex[u >> 4] + kHex[u & 15]);
      } else {
        put(std::string_view(&c, 1));
      }
    }
    put("\"");
  }

  void scalar(const YAML::Node& node) {
    const std::string& s = node.Scalar();
    const bool plain = node.Tag() == "?";  // as yaml-cpp tags what was not quoted
    const bool word = s == "true" || s == "false" || s == "null";
    if (plain && (word || (!s.empty() && is_json_number(s)))) {
      put(s);
    } else {
      quoted(s);
    }
  }

  void write(const YAML::Node& node, int depth) {
    if (depth > kDeepest) throw TooLarge{};
    if (node.IsMap()) {
      put("{");
      bool first = true;
      for (const auto& entry : node) {
        if (!first) put(", ");
        first = false;
        go_to(entry.first);
        quoted(entry.first.IsScalar() ? entry.first.Scalar() : "");
        put(": ");
        write(entry.second, depth + 1);
      }
      put("}");
    } else if (node.IsSequence()) {
      put("[");
      bool first = true;
      for (const auto& item : node) {
        if (!first) put(", ");
        first = false;
        write(item, depth + 1);
      }
      put("]");
    } else if (node.IsScalar()) {
      go_to(node);
      scalar(node);
    } else {
      put("null");
    }
  }

  std::size_t most_;
  std::string out_;
  int line_ = 0;
};

const char* to_json(const char* text, std::size_t size, RooflensYamlSink sink, void* where) {
  static std::string wrong;
  try {
    Writer writer(size);
    for (const YAML::Node& document : YAML::LoadAll(std::string(text, size))) {
      writer.document(document);
    }
    sink(where, writer.text().data(), writer.text().size());
    return nullptr;
  } catch (const YAML::Exception& e) {
    wrong = "line " + std::to_string(e.mark.line + 1) + ": " + e.msg;
  } catch (const TooLarge&) {
    wrong = "its anchors or its nesting make it too large";
  } catch (const std::exception& e) {
    wrong = e.what();
  }
  return wrong.c_str();
}

}  // namespace
}  // namespace rooflens::yaml

extern "C" {
__attribute__((visibility("default"))) extern const std::int32_t rooflens_yaml_version =
    ROOFLENS_YAML_VERSION;
__attribute__((visibility("default"))) const char* rooflens_yaml_to_json(const char* text,
                                                                         std::size_t size,
                                                                         RooflensYamlSink sink,
                                                                         void* where) {
  return rooflens::yaml::to_json(text, size, sink, where);
}
}
