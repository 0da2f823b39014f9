// Strict JSON read in one pass, without a tree, by who knows its form: headers of many thousand
// entries. For configs, which people write and libraries bend, there is json_text.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rooflens {

// Each call reads one value at the position and moves past it; it returns false at the first
// trouble, and everything after does so too. Views point into the text, or into a buffer that the
// next string overwrites when the text has escapes.
class JsonScan {
 public:
  explicit JsonScan(std::string_view text) : text_(text) {}

  // Calls member(key) for every member; it must read the value and return whether all is well.
  template <class F>
  bool object(F&& member) {
    if (!open('{')) return false;
    if (closes('}')) return true;
    std::string key;
    do {
      std::string_view name;
      if (!string(name)) return false;
      key.assign(name);
      if (!take(':') || !member(std::string_view(key)))
        return stop("the text is not what it must be");
    } while (takes(','));
    return close('}');
  }

  // Calls element() for every element.
  template <class F>
  bool array(F&& element) {
    if (!open('[')) return false;
    if (closes(']')) return true;
    do {
      if (!element()) return stop("the text is not what it must be");
    } while (takes(','));
    return close(']');
  }

  bool string(std::string_view& out);
  // A whole number from 0; anything else is trouble.
  bool whole(std::uint64_t& out);
  // As whole, with a fraction that is let go of ("13.0").
  bool whole_part(std::uint64_t& out);
  bool skip();  // any value
  bool end();   // nothing but blanks is left

  [[nodiscard]] char peek();  // the next character that is no blank, 0 at the end

  // What stopped the scan, "" = nothing did; the first call counts.
  bool stop(const char* why);
  [[nodiscard]] const std::string& trouble() const { return trouble_; }
  [[nodiscard]] std::size_t at() const { return at_; }

 private:
  static constexpr int kDepth = 64;

  bool open(char bracket);
  bool close(char bracket);
  bool closes(char bracket);
  bool take(char c);
  bool takes(char c);
  void blanks();
  bool escaped(std::size_t from, std::string_view& out);
  bool digits(std::uint64_t& out);
  bool literal();

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string buffer_, trouble_;
};

}  // namespace rooflens
